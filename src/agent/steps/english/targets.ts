import type { Target, Within } from "../step.ts";
import type { Token } from "./clauses.ts";
import { textOf } from "./clauses.ts";
import { matchPattern, parsePattern } from "./pattern.ts";

/** What people call elements, and the role that find-target.ts knows. The longest name comes first. */
const NOUNS: readonly (readonly [string, string])[] = [
  ["menu item", "menu item"],
  ["menu entry", "menu item"],
  ["search results", "result"],
  ["search result", "result"],
  ["search field", "search field"],
  ["search box", "search field"],
  ["search bar", "search field"],
  ["column header", "column header"],
  ["column heading", "column header"],
  ["text area", "text area"],
  ["text editor", "text area"],
  ["text field", "field"],
  ["text box", "field"],
  ["input field", "field"],
  ["input box", "field"],
  ["check box", "checkbox"],
  ["radio button", "radio"],
  ["drop-down list", "list"],
  ["drop-down menu", "list"],
  ["dropdown list", "list"],
  ["dropdown menu", "list"],
  ["select box", "list"],
  ["combo box", "list"],
  ["link", "link"],
  ["hyperlink", "link"],
  ["button", "button"],
  ["icon", "button"],
  ["tab", "tab"],
  ["textarea", "text area"],
  ["text", "text area"],
  ["editor", "text area"],
  ["field", "field"],
  ["box", "field"],
  ["input", "field"],
  ["textbox", "field"],
  ["checkbox", "checkbox"],
  ["tickbox", "checkbox"],
  ["radio", "radio"],
  ["dropdown", "list"],
  ["drop-down", "list"],
  ["combobox", "list"],
  ["option", "option"],
  ["switch", "switch"],
  ["toggle", "switch"],
  ["heading", "heading"],
  ["image", "image"],
  ["picture", "image"],
  ["result", "result"],
];
const LONGEST_NOUN = 2;
const ROLES = new Map(NOUNS);

const ORDINALS = new Map([
  ["first", 1],
  ["second", 2],
  ["third", 3],
  ["fourth", 4],
  ["fifth", 5],
  ["sixth", 6],
  ["seventh", 7],
  ["eighth", 8],
  ["ninth", 9],
  ["tenth", 10],
  ["last", -1],
] as const);

export function readOrdinal(word: string | undefined): number | null {
  if (word === undefined) return null;
  const number = /^(\d{1,3})(?:st|nd|rd|th)$/.exec(word)?.[1];
  return number === undefined ? (ORDINALS.get(word as "first") ?? null) : Number(number);
}

/** Where on the page: what stands behind the element in the sentence. */
const PLACES = (
  [
    ["{target} in the row (of|for|with|containing|called|named|that says) {place}", (row) => ({ row })],
    ["{target} in the (entry|item) (of|for|with|containing|called|named) {place}", (row) => ({ row })],
    ["{target} in the {place} row", (row) => ({ row: readOrdinal(row.toLowerCase()) ?? row })],
    ["{target} in row {place}", (row) => ({ row })],
    ["{target} (next to|beside) [the] {place}", (row) => ({ row })],
    ["{target} in the dialog (called|named) {place}", (dialog) => ({ dialog })],
    ["{target} in the {place} (dialog|pop-up|popup|window)", (dialog) => ({ dialog })],
    ["{target} in the {place} form", (form) => ({ form })],
    ["{target} in the form (called|named|with) {place}", (form) => ({ form })],
    ["{target} (in|under|below) the (section|heading) [called|named] {place}", (section) => ({ section })],
    [
      "{target} (in|under|below) the {place} (section|heading|area|panel|menu|sidebar|table)",
      (section) => ({ section }),
    ],
    ["{target} (under|below) {place}", (section) => ({ section })],
  ] satisfies [string, (text: string) => Within][]
).map(([source, toWithin]) => ({ pattern: parsePattern(source), toWithin }));
const IN_DIALOG = parsePattern("{target} in the (dialog|pop-up|popup|window)");
const ON_PAGE = parsePattern("{target} (on the page|on this page|in the list|in the table|in the results|in the menu)");
const IN_HEADER = parsePattern("{target} (at the top|in the header|in the heading) of the (table|list|column)");
const OF_ROW = parsePattern("{target} (of|for) {place}");

