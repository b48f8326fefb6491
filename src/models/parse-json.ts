import { toStorableJson } from "../lib/storable.ts";

/**
 * Matches a JSON string. An unclosed one matches up to the end of the text, so every quote starts a match and no input is
 * slow to read.
 */
const QUOTED_STRING = String.raw`"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)`;

type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  /** For the model. */
  | { readonly ok: false; readonly problem: string };

const MAX_DEPTH = 40;
const TOKENS = new RegExp(`${QUOTED_STRING}|[{}[\\]:,]|[^\\s"{}[\\]:,]+`, "g");
/** A string; or a comma before a closing bracket; or a literal of Python. */
const REPAIRABLE = new RegExp(`(${QUOTED_STRING})|(,)(?=\\s*[}\\]])|(?<![\\w.])(?:True|False|None)(?![\\w.])`, "g");
const LITERALS: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };

/**
 * Parses a model's JSON into a value that can be stored: NUL and lone surrogates are replaced. Repairs only what is
 * unambiguous: trailing commas, line breaks and tabs inside strings, Python's True, False and None. Everything that
 * would have to be guessed is rejected, so that the model corrects it: duplicate keys, truncated JSON, infinite numbers.
 * (jsonrepair guesses in all these cases, and takes half a minute for some texts of 300 KB.)
 */
export function parseModelJson(text: string): ParsedJson {
  const problem = scan(text);
  if (problem !== null) return { ok: false, problem };
  const value = parse(text) ?? parse(repair(text));
  if (value === null) return { ok: false, problem: "is not valid JSON" };
  if (!hasOnlyFiniteNumbers(value.parsed)) return { ok: false, problem: "has a number that is out of range" };
  return { ok: true, value: toStorableJson(value.parsed) };
}

/** Returns what is wrong with the text. Without recursion, because it may be nested as deeply as it is long. */
function scan(text: string): string | null {
  /** The keys of each open object; empty for lists. */
  const open: Set<string>[] = [];
  let previous = "";
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^[{[]$/.test(token)) open.push(new Set());
    if (/^[}\]]$/.test(token)) open.pop();
    if (open.length > MAX_DEPTH) return "is nested too deeply";
    if (token === ":") {
      const keys = open.at(-1);
      if (keys?.has(previous)) return "has the same key twice in one object";
      keys?.add(previous);
    }
    previous = token;
  }
  return null;
}

function parse(text: string): { parsed: unknown } | null {
  try {
    return { parsed: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

function repair(text: string): string {
  return text.replace(REPAIRABLE, (match, string: string | undefined, comma: string | undefined) => {
    if (comma !== undefined) return "";
    return string === undefined ? (LITERALS[match] ?? match) : escapeControls(string);
  });
}

/** JSON allows line breaks and tabs inside strings only as escapes. After a backslash it is not clear what is meant. */
function escapeControls(string: string): string {
  if (!/[\n\r\t]/.test(string) || /\\[\n\r\t]/.test(string)) return string;
  return string.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}

function hasOnlyFiniteNumbers(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(hasOnlyFiniteNumbers);
}

/** Prose has brackets too, and each unclosed one takes a pass over the rest of the text. */
const MAX_FALSE_STARTS = 100;
const MAX_FOUND = 20;
const MAX_SCAN_DEPTH = 60;

export interface FoundJson {
  readonly value: unknown;
  readonly before: string;
  readonly after: string;
}

/** The JSON objects and lists in a text, each with the text around it. */
export function findJson(text: string): readonly FoundJson[] {
  const found: FoundJson[] = [];
  let falseStarts = 0;
  let at = nextOpening(text, 0);
  while (at !== -1 && falseStarts < MAX_FALSE_STARTS && found.length < MAX_FOUND) {
    const end = findEnd(text, at);
    const parsed = end === -1 ? null : parseModelJson(text.slice(at, end));
    if (parsed?.ok) found.push({ value: parsed.value, before: text.slice(0, at), after: text.slice(end) });
    else falseStarts += 1;
    at = nextOpening(text, parsed?.ok ? end : at + 1);
  }
  return found;
}

function nextOpening(text: string, from: number): number {
  const offset = text.slice(from).search(/[{[]/);
  return offset === -1 ? -1 : from + offset;
}

/** The position after the bracket that closes the one at `start`; -1 when there is none, or it is nested too deeply. */
function findEnd(text: string, start: number): number {
  const tokens = new RegExp(`${QUOTED_STRING}|[{}[\\]]`, "g");
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === "{" || token[0] === "[") depth += 1;
    if (token[0] === "}" || token[0] === "]") depth -= 1;
    if (depth === 0) return tokens.lastIndex;
    if (depth > MAX_SCAN_DEPTH) return -1;
  }
  return -1;
}
