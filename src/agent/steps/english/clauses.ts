/** A word, a quoted text or a punctuation mark of a prompt. */
export interface Token {
  readonly kind: "word" | "quoted" | "mark" | "line";
  /** As written; of a quoted text, what is between the quotation marks. */
  readonly text: string;
  /** The text in lower case; empty for quoted texts, which never match a word of the grammar. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** What stands between two separators, and whether a sentence ends after it. */
export interface Clause {
  readonly tokens: readonly Token[];
  readonly endsSentence: boolean;
}

/** An apostrophe inside a word closes nothing. */
const QUOTATION =
  /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|`[^`]*`|'[^\n]{1,499}?'(?=[\s,.;:!?)]|$)|‘[^\n]{1,499}?’(?=[\s,.;:!?)]|$)/y;
const SPACE = /\s/;
const OPENING_INSIDE = /["“„«]/;
const URL_START = /^\(*(?:https?:\/|\/)/i;

/** Reads each character a few times, whatever the text. */
export function tokenize(prompt: string): Token[] {
  const tokens: Token[] = [];
  const findQuotation = createQuotationFinder(prompt);
  for (let at = 0; at < prompt.length; ) {
    const start = at;
    const quotation = findQuotation(start);
    if (SPACE.test(prompt[start] ?? "")) {
      at += 1;
      if (prompt[start] === "\n" && tokens.at(-1)?.kind !== "line")
        tokens.push({ kind: "line", text: "\n", word: "\n", start, end: at });
    } else if (quotation !== null) {
      at += quotation.length;
      tokens.push({ kind: "quoted", text: quotation.slice(1, -1), word: "", start, end: at });
    } else {
      at = findWordEnd(prompt, start, findQuotation);
      addWord(prompt, start, at, tokens);
    }
  }
  return tokens;
}

type FindQuotation = (at: number) => string | null;

/** The quotation that opens at a place; null when none does. The rest of the text is searched once for what closes it. */
function createQuotationFinder(prompt: string): FindQuotation {
  const unclosed = new Set<string>();
  return (at) => {
    const opening = prompt[at] ?? "";
    if (unclosed.has(opening)) return null;
    QUOTATION.lastIndex = at;
    const found = QUOTATION.exec(prompt)?.[0] ?? null;
    // Single quotation marks are short, so they are searched again.
    if (found === null && /["“„«`]/.test(opening)) unclosed.add(opening);
    return found;
  };
}

/** Up to the next space, or to a quotation. In a URL any character can stand. */
function findWordEnd(prompt: string, at: number, findQuotation: FindQuotation): number {
  const isUrl = URL_START.test(prompt.slice(at, at + 9));
  let end = at + 1;
  while (end < prompt.length && !SPACE.test(prompt[end] ?? "")) {
    if (!isUrl && OPENING_INSIDE.test(prompt[end] ?? "") && findQuotation(end) !== null) break;
    end += 1;
  }
  return end;
}

const MARKS = new Set(", ; : . ! ? ( )".split(" "));

/** Punctuation at either end of a word is a token of its own; inside a word (3.50, /a:b, e.g.) it belongs to the word. */
function addWord(prompt: string, start: number, end: number, tokens: Token[]): void {
  let [from, to] = [start, end];
  while (from < to && prompt[from] === "(") tokens.push(markAt(prompt, from++));
  const trailing: Token[] = [];
  let unopened: number | null = null;
  while (to > from && MARKS.has(prompt[to - 1] ?? "")) {
    // The bracket that closes one inside the word belongs to it: "/wiki/Oak_(tree)".
    if (prompt[to - 1] === ")") {
      unopened ??= countUnopened(prompt.slice(from, to));
      if (unopened-- <= 0) break;
    }
    trailing.push(markAt(prompt, --to));
  }
  if (to > from) tokens.push(...toWords(prompt, from, to));
  tokens.push(...trailing.reverse());
}

/** How many brackets are closed that were not opened. */
function countUnopened(word: string): number {
  return word.split(")").length - word.split("(").length;
}