const ARTICLES = new Set(["the", "a", "an", "its", "their", "my", "your", "our", "this", "that"]);
const POSSESSIVES = new Set(["my", "your", "our"]);
const NAMED = new Set(["called", "named", "labelled", "labeled", "titled", "that says", "saying"]);

/** "the second Edit link in the row of Larch" as a target. Null when the words name nothing. */
export function readTarget(tokens: readonly Token[], prompt: string): Target | null {
  const onPage = matchPattern(ON_PAGE, tokens)?.["target"];
  if (onPage !== undefined) return readTarget(onPage, prompt);
  const inHeader = matchPattern(IN_HEADER, tokens)?.["target"];
  if (inHeader !== undefined) return { ...readPlain(inHeader, prompt), role: "column header" };
  const inDialog = matchPattern(IN_DIALOG, tokens)?.["target"];
  if (inDialog !== undefined) return withPlace(readPlain(inDialog, prompt), { dialog: true });
  for (const { pattern, toWithin } of PLACES) {
    const { target, place } = matchPattern(pattern, tokens) ?? {};
    if (target !== undefined && place !== undefined) {
      return withPlace(readPlain(target, prompt), toWithin(nameOf(place, prompt)));
    }
  }
  // "the Edit link of Larch"; but "Table of contents" is a name.
  const { target, place } = matchPattern(OF_ROW, tokens) ?? {};
  if (target !== undefined && place !== undefined && findNoun(target) !== null) {
    const element = readPlain(target, prompt);
    if (element?.name !== undefined) return withPlace(element, { row: nameOf(place, prompt) });
  }
  return readPlain(tokens, prompt);
}

function withPlace(target: Target | null, within: Within): Target | null {
  return target === null ? null : { ...target, within };
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

function readPlain(all: readonly Token[], prompt: string): Target | null {
  if (saysMore(all)) return null;
  const { tokens, position } = readPosition(all);
  // "Contact list" is a name.
  if (tokens.length === 1 && tokens[0]?.word === "list") return { role: "list", ...position };
  const noun = findNoun(tokens);
  if (noun !== null) {
    const name = nameOf(tokens.slice(0, -noun.length), prompt);
    return { role: noun.role, ...(name === "" ? {} : { name }), ...position };
  }
  const leading = findLeadingNoun(tokens);
  if (leading !== null) {
    const rest = tokens.slice(leading.length);
    const name = textOf(NAMED.has(rest[0]?.word ?? "") ? rest.slice(1) : rest, prompt);
    return name === "" ? null : { role: leading.role, name, ...position };
  }
  const name = textOf(tokens, prompt);
  return name === "" ? null : { name, ...position };
}

/** "the first Edit link" counts links; "First name" and "Last page" are names. */
function readPosition(all: readonly Token[]): { tokens: readonly Token[]; position: Pick<Target, "nth"> } {
  const tokens = stripArticles(all);
  const nth = readOrdinal(tokens[0]?.word);
  const isBare = tokens.length === all.length && /^\p{Lu}/u.test(tokens[0]?.text ?? "");
  const isName = isBare || tokens[1]?.word === "name" || tokens.length === 1;
  return nth === null || isName ? { tokens, position: {} } : { tokens: tokens.slice(1), position: { nth } };
}

interface Noun {
  readonly role: string;
  readonly length: number;
}

/** "… link", "… text area". A quoted text alone is a name. */
function findNoun(tokens: readonly Token[]): Noun | null {
  for (let length = Math.min(LONGEST_NOUN, tokens.length); length > 0; length--) {
    const role = ROLES.get(
      tokens
        .slice(-length)
        .map(({ word }) => word)
        .join(" "),
    );
    if (role !== undefined) return { role, length };
  }
  return null;
}

/** "link called X", "field X": the noun before the name. */
function findLeadingNoun(tokens: readonly Token[]): Noun | null {
  for (let length = Math.min(LONGEST_NOUN, tokens.length - 1); length > 0; length--) {
    const role = ROLES.get(
      tokens
        .slice(0, length)
        .map(({ word }) => word)
        .join(" "),
    );
    const next = tokens[length];
    if (role !== undefined && (next?.kind === "quoted" || NAMED.has(next?.word ?? ""))) return { role, length };
  }
  return null;
}
