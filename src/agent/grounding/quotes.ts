import { collapseWhitespace } from "./page-text.ts";

/** What people and models write in place of the sign that stands on the page; each as long as what it replaces. */
const LIKE: ReadonlyMap<string, string> = new Map([
  ["’", "'"],
  ["‘", "'"],
  ["“", '"'],
  ["”", '"'],
  ["–", "-"],
  ["—", "-"],
  ["−", "-"],
]);

/**
 * The words as they stand in a text, or null. Case and the kind of quotation mark do not matter, ends of words and of
 * numbers do: "€1" does not stand in "€12.00", and "2" does not stand in "1.2". Whoever looks often folds the text once.
 */
export function findVerbatim(text: string, wanted: string, folded: string = foldText(text)): string | null {
  const [hay, needle] = [folded, foldText(wanted.replace(/\s+/g, " ").trim())];
  if (needle === "" || hay.length !== text.length) return null;
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    if (!isCut(hay, at) && !isCut(hay, end)) return text.slice(at, end);
  }
  return null;
}

/** The text as it is compared. */
export function foldText(text: string): string {
  return text
    .replace(/[’‘“”–—−]/g, (sign) => LIKE.get(sign) ?? sign)
    .replace(/[A-Z\u00c0-\u00de]/g, (sign) => sign.toLowerCase());
}

/** Whether a word or a number runs on across this place. */
function isCut(text: string, at: number): boolean {
  const [before = "", after = ""] = [text[at - 1], text[at]];
  if (/[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after)) return true;
  const isBehindSeparator = /[.,]/.test(before) && /\d/.test(after) && /\d/.test(text[at - 2] ?? "");
  return isBehindSeparator || (/\d/.test(before) && /[.,]/.test(after) && /\d/.test(text[at + 1] ?? ""));
}

/** A place in the text of a page where a quote stands. */
export interface Occurrence {
  /** The words of the page itself, where the quote differs from them in quotation marks, dashes or case. */
  readonly quote: string;
  /** The same, with the rest of the words that it cuts: "12" of "€12.50" is no price. */
  readonly whole: string;
  /** The word before it, as it may turn its meaning round: "not available". */
  readonly before: string;
}

const MAX_OCCURRENCES = 50;

/** Where a quote stands in a text, word for word; only white space, case and the kind of quotation marks may differ. */
export function locateQuote(text: string, quote: string, folded = foldForQuotes(text)): Occurrence[] {
  const wanted = foldForQuotes(collapseWhitespace(quote));
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

/** Letter by letter, so that every place stays where it is. */
export function foldForQuotes(text: string): string {
  return text
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’‚]/g, "'")
    .replace(/[–—−‑]/g, "-")
    .replace(/[\u00a0\u202f\u2009]/g, " ")
    .replace(/\p{Lu}/gu, lower);
}

function lower(letter: string): string {
  const small = letter.toLowerCase();
  return small.length === letter.length ? small : letter;
}
