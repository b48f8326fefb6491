import { type FoundJson, findJson } from "./find-json.ts";
import type { UncheckedCall } from "./read-calls.ts";

const MAX_TEXT_LENGTH = 200_000;
const NAMES = ["tool", "name", "tool_name", "function"];
const INPUTS = ["input", "arguments", "parameters", "args"];

/**
 * The calls that a model wrote as JSON into its text, in any of the forms that are common; null when there are none, or when
 * it is not clear which ones are meant. With `alone`, the text must be nothing else.
 */
export function readCallsInText(
  text: string,
  toolNames: readonly string[],
  { alone }: { alone: boolean },
): readonly UncheckedCall[] | null {
  const said = text.slice(-MAX_TEXT_LENGTH).replace(/^[\s\S]*<\/think(ing)?>/i, "");
  const readings = findJson(said)
    .filter((found) => (alone ? isAlone(found) : standsOut(found)))
    .map(({ value }) => toCalls(value, toolNames))
    .filter((calls) => calls !== null);
  // Several beside each other may be second thoughts as well as a list.
  return readings.length === 1 ? (readings[0] ?? null) : null;
}

function isAlone({ before, after }: FoundJson): boolean {
  return isNothingButFence(before) && isNothingButFence(after);
}

function isNothingButFence(text: string): boolean {
  return /^(?:```\w*)?$/.test(text.trim());
}

/** On lines of its own, or at the end. In the middle of a sentence it is a quotation, perhaps from a page. */
function standsOut({ before, after }: FoundJson): boolean {
  const lineBefore = before.slice(before.lastIndexOf("\n") + 1);
  const [lineAfter = ""] = after.split("\n", 1);
  return isNothingButFence(after) || (isNothingButFence(lineBefore) && isNothingButFence(lineAfter));
}

function toCalls(value: unknown, toolNames: readonly string[]): readonly UncheckedCall[] | null {
  const listed = isRecord(value) ? (value["calls"] ?? value["tool_calls"]) : value;
  const items = Array.isArray(listed) ? (listed as unknown[]) : [value];
  const calls = items.map((item) => toCall(item, toolNames));
  // The first decides whether this is about calls at all; a later one that is none is named to the model.
  if (calls[0] === null || calls.length === 0) return null;
  return calls.map((call) => call ?? { name: "", value: null });
}

function toCall(item: unknown, toolNames: readonly string[]): UncheckedCall | null {
  if (!isRecord(item)) return null;
  const inner = item["function"];
  if (isRecord(inner)) return toCall(inner, toolNames);
  const nameKey = NAMES.find((key) => typeof item[key] === "string");
  if (nameKey === undefined) return toKeyedCall(item, toolNames);
  const name = String(item[nameKey]);
  const inputKey = INPUTS.find((key) => key in item);
  if (inputKey === undefined) {
    const { [nameKey]: _, ...rest } = item;
    return toolNames.includes(name) ? { name, value: rest } : null;
  }
  const input = item[inputKey];
  return typeof input === "string" ? { name, input } : { name, value: input };
}

/** `{"click": {…}}` */
function toKeyedCall(item: Record<string, unknown>, toolNames: readonly string[]): UncheckedCall | null {
  const [name, ...others] = Object.keys(item);
  return name !== undefined && others.length === 0 && toolNames.includes(name) ? { name, value: item[name] } : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
