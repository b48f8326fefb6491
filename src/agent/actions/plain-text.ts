import { toVisibleText } from "../../browser/observation/visible-text.ts";

/** Text for comparison: without case and width variants and invisible characters, with single spaces. */
export function toPlain(text: string): string {
  return toVisibleText(text.normalize("NFKC")).toLowerCase();
}

/** Letters and digits only. */
export function toLettersAndDigits(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Text from outside in a message: one line, limited in length. */
export function quote(text: string, maxLength = 80): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length <= maxLength ? line : `${line.slice(0, maxLength)}…`}"`;
}

/**
 * How a text that a field holds differs from the one that was asked for. `spacing`: only in spaces and blank lines;
 * `typography`: only in characters that look alike, such as typographic quotes.
 */
export interface TextDifference {
  readonly kind: "none" | "spacing" | "typography" | "other";
  /** The first difference, for messages. */
  readonly words: string;
}

export function compareTexts(wanted: string, held: string): TextDifference {
  const [expected, actual] = [wanted, held].map(normalizeText) as [string, string];
  if (expected === actual) return { kind: "none", words: "" };
  const words = describeDifference(expected.split("\n"), actual.split("\n"));
  if (toBareLines(expected) === toBareLines(actual)) return { kind: "spacing", words };
  const isTypography = toBareLines(toStraight(expected)) === toBareLines(toStraight(actual));
  return { kind: isTypography ? "typography" : "other", words };
}

/** Without what nobody sees: the kind of a space, spaces at the end of a line and line breaks at the end. */
function normalizeText(text: string): string {
  return text
    .normalize("NFC")
    .replace(/\r\n?/g, "\n")
    .replace(/[\u200b\u2060\ufeff\u00ad]/g, "")
    .replace(/[^\S\n\t]/g, " ")
    .replace(/[^\S\n]+(?=\n|$)/g, "")
    .replace(/\n+$/, "");
}

function toBareLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}

function toStraight(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[‘’‚‛′]/g, "'")
    .replace(/[“”„‟″«»]/g, '"')
    .replace(/[‐‑‒–—―−]+/g, "-")
    .replace(/-+/g, "-")
    .replace(/\.{3}/g, "…")
    .replace(/…/g, "...");
}

function describeDifference(expected: readonly string[], actual: readonly string[]): string {
  const index = expected.findIndex((line, at) => line !== actual[at]);
  if (index === -1) return `there is more after it: ${quote(actual.slice(expected.length).join(" "))}`;
  const [line = "", held] = [expected[index], actual[index]];
  if (held === undefined) return `line ${index + 1}, ${quote(line)}, is missing`;
  return `line ${index + 1} is ${quote(held)} instead of ${quote(line)}`;
}

/** A part of a text, and what it becomes. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** As written, or else with other spaces and line breaks, or without the signs that `read` shows formatting with. */
export function findAll(held: string, anchor: string): { start: number; end: number }[] {
  const bare = anchor
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^(?:#{1,6}|>|[-*]|\d+\.) +/gm, "")
    .replace(/(\*\*|~~|[*`])(?=\S)(.+?)(?<=\S)\1/g, "$2");
  for (const words of [anchor, bare]) {
    for (const pattern of [escapePattern(words), escapePattern(words).replace(/\s+/g, "\\s+")]) {
      const found = [...held.matchAll(new RegExp(pattern, "gu"))];
      if (words !== "" && found.length > 0) {
        return found.map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
      }
    }
  }
  return [];
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/** The text with all replacements, which are in order. */
export function applyAll(held: string, ranges: readonly Replacement[]): string {
  return ranges.reduceRight((all, { start, end, text }) => `${all.slice(0, start)}${text}${all.slice(end)}`, held);
}

/** Without what stays the same at both ends: the less is replaced, the less of its formatting can be lost. */
export function trimReplacement({ start, end, text }: Replacement, held: string): Replacement {
  const old = held.slice(start, end);
  const isPair = (from: string, at: number) => /[\ud800-\udbff]/.test(from.charAt(at - 1));
  let before = 0;
  while (before < Math.min(old.length, text.length) && old[before] === text[before]) before += 1;
  if (isPair(old, before)) before -= 1;
  let after = 0;
  const most = Math.min(old.length, text.length) - before;
  while (after < most && old.at(-1 - after) === text.at(-1 - after)) after += 1;
  if (after > 0 && isPair(old, old.length - after)) after -= 1;
  return { start: start + before, end: end - after, text: text.slice(before, text.length - after) };
}
