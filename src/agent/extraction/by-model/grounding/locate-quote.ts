import { squeeze } from "../../records/read-text.ts";

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
export function locateQuote(text: string, quote: string, folded = foldText(text)): Occurrence[] {
  const wanted = foldText(squeeze(quote));
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
export function foldText(text: string): string {
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