/** "What's" is two words. */
function toWords(prompt: string, start: number, end: number): Token[] {
  const text = prompt.slice(start, end);
  const word = text.toLowerCase().replaceAll("’", "'");
  if (!/^(?:what|who|when|where|there|it)'s$/.test(word)) return [{ kind: "word", text, word, start, end }];
  return [
    { kind: "word", text: text.slice(0, -2), word: word.slice(0, -2), start, end: end - 2 },
    { kind: "word", text: "is", word: "is", start: end - 2, end },
  ];
}

function markAt(prompt: string, at: number): Token {
  const text = prompt[at] ?? "";
  return { kind: "mark", text, word: text, start: at, end: at + 1 };
}

const SENTENCE_ENDS = new Set([".", "!", "?", ";"]);
const CONNECTORS = new Set("and then next afterwards finally also please now first firstly after that".split(" "));

/**
 * Splits a prompt into clauses. A sentence or line always ends one. A comma, "and" or "then" ends one only before a word that
 * can begin a clause, so "Terms and Conditions" and "Name with Jo and City with Ghent" stay whole; and not between two
 * capitalised words at the end of a clause, so "Save and Close" is a name.
 */
export function splitClauses(tokens: readonly Token[], beginsClause: BeginsClause): Clause[] {
  const clauses: Clause[] = [];
  const beginnings = findBeginnings(tokens);
  let open: Token[] = [];
  let number = 0;
  const close = (endsSentence: boolean) => {
    const kept = stripConnectors(open, endsSentence);
    if (kept.length > 0) clauses.push({ tokens: kept, endsSentence });
    else if (endsSentence && clauses.length > 0) clauses.push({ ...(clauses.pop() as Clause), endsSentence });
    open = [];
  };
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "line") {
      close(true);
    } else if (isNumbering(open, token)) {
      number = Number(open[0]?.text);
      open = [];
    } else if (number > 0 && isNextNumber(tokens, index, number + 1, beginsClause)) {
      close(true);
      open = [token];
    } else if (isSentenceEnd(tokens, index, beginsClause)) {
      close(true);
    } else if (isSeparator(token) && isBoundary(tokens, index, beginnings[index] ?? tokens.length, beginsClause)) {
      close(false);
    } else {
      open.push(token);
    }
  }
  close(true);
  return clauses;
}

type BeginsClause = (rest: readonly Token[]) => boolean;

/** The "1." before a step. */
function isNumbering(open: readonly Token[], { text }: Token): boolean {
  return open.length === 1 && (text === "." || text === ")") && /^\d{1,3}$/.test(open[0]?.text ?? "");
}

/** The " 2." of "1. Open the cart 2. Click Checkout". */
function isNextNumber(tokens: readonly Token[], index: number, number: number, beginsClause: BeginsClause): boolean {
  const mark = tokens[index + 1]?.text;
  if (tokens[index]?.text !== String(number) || (mark !== "." && mark !== ")")) return false;
  return beginsClause(tokens.slice(index + 2, index + 6));
}

const ABBREVIATIONS = new Set("no nr mr mrs ms dr st vs e.g i.e approx".split(" "));

function isSentenceEnd(tokens: readonly Token[], index: number, beginsClause: BeginsClause): boolean {
  const { kind, text } = tokens[index] as Token;
  const [before, next] = [tokens[index - 1], tokens[index + 1]];
  if (kind !== "mark" || !SENTENCE_ENDS.has(text)) return false;
  if (next?.kind !== "word" || text !== ".") return true;
  if (ABBREVIATIONS.has(before?.word ?? "")) return false;
  return /^[\p{Lu}\p{N}]/u.test(next.text) || beginsClause(tokens.slice(index + 1, index + 5));
}

function isSeparator({ kind, word }: Token): boolean {
  return (kind === "mark" && (word === "," || word === ":")) || word === "and" || word === "then";
}

