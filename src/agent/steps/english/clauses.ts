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

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "“": "”",
  "„": "“”",
  "«": "»",
  "'": "'",
  "‘": "’",
  "`": "`",
};
const MARKS = new Set([",", ";", ":", ".", "!", "?", "(", ")"]);
const MAX_QUOTE = 20_000;
const MAX_SINGLE_QUOTE = 500;

/** Reads each character once or twice, whatever the text. */
export function tokenize(prompt: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < prompt.length) {
    const character = prompt[at] ?? "";
    if (character === "\n") tokens.push({ kind: "line", text: "\n", word: "\n", start: at, end: at + 1 });
    if (/\s/.test(character)) {
      at += 1;
      continue;
    }
    const close = findClosing(prompt, at);
    if (close !== null) {
      tokens.push({ kind: "quoted", text: prompt.slice(at + 1, close), word: "", start: at, end: close + 1 });
      at = close + 1;
      continue;
    }
    const end = findWordEnd(prompt, at);
    addWord(prompt, at, end, tokens);
    at = end;
  }
  return tokens;
}

/** Where the quotation that opens here ends; null when none opens here. An apostrophe inside a word opens nothing. */
function findClosing(prompt: string, at: number): number | null {
  const closing = CLOSING[prompt[at] ?? ""];
  if (closing === undefined) return null;
  const isSingle = closing === "'" || closing === "’";
  const limit = Math.min(prompt.length, at + 1 + (isSingle ? MAX_SINGLE_QUOTE : MAX_QUOTE));
  for (let end = at + 1; end < limit; end++) {
    if (!closing.includes(prompt[end] ?? "")) {
      if (isSingle && prompt[end] === "\n") return null;
      continue;
    }
    if (!isSingle) return end;
    const next = prompt[end + 1] ?? " ";
    if (/[\s,.;:!?)]/.test(next) && end > at + 1) return end;
  }
  return null;
}

/** Up to the next space, or to a quotation that opens after "(" or ":". */
function findWordEnd(prompt: string, at: number): number {
  let end = at + 1;
  while (end < prompt.length && !/\s/.test(prompt[end] ?? "")) {
    if (/["“„«]/.test(prompt[end] ?? "")) break;
    end += 1;
  }
  return end;
}

/** Punctuation at either end of a word is a token of its own; inside a word (3.50, /a:b, e.g.) it belongs to the word. */
function addWord(prompt: string, start: number, end: number, tokens: Token[]): void {
  let [from, to] = [start, end];
  while (from < to && prompt[from] === "(") tokens.push(markAt(prompt, from++));
  const isUrl = /^(?:https?:|\/)/.test(prompt.slice(from, from + 6));
  const trailing: Token[] = [];
  while (to > from && MARKS.has(prompt[to - 1] ?? "") && !(isUrl && prompt[to - 1] === ")" && to - from > 1)) {
    trailing.unshift(markAt(prompt, --to));
  }
  if (to > from) tokens.push(...toWords(prompt, from, to));
  tokens.push(...trailing);
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
const CONNECTORS = new Set([
  "and",
  "then",
  "next",
  "afterwards",
  "finally",
  "also",
  "please",
  "now",
  "first",
  "firstly",
  "after",
  "that",
]);

/**
 * Splits a prompt into clauses. A sentence or line always ends one. A comma, "and" or "then" ends one only before a word that
 * can begin a clause, so "Terms and Conditions" and "Name with Jo and City with Ghent" stay whole; and not between two
 * capitalised words, so "Save and Close" is a name.
 */
export function splitClauses(tokens: readonly Token[], beginsClause: (rest: readonly Token[]) => boolean): Clause[] {
  const clauses: Clause[] = [];
  let open: Token[] = [];
  const close = (endsSentence: boolean) => {
    const kept = stripConnectors(open);
    if (kept.length > 0) clauses.push({ tokens: kept, endsSentence });
    else if (endsSentence && clauses.length > 0) clauses.push({ ...(clauses.pop() as Clause), endsSentence });
    open = [];
  };
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token.kind === "line") {
      close(true);
    } else if (isNumbering(open, token)) {
      open = [];
    } else if (token.kind === "mark" && SENTENCE_ENDS.has(token.text) && endsSentence(next, token)) {
      close(true);
    } else if (isSeparator(token) && isBoundary(tokens, index, open, beginsClause)) {
      close(false);
    } else {
      open.push(token);
    }
  }
  close(true);
  return clauses;
}

/** The "1." before a step. */
function isNumbering(open: readonly Token[], { text }: Token): boolean {
  return open.length === 1 && (text === "." || text === ")") && /^\d{1,3}$/.test(open[0]?.text ?? "");
}

function endsSentence(next: Token | undefined, { text }: Token): boolean {
  if (next === undefined || next.kind !== "word" || text === ";") return true;
  return /^[\p{Lu}\p{N}]/u.test(next.text) || text !== ".";
}

function isSeparator({ kind, word }: Token): boolean {
  return (kind === "mark" && (word === "," || word === ":")) || word === "and" || word === "then";
}

function isBoundary(
  tokens: readonly Token[],
  index: number,
  open: readonly Token[],
  beginsClause: (rest: readonly Token[]) => boolean,
): boolean {
  let at = index;
  while (tokens[at] !== undefined && (isSeparator(tokens[at] as Token) || CONNECTORS.has(tokens[at]?.word ?? ""))) at++;
  const [before, after] = [open.at(-1), tokens[at]];
  if (after === undefined || after.kind === "line") return true;
  const isName =
    tokens[index]?.word === "and" &&
    at === index + 1 &&
    before?.kind === "word" &&
    /^\p{Lu}/u.test(before.text) &&
    /^\p{Lu}/u.test(after.text);
  return !isName && beginsClause(tokens.slice(at, at + 4));
}

/** "then", "and then", "please", "1.", "-" before a clause. */
function stripConnectors(tokens: readonly Token[]): Token[] {
  let at = 0;
  for (; at < tokens.length; at++) {
    const { kind, word, text } = tokens[at] as Token;
    const isBullet = kind === "word" && /^[-*•–]$/.test(text) && at === 0;
    if (isBullet || (kind === "mark" && text !== "(")) continue;
    if (kind === "word" && CONNECTORS.has(word) && !(word === "after" && tokens[at + 1]?.word !== "that")) continue;
    break;
  }
  let end = tokens.length;
  while (end > at && isTail(tokens[end - 1] as Token)) end--;
  return tokens.slice(at, end);
}

function isTail({ kind, word }: Token): boolean {
  return (kind === "mark" && word !== ")") || word === "and" || word === "then" || word === "please";
}

/** The part of the prompt that the tokens stand for, as written; a single quoted text without its quotation marks. */
export function textOf(tokens: readonly Token[], prompt: string): string {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return "";
  return tokens.length === 1 && first.kind === "quoted" ? first.text : prompt.slice(first.start, last.end);
}
