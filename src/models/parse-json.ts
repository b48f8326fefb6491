import { toStorableJson } from "../lib/storable.ts";

/**
 * A quoted text of JSON, as the source of a pattern. One that is never closed reaches to the end: so it always matches, and
 * no text makes the reading slow.
 */
const QUOTED_STRING = String.raw`"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)`;

type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  /** Said to the model. */
  | { readonly ok: false; readonly problem: string };

const MAX_DEPTH = 40;
const TOKENS = new RegExp(`${QUOTED_STRING}|[{}[\\]:,]|[^\\s"{}[\\]:,]+`, "g");
const TRAILING_COMMA = new RegExp(`(${QUOTED_STRING})|,(?=\\s*[}\\]])`, "g");

/**
 * JSON of a model, as a value that can be used and stored: NUL and lone surrogates are replaced. What could be understood in
 * two ways (a key twice) or not at all (a number beyond all numbers) is refused. A comma too many is forgiven.
 */
export function parseModelJson(text: string): ParsedJson {
  const problem = scan(text);
  if (problem !== null) return { ok: false, problem };
  const value = parse(text) ?? parse(dropTrailingCommas(text));
  if (value === null) return { ok: false, problem: "is not valid JSON" };
  if (!hasOnlyFiniteNumbers(value.parsed)) return { ok: false, problem: "has a number that is out of range" };
  return { ok: true, value: toStorableJson(value.parsed) };
}

/** Without recursion, since the text may nest as deep as it is long. Answers what is wrong with it. */
function scan(text: string): string | null {
  /** The keys of each object that is open; a list has none. */
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

function dropTrailingCommas(text: string): string {
  return text.replace(TRAILING_COMMA, (_, quoted: string | undefined) => quoted ?? "");
}

function hasOnlyFiniteNumbers(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(hasOnlyFiniteNumbers);
}

/** Prose has brackets too, and one that is never closed costs a reading of the rest. */
const MAX_FALSE_STARTS = 100;
const MAX_FOUND = 20;
const MAX_SCAN_DEPTH = 60;

export interface FoundJson {
  readonly value: unknown;
  readonly before: string;
  readonly after: string;
}

/** The objects and lists that stand in a text, each with what stands around it. */
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

/** Just behind the bracket that closes the one at `start`; -1 when none does, or too much is between. */
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