/** For each token, the first from there on that neither separates nor connects clauses. */
function findBeginnings(tokens: readonly Token[]): Int32Array {
  const beginnings = new Int32Array(tokens.length);
  for (let at = tokens.length - 1; at >= 0; at--) {
    const token = tokens[at] as Token;
    beginnings[at] = isSeparator(token) || CONNECTORS.has(token.word) ? (beginnings[at + 1] ?? tokens.length) : at;
  }
  return beginnings;
}

function isBoundary(tokens: readonly Token[], index: number, beginning: number, beginsClause: BeginsClause): boolean {
  const after = tokens[beginning];
  if (after === undefined || after.kind === "line" || tokens[index]?.text === "then") return true;
  return !isInName(tokens, index, beginning) && beginsClause(tokens.slice(beginning, beginning + 4));
}

const BEHIND_NAMES = new Set("in on under below next beside button link tab menu field".split(" "));

/** The "and" of "Save and Close". In "… as Jo and Click Save" more follows, so that is a step of its own. */
function isInName(tokens: readonly Token[], index: number, beginning: number): boolean {
  const [before, after, behind] = [tokens[index - 1], tokens[index + 1], tokens[index + 2]];
  const isCapital = (token: Token | undefined) => token?.kind === "word" && /^\p{Lu}/u.test(token.text);
  if (tokens[index]?.word !== "and" || beginning !== index + 1 || !isCapital(before) || !isCapital(after)) return false;
  return behind === undefined || behind.kind !== "word" || isSeparator(behind) || BEHIND_NAMES.has(behind.word);
}

/** "then", "and then", "please", "1.", "-" before a clause. Nothing is dropped that could be a clause by itself. */
function stripConnectors(tokens: readonly Token[], endsSentence: boolean): Token[] {
  let at = 0;
  for (; at < tokens.length; at++) {
    const { kind, word, text } = tokens[at] as Token;
    const isBullet = kind === "word" && /^[-*•–]$/.test(text) && at === 0;
    if (isBullet || (kind === "mark" && text !== "(")) continue;
    if (kind === "word" && CONNECTORS.has(word) && !(word === "after" && tokens[at + 1]?.word !== "that")) continue;
    break;
  }
  at += countPolite(tokens.slice(at, at + 5));
  const isNamed = endsSentence && at === tokens.length && tokens.some(({ word }) => NAMES.has(word));
  return withoutTail(isNamed ? tokens : tokens.slice(at));
}

const POLITE = /^(?:(?:could|can|would|will) you(?: please)?|i(?: want|'d like| would like) you to) /;

/** The words of "could you", "I want you to" before a clause. */
function countPolite(tokens: readonly Token[]): number {
  const said = POLITE.exec(tokens.map(({ word }) => `${word} `).join(""))?.[0] ?? "";
  return said.split(" ").length - 1;
}

/** Connectors that are names of buttons too. */
const NAMES = new Set(["next", "first"]);

function withoutTail(tokens: readonly Token[]): Token[] {
  let end = tokens.length;
  while (end > 0 && isTail(tokens[end - 1] as Token)) end--;
  return tokens.slice(0, end);
}

function isTail({ kind, word }: Token): boolean {
  return (kind === "mark" && word !== ")") || word === "and" || word === "then" || word === "please";
}

/** The part of the prompt that the tokens stand for, as written; a single quoted text without its quotation marks. */
export function textOf(tokens: readonly Token[], prompt: string): string {
  const [only, ...more] = tokens;
  return only?.kind === "quoted" && more.length === 0 ? only.text : writtenAs(tokens, prompt);
}

/** With all quotation marks. Tokens that do not follow each other stand for nothing: an empty text would be entered. */
export function writtenAs(tokens: readonly Token[], prompt: string): string {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (first === undefined || last === undefined) return "";
  if (last.end < first.end) throw new Error("The tokens are not in the order of the prompt.");
  return prompt.slice(first.start, last.end);
}

/** The parts between separators. */
export function splitAt(tokens: readonly Token[], separates: (token: Token) => boolean): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (separates(token)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.filter(({ length }) => length > 0);
}

/** Two conditions or two names, of which nobody says which one is meant. */
export function isOr({ word, text }: Token): boolean {
  return word === "or" && text === word;
}
