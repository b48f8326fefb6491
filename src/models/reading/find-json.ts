import { QUOTED } from "./json-text.ts";
import { parseModelJson } from "./parse-json.ts";

/** Prose has brackets too, and one that is never closed costs a reading of the rest. */
const MAX_FALSE_STARTS = 100;
const MAX_FOUND = 20;
const MAX_DEPTH = 60;

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
  const tokens = new RegExp(`${QUOTED}|[{}[\\]]`, "g");
  tokens.lastIndex = start;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === "{" || token[0] === "[") depth += 1;
    if (token[0] === "}" || token[0] === "]") depth -= 1;
    if (depth === 0) return tokens.lastIndex;
    if (depth > MAX_DEPTH) return -1;
  }
  return -1;
}
