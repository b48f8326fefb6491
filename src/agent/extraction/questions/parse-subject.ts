import { parseRowFilter, type RowFilter } from "../row-filter.ts";
import type { Subject } from "./question.ts";

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const EXTREMES: readonly [RegExp, string, "least" | "most"][] = [
  [/^(?:cheapest|least expensive|lowest[- ]priced?|most affordable)\s+/i, "price", "least"],
  [/^(?:most expensive|dearest|priciest|costliest|highest[- ]priced?)\s+/i, "price", "most"],
  [/^(?:newest|latest|most recent|youngest)\s+/i, "date", "most"],
  [/^(?:oldest|earliest)\s+/i, "date", "least"],
  [/^(?:best|highest|top)[- ]rated\s+/i, "rating", "most"],
  [/^(?:worst|lowest)[- ]rated\s+/i, "rating", "least"],
];
const MOST = /^(?:the )?(?:highest|largest|biggest|greatest|most|maximum|longest)\s+(.+)$/i;
const LEAST = /^(?:the )?(?:lowest|smallest|fewest|least|minimum|shortest)\s+(.+)$/i;
const HERE =
  /\s+(?:(?:listed|shown|displayed|available)\s+)?(?:on|in) (?:this|the|my|your)(?: current)? (?:page|list|table|results?|search results|catalogue|shop|store|site|cart|basket|account|history|inbox)$/i;
const FILTER_START =
  /\s+(?=(?:under|below|over|above|cheaper|costs?|costing|priced|with|whose|which|that|have|has|having|in stock|out of stock|between|from|since|before|after|rated|containing|called|named|at least|at most|less than|more than|not)\b|(?:in|on|at) \p{L}{2,20} #?\d{1,6}\b)/iu;
const EVERY = /^(?:all(?: of)?(?: the)?|every|each)\s+(.+)$/i;
const FIRST_SOME = new RegExp(`^(?:first|top)\\s+(\\d{1,4}|${NUMBERS.join("|")})\\s+(.+)$`, "i");

const SOME_EXTREME = new RegExp(`^(\\d{1,4}|${NUMBERS.slice(1).join("|")})\\s+(.+)$`, "i");

/** "the Brindle Kettle", "the newest order", "the first result", "all products under £20". */
export function parseSubject(text: string): Subject {
  const words = trimSubject(text);
  return (
    parseExtreme(words) ??
    parseExtremes(words) ??
    parsePosition(words) ??
    parseEvery(words) ?? { kind: "named", name: words.replace(/^["“](.*)["”]$/, "$1") }
  );
}

/** Without the article and without "on this page". */
export function trimSubject(text: string): string {
  return text
    .trim()
    .replace(HERE, "")
    .replace(/^(?:the|an?|my|your|this|that)\s+/i, "")
    .trim();
}

/** "cheapest", "highest total": by what, and which end. Null for anything else. */
export function parseSuperlative(text: string): { by: string; direction: "least" | "most" } | null {
  for (const [pattern, by, direction] of EXTREMES) if (pattern.test(`${text} `)) return { by, direction };
  const most = MOST.exec(text)?.[1];
  if (most !== undefined) return { by: most, direction: "most" };
  const least = LEAST.exec(text)?.[1];
  return least === undefined ? null : { by: least, direction: "least" };
}

/** A noun with what narrows it down: "orders from 2026". Null when the rest is not understood. */
export function parseNarrowed(text: string): { noun: string; filter: RowFilter | null } | null {
  const words = trimSubject(text);
  const [noun = "", ...rest] = words.split(FILTER_START);
  if (rest.length === 0) return { noun: words, filter: null };
  const filter = parseRowFilter(words.slice(noun.length));
  return filter === null ? null : { noun, filter };
}

function parseExtreme(words: string): Subject | null {
  for (const [pattern, by, direction] of EXTREMES) {
    if (pattern.test(`${words} `))
      return { kind: "extreme", noun: `${words} `.replace(pattern, "").trim(), by, direction };
  }
  const [, noun, superlative] = /^(.+?) with the (.+)$/i.exec(words) ?? [];
  const extreme = superlative === undefined ? null : parseSuperlative(superlative);
  return extreme === null || noun === undefined ? null : { kind: "extreme", noun, ...extreme };
}

/** "3 cheapest products", "two most recent orders". */
function parseExtremes(words: string): Subject | null {
  const [, amount = "", rest = ""] = SOME_EXTREME.exec(words) ?? [];
  const extreme = rest === "" ? null : parseExtreme(rest);
  if (extreme?.kind !== "extreme") return null;
  const { noun, by, direction } = extreme;
  return { kind: "every", noun, filter: null, limit: readNumber(amount), order: { by, direction } };
}

function readNumber(text: string): number {
  return NUMBERS.indexOf(text.toLowerCase()) + 1 || Number(text);
}

function parsePosition(words: string): Subject | null {
  const [, word = "", noun = ""] = /^(\p{L}+|\d{1,4}(?:st|nd|rd|th))(?:\s+(.+))?$/iu.exec(words) ?? [];
  if (/^(?:\d|one\b)/.test(noun) || FIRST_SOME.test(words)) return null;
  const lower = word.toLowerCase();
  const index = ORDINALS.indexOf(lower);
  if (index !== -1) return { kind: "position", noun, index };
  if (lower === "last") return { kind: "position", noun, index: -1 };
  return /^\d/.test(word) ? { kind: "position", noun, index: Number.parseInt(word, 10) - 1 } : null;
}

function parseEvery(words: string): Subject | null {
  const [, amount, rest] = FIRST_SOME.exec(words) ?? [];
  const isMarked = amount !== undefined || EVERY.test(words);
  const narrowed = parseNarrowed(rest ?? EVERY.exec(words)?.[1] ?? words);
  if (narrowed === null || !(isMarked || narrowed.filter !== null || isPlural(narrowed.noun))) return null;
  return { kind: "every", ...narrowed, limit: amount === undefined ? null : readNumber(amount), order: null };
}

/** One plural noun in lower case: "orders", but no title such as "Les Misérables". */
function isPlural(noun: string): boolean {
  return /^[a-z]{3,}s(?: [a-z]+s)?$/.test(noun) && !/(?:ss|us|is)$/.test(noun);
}
