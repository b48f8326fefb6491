import { ORDINALS } from "../names.ts";
import type { Target, Within } from "../step.ts";
import { type Token, textOf } from "./clauses.ts";
import { createForms, type Form, readFirst } from "./pattern.ts";

/** The roles that find-target.ts knows, and what people call such elements. */
const NOUNS: Readonly<Record<string, string>> = {
  link: "link, hyperlink",
  button: "button, icon",
  tab: "tab",
  field: "field, box, input, textbox, text field, text box, input field, input box",
  "text area": "text area, textarea, text, editor, text editor",
  "search field": "search field, search box, search bar",
  checkbox: "checkbox, check box, tickbox",
  radio: "radio, radio button",
  switch: "switch, toggle",
  list: "dropdown, drop-down, combobox, combo box, select box, dropdown list, dropdown menu, drop-down list, drop-down menu",
  option: "option",
  "menu item": "menu item, menu entry",
  "column header": "column header, column heading",
  heading: "heading",
  image: "image, picture",
  result: "result, search result, search results",
};
const LONGEST_NOUN = 2;
const ROLES = new Map(
  Object.entries(NOUNS).flatMap(([role, names]) => names.split(", ").map((name) => [name, role] as const)),
);

/** "second", "2nd" and "last" as a position; null for other words. */
export function readOrdinal(word: string | undefined): number | null {
  const number = Number(/^(\d{1,3})(?:st|nd|rd|th)$/.exec(word ?? "")?.[1] ?? ORDINALS.indexOf(word ?? "") + 1);
  return word === "last" ? -1 : number === 0 ? null : number;
}

const form = createForms({ target: readTarget, plain: readPlain, noun: readWithNoun, name: nameOf });

function place(source: `{target:plain} ${string} {place:name}${string}`, toWithin: (name: string) => Within) {
  return form(source, ({ target, place: name }) => ({ ...target, within: toWithin(name) }));
}

/** Where on the page an element is: what stands behind it in the sentence. */
const PLACED: readonly Form<Target>[] = [
  form(
    "{target} (on the page|on this page|in the list|in the table|in the results|in the menu)",
    ({ target }) => target,
  ),
  form("{target:plain} (at the top|in the header|in the heading) of the (table|list|column)", ({ target }) => ({
    ...target,
    role: "column header",
  })),
  form("{target:plain} in the (dialog|pop-up|popup|window)", ({ target }) => ({ ...target, within: { dialog: true } })),
  place("{target:plain} in the row (of|for|with|containing|called|named|that says) {place:name}", (row) => ({ row })),
  place("{target:plain} in the (entry|item) (of|for|with|containing|called|named) {place:name}", (row) => ({ row })),
  place("{target:plain} in the {place:name} row", (row) => ({ row: readOrdinal(row.toLowerCase()) ?? row })),
  place("{target:plain} in row {place:name}", (row) => ({ row })),
  place("{target:plain} (next to|beside) [the] {place:name}", (row) => ({ row })),
  place("{target:plain} in the dialog (called|named) {place:name}", (dialog) => ({ dialog })),
  place("{target:plain} in the {place:name} (dialog|pop-up|popup|window)", (dialog) => ({ dialog })),
  place("{target:plain} in the {place:name} form", (name) => ({ form: name })),
  place("{target:plain} in the form (called|named|with) {place:name}", (name) => ({ form: name })),
  place("{target:plain} (in|under|below) the (section|heading|table|list) [called|named] {place:name}", (section) => ({
    section,
  })),
  place(
    "{target:plain} (in|under|below) the {place:name} (section|heading|area|panel|menu|sidebar|table|list)",
    (section) => ({ section }),
  ),
  place("{target:plain} (under|below) {place:name}", (section) => ({ section })),
  // "the Edit link of Larch"; but "Table of contents" is a name.
  form("{target:noun} (of|for) {row:name}", ({ target, row }) => ({ ...target, within: { row } })),
];

const ARTICLES = new Set("the a an its their my your our this that".split(" "));
const POSSESSIVES = new Set(["my", "your", "our"]);
const NAMED = new Set(["called", "named", "labelled", "labeled", "titled", "saying"]);

/** "the second Edit link in the row of Larch" as a target. Null when the words name nothing. */
export function readTarget(tokens: readonly Token[], prompt: string): Target | null {
  return saysMore(tokens) ? null : (readFirst(PLACED, tokens, prompt) ?? readPlain(tokens, prompt));
}

/** What a place adds to a target. */
export type Area = Omit<Target, "name">;

/** The element at a place, which has no name yet. */
const NAMELESS: Token = { kind: "quoted", text: "", word: "", start: 0, end: 0 };

/** "in the row of Larch"; null for words that are no area of the page. */
export function readArea(tokens: readonly Token[], prompt: string): Area | null {
  const { name = null, ...area } = readTarget([NAMELESS, ...tokens], prompt) ?? {};
  return name === "" ? area : null;
}

