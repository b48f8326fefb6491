import { collapseWhitespace, dropUnseen, hasUnseen } from "../../browser/observation/visible-text.ts";

/**
 * The quote as the text has it, or null. Case, whitespace and the kind of quotation mark or dash do not matter. A quote never
 * starts or ends inside a word or a number: "€1" is not in "€12.00", "2" is not in "1.2", and "5" is not in "-5". Callers
 * that search the same text often fold it once.
 */
export function findQuote(text: string, quote: string, folded: string = foldText(text)): string | null {
  const wanted = foldText(collapseWhitespace(quote));
  const at = indexOfWhole(text, wanted, 0, folded);
  if (at !== -1) return text.slice(at, at + wanted.length);
  // Copied text may have invisible characters and icons that the page does not have.
  return hasUnseen(quote) ? findQuote(text, dropUnseen(quote), folded) : null;
}

/** So many near misses only occur on a page that is made to be slow. */
const MAX_NEAR_MISSES = 20_000;

/** The first occurrence from a position on that is not cut out of a longer word or number; -1 without one. */
export function indexOfWhole(text: string, wanted: string, from = 0, searched: string = text): number {
  if (wanted === "") return -1;
  let at = searched.indexOf(wanted, from);
  for (let misses = 0; at !== -1 && misses < MAX_NEAR_MISSES; misses += 1) {
    if (!isCutAt(text, at) && !isCutAt(text, at + wanted.length)) return at;
    at = searched.indexOf(wanted, at + 1);
  }
  return -1;
}

/** One occurrence of a quote in the text of a page. */
export interface Occurrence {
  /** As the page has it, where the quote differs in quotation marks, dashes or case. */
  readonly quote: string;
  /** The quote with the rest of the words it starts or ends in: "12" in "€12.50" is not a price. */
  readonly whole: string;
  /** The word before it, which may negate it: "not available". */
  readonly before: string;
}

const MAX_OCCURRENCES = 50;

/** Every occurrence of a quote, including those inside longer words: the caller decides by `whole`. */
export function findOccurrences(text: string, quote: string, folded: string = foldText(text)): Occurrence[] {
  const wanted = foldText(collapseWhitespace(quote));
  if (wanted === "") return [];
  const found: Occurrence[] = [];
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + 1)) {
    found.push(toOccurrence(text, at, at + wanted.length));
    if (found.length >= MAX_OCCURRENCES) break;
  }
  return found;
}

function toOccurrence(text: string, start: number, end: number): Occurrence {
  const from = text.lastIndexOf(" ", start - 1) + 1;
  const space = text.indexOf(" ", end);
  const whole = text.slice(text[start] === " " ? start : Math.min(from, start), space === -1 ? undefined : space);
  const before = /(\S+)\s$/.exec(text.slice(Math.max(0, from - 40), from))?.[1] ?? "";
  return { quote: text.slice(start, end), whole: whole.trim(), before };
}

/** The text as it is compared, character by character, so that every position stays where it was. */
export function foldText(text: string): string {
  return text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’‚]/g, "'")
    .replace(/[–—−‑]/g, "-")
    .replace(/[\u00a0\u2007\u2009\u202f]/g, " ")
    .replace(/\p{Lu}/gu, toLowerCase);
}

function toLowerCase(letter: string): string {
  const lower = letter.toLowerCase();
  return lower.length === letter.length ? lower : letter;
}

/** As many visible characters as the rules below need. */
const NEIGHBOURS = 10;
/** Digits are grouped by these; a plain space is not among them, as it also separates two numbers. */
const GROUP_MARK = "['’\\u00a0\\u2007\\u2009\\u202f]";
/** The texts before and after a position inside a word or a number. */
const CUTS: readonly (readonly [RegExp, RegExp])[] = [
  [/[\p{L}\p{N}]$/u, /^[\p{L}\p{N}]/u],
  [/$/, /^\p{M}/u],
  // "12|.50", "12.|50", and "12 |.50" where a page sets the cents in an element of their own.
  [/\p{Nd}$/u, /^ ?[.,\u2044]\p{Nd}/u],
  [/\p{Nd} ?[.,\u2044]$/u, /^\p{Nd}/u],
  // ".|50" is 0.50; "...|50 more" and "end.|50" are not.
  [/(?:^|[^\p{L}\p{N}.,])[.,]$/u, /^\p{Nd}/u],
  // "1'|234"
  [new RegExp(`\\p{Nd}${GROUP_MARK}$`, "u"), /^\p{Nd}{3}(?!\p{Nd})/u],
  [/\p{Nd}$/u, new RegExp(`^${GROUP_MARK}\\p{Nd}{3}(?!\\p{Nd})`, "u")],
  // A glyph of the page's own font between digits may be a digit.
  [/\p{Nd}\p{Co}+$/u, /^\p{Nd}/u],
  [/\p{Nd}$/u, /^\p{Co}+\p{Nd}/u],
  // "-|5", "-|€5", "€-|5". Shops write "-20%" for 20 % off, so a percentage may be quoted without it.
  [/(?:^|[\s([{:=€£$¥])[-−–]$/u, /^(?:[€£$¥]\s?)?\p{Nd}(?![\p{Nd}.,]*\s?%)/u],
];

/** Whether this position is inside a word or a number. Invisible characters do not end a word. */
function isCutAt(text: string, at: number): boolean {
  const [left, right] = [text[at - 1], text[at]];
  if (left === undefined || right === undefined || left === " ") return false;
  if (right === " " && !/[.,\u2044]/.test(text[at + 1] ?? "")) return false;
  // The common cases first: a page may have very many.
  if (/[\da-z]/i.test(left) && /[\da-z]/i.test(right)) return true;
  if (/\d/.test(left) && /[.,]/.test(right) && /\d/.test(text[at + 1] ?? "")) return true;
  const [before, after] = [visibleBefore(text, at), visibleAfter(text, at)];
  return CUTS.some(([end, start]) => end.test(before) && start.test(after));
}

function visibleBefore(text: string, at: number): string {
  let found = "";
  for (let index = at; index > 0 && found.length < NEIGHBOURS; ) {
    const isPair = (text.codePointAt(index - 2) ?? 0) > 0xffff;
    index -= isPair ? 2 : 1;
    const character = text.slice(index, index + (isPair ? 2 : 1));
    if (!isInvisible(character)) found = character + found;
  }
  return found;
}

function visibleAfter(text: string, at: number): string {
  let found = "";
  for (let index = at; index < text.length && found.length < NEIGHBOURS; ) {
    const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
    index += character.length;
    if (!isInvisible(character)) found += character;
  }
  return found;
}

/** Zero-width spaces and joiners, soft hyphens, direction marks, variation selectors. */
function isInvisible(character: string): boolean {
  return character > "\u007f" && /^(?:\p{Cf}|[\ufe00-\ufe0f])$/u.test(character);
}
