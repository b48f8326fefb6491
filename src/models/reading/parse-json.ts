import { toStorableJson } from "../../lib/storable-json.ts";
import { QUOTED } from "./json-text.ts";

export type Parsed =
  | { readonly ok: true; readonly value: unknown }
  /** Said to the model. */
  | { readonly ok: false; readonly problem: string };

const MAX_DEPTH = 40;
const TOKENS = new RegExp(`${QUOTED}|[{}[\\]:,]|[^\\s"{}[\\]:,]+`, "g");
const TRAILING_COMMA = new RegExp(`(${QUOTED})|,(?=\\s*[}\\]])`, "g");

/**
 * JSON of a model, as a value that can be used and stored: NUL and lone surrogates are replaced. What could be understood in
 * two ways (a key twice) or not at all (a number beyond all numbers) is refused. A comma too many is forgiven.
 */
export function parseModelJson(text: string): Parsed {
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