/** "Bath in the Billing section": a value, and the place of its field. */
export function splitPlace(tokens: readonly Token[], prompt: string): { value: readonly Token[]; area: Area } {
  for (const [at, { word }] of tokens.entries()) {
    const isPlace = at > 0 && word === "in" && tokens[at + 1]?.word === "the";
    const area = isPlace ? readArea(tokens.slice(at), prompt) : null;
    if (area?.within !== undefined) return { value: tokens.slice(0, at), area };
  }
  return { value: tokens, area: {} };
}

/** Without articles and without quotation marks. */
export function nameOf(tokens: readonly Token[], prompt: string): string {
  return textOf(stripArticles(tokens), prompt);
}

export function stripArticles(tokens: readonly Token[]): readonly Token[] {
  let at = 0;
  while (at < tokens.length - 1 && isArticle(tokens[at] as Token)) at++;
  return tokens.slice(at);
}

/** "Your orders" with a capital is a name. */
function isArticle({ word, text }: Token): boolean {
  return ARTICLES.has(word) && (text === word || !POSSESSIVES.has(word));
}

/** "Lee Marsh's role" and "Birch & Sons' plan": whose it is, and what. */
export function splitPossessive(tokens: readonly Token[]): { owner: readonly Token[]; rest: readonly Token[] } | null {
  const at = tokens.findLastIndex(({ kind, word }) => kind === "word" && /(?:[\p{L}\d]['’]s|s['’])$/u.test(word));
  const last = tokens[at];
  if (last === undefined || at === tokens.length - 1) return null;
  const text = last.text.replace(/(?:['’]s|(?<=s)['’])$/iu, "");
  const word = { ...last, text, word: text.toLowerCase(), end: last.start + text.length };
  return { owner: [...tokens.slice(0, at), word], rest: tokens.slice(at + 1) };
}

/** Words that no name has: what follows them would be lost. */
const EXCEPTIONS = new Set(["but", "unless", "except", "instead"]);
const EACH = new Set(["each", "every"]);

/** Whether the words say more than a name: "Delete in each row", "message box and send it". */
export function saysMore(tokens: readonly Token[]): boolean {
  const isPronoun = /^(?:it|them)$/.test(tokens.at(-1)?.text ?? "");
  return (
    tokens.some(({ word, text }) => EXCEPTIONS.has(word) || (EACH.has(word) && text === word)) ||
    (isPronoun && tokens.some(({ word }) => word === "and" || word === ","))
  );
}

function readWithNoun(tokens: readonly Token[], prompt: string): Target | null {
  const target = findNoun(tokens, "last") === null ? null : readPlain(tokens, prompt);
  return target?.name === undefined ? null : target;
}

function readPlain(all: readonly Token[], prompt: string): Target | null {
  if (saysMore(all)) return null;
  const { tokens, position } = readPosition(all);
  // "Contact list" is a name.
  if (tokens.length === 1 && tokens[0]?.word === "list") return { role: "list", ...position };
  const noun = findNoun(tokens, "last");
  if (noun !== null) {
    const name = nameOf(tokens.slice(0, -noun.length), prompt);
    return { role: noun.role, ...(name === "" ? {} : { name }), ...position };
  }
  return { ...readLeadingNoun(tokens, prompt), ...position };
}

/** "link called X", 'field "X"': the noun before the name. */
function readLeadingNoun(tokens: readonly Token[], prompt: string): Target {
  const noun = findNoun(tokens, "first");
  const next = tokens[noun?.length ?? 0];
  const isNamed = NAMED.has(next?.word ?? "");
  if (noun === null || !(isNamed || next?.kind === "quoted")) return { name: textOf(tokens, prompt) };
  return { role: noun.role, name: textOf(tokens.slice(noun.length + (isNamed ? 1 : 0)), prompt) };
}

/** "the first Edit link" counts links; "First name" and "Last page" are names. */
function readPosition(all: readonly Token[]): { tokens: readonly Token[]; position: Pick<Target, "nth"> } {
  const tokens = stripArticles(all);
  const nth = readOrdinal(tokens[0]?.word);
  const isBare = tokens.length === all.length && /^\p{Lu}/u.test(tokens[0]?.text ?? "");
  const isName = isBare || tokens[1]?.word === "name" || tokens.length === 1;
  return nth === null || isName ? { tokens, position: {} } : { tokens: tokens.slice(1), position: { nth } };
}

/** "… link", "text area …". A quoted text alone is a name. */
function findNoun(tokens: readonly Token[], at: "first" | "last"): { role: string; length: number } | null {
  for (let length = Math.min(LONGEST_NOUN, tokens.length); length > 0; length--) {
    const words = at === "last" ? tokens.slice(-length) : tokens.slice(0, length);
    const role = ROLES.get(words.map(({ word }) => word).join(" "));
    if (role !== undefined) return { role, length };
  }
  return null;
}
