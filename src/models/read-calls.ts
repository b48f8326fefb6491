import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Tool, ToolCall } from "./model.ts";
import { type FoundJson, findJson, parseModelJson } from "./parse-json.ts";

/** A call before it is checked: its input is JSON, or an already parsed value. */
type UncheckedCall =
  | { readonly name: string; readonly input: string }
  | { readonly name: string; readonly value: unknown };

export type CallsReading =
  | { readonly usable: true; readonly calls: readonly ToolCall[] }
  /** For the model. */
  | { readonly usable: false; readonly problem: string };

/**
 * The calls up to the first invalid one. Those before it are performed, and the model decides again with their result.
 * Unusable only when the very first call is invalid.
 */
export function readCalls(
  calls: readonly UncheckedCall[],
  tools: readonly Tool[],
  maxCalls: number,
  checker: ToolChecker,
): CallsReading {
  const read: ToolCall[] = [];
  for (const call of calls.flatMap((given) => unfoldBatch(given, tools)).slice(0, maxCalls)) {
    const reading = readCall(call, tools, checker);
    if ("problem" in reading) {
      if (read.length > 0) break;
      return { usable: false, problem: reading.problem };
    }
    read.push(reading);
  }
  if (read.length === 0) return { usable: false, problem: "it has no call of a tool" };
  return { usable: true, calls: read };
}

/** Every name under which a tool can be called. */
export function listToolNames(tools: readonly Tool[]): string[] {
  return tools.flatMap(({ name, batchOf = [] }) => [name, ...batchOf.map((tool) => tool.name)]);
}

/** The calls in a batch; any other call by itself. A batch that cannot be read stays, and is reported to the model. */
function unfoldBatch(call: UncheckedCall, tools: readonly Tool[]): readonly UncheckedCall[] {
  const batchOf = tools.find(({ name }) => name === plainName(call))?.batchOf;
  if (batchOf === undefined) return [call];
  const input = "value" in call ? call.value : readJson(call.input);
  const actions = isRecord(input) ? input["actions"] : input;
  const listed = typeof actions === "string" ? readJson(actions) : actions;
  const names = batchOf.map(({ name }) => name);
  const calls = Array.isArray(listed) ? listed.map((item) => toCall(item, names)) : [];
  return calls.length === 0 ? [call] : calls.map((read) => read ?? call);
}

function readJson(text: string): unknown {
  const parsed = parseModelJson(text.trim());
  return parsed.ok ? parsed.value : null;
}

function plainName({ name }: UncheckedCall): string {
  return name.trim().replace(/^(functions?|tools?)[.:/]/, "");
}

function readCall(call: UncheckedCall, tools: readonly Tool[], checker: ToolChecker): ToolCall | { problem: string } {
  const name = plainName(call);
  const tool = tools.flatMap((offered) => [offered, ...(offered.batchOf ?? [])]).find((known) => known.name === name);
  if (tool === undefined) {
    const offered = listToolNames(tools).join(", ");
    return { problem: `there is no tool with that name; the tools are ${offered}` };
  }
  // Some models call a tool without fields with an empty input.
  const parsed =
    "value" in call ? ({ ok: true, value: call.value } as const) : parseModelJson(call.input.trim() || "{}");
  if (!parsed.ok) return { problem: `the input of ${name} ${parsed.problem}` };
  const checked = checker.check(tool, parsed.value);
  if (checked.ok && tool.batchOf !== undefined) {
    return {
      problem: `in the call of ${name}, each of its actions must name one of ${listToolNames(tool.batchOf).join(", ")}`,
    };
  }
  return checked.ok ? { tool: name, input: checked.input } : { problem: `in the call of ${name}, ${checked.problem}` };
}

const MAX_TEXT_LENGTH = 200_000;
const NAME_KEYS = ["action", "tool", "name", "tool_name", "function"];
const INPUT_KEYS = ["input", "arguments", "parameters", "args"];

/**
 * The calls that a model wrote as JSON into its text, in any of the common forms; null when there are none, or when it is
 * ambiguous which ones are meant. With `alone`, the text must contain nothing else.
 */
export function readCallsInText(
  text: string,
  toolNames: readonly string[],
  { alone }: { alone: boolean },
): readonly UncheckedCall[] | null {
  const withoutThoughts = text.slice(-MAX_TEXT_LENGTH).replace(/^[\s\S]*<\/think(ing)?>/i, "");
  const readings = findJson(withoutThoughts)
    .filter((found) => (alone ? isAlone(found) : standsOut(found)))
    .map(({ value }) => toCalls(value, toolNames))
    .filter((calls) => calls !== null);
  // Several may be a list as well as a correction of the first.
  return readings.length === 1 ? (readings[0] ?? null) : null;
}

function isAlone({ before, after }: FoundJson): boolean {
  return isNothingButFence(before) && isNothingButFence(after);
}

function isNothingButFence(text: string): boolean {
  return /^(?:```\w*)?$/.test(text.trim());
}

/** On lines of its own, or at the end. Inside a sentence it is a quotation, perhaps from a page. */
function standsOut({ before, after }: FoundJson): boolean {
  const lineBefore = before.slice(before.lastIndexOf("\n") + 1);
  const [lineAfter = ""] = after.split("\n", 1);
  return isNothingButFence(after) || (isNothingButFence(lineBefore) && isNothingButFence(lineAfter));
}

function toCalls(value: unknown, toolNames: readonly string[]): readonly UncheckedCall[] | null {
  const listed = isRecord(value) ? (value["calls"] ?? value["tool_calls"] ?? value["actions"]) : value;
  const items = Array.isArray(listed) ? (listed as unknown[]) : [value];
  const calls = items.map((item) => toCall(item, toolNames));
  // The first item decides whether these are calls at all. A later item that is not a call is reported to the model.
  if (calls[0] === null || calls.length === 0) return null;
  return calls.map((call) => call ?? { name: "", value: null });
}

function toCall(item: unknown, toolNames: readonly string[]): UncheckedCall | null {
  if (!isRecord(item)) return null;
  const inner = item["function"];
  if (isRecord(inner)) return toCall(inner, toolNames);
  const nameKey = NAME_KEYS.find((key) => typeof item[key] === "string");
  if (nameKey === undefined) return toKeyedCall(item, toolNames);
  const name = String(item[nameKey]);
  const inputKey = INPUT_KEYS.find((key) => key in item);
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

type CheckedInput =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

const MAX_PROBLEMS = 5;
const MAX_PROBLEM_LENGTH = 160;

/** Checks inputs against the schemas of tools. These are our own, so they are neither huge nor hostile. */
export class ToolChecker {
  readonly #ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    verbose: true,
    validateFormats: false,
    validateSchema: false,
    logger: false,
  });
  /** By schema object: a tool that is offered again is not compiled again. */
  readonly #compiled = new WeakMap<Tool["input"], ValidateFunction>();

  /** May repair the input in place. */
  check(tool: Tool, input: unknown): CheckedInput {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return { ok: false, problem: "the input must be an object" };
    }
    const validate = this.#compile(tool.input);
    const isValid = validate(input) || (repairInput(input, validate.errors ?? []) && validate(input));
    if (isValid) return { ok: true, input: input as Record<string, unknown> };
    return { ok: false, problem: describe(validate.errors ?? []) };
  }

  #compile(schema: Tool["input"]): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const validate = this.#ajv.compile(schema);
    // Ajv's own cache would keep every schema of every run.
    this.#ajv.removeSchema(schema);
    this.#compiled.set(schema, validate);
    return validate;
  }
}

function describe(errors: readonly ErrorObject[]): string {
  return errors.slice(0, MAX_PROBLEMS).map(describeOne).join("; ");
}

function describeOne({ instancePath, message = "is wrong", params, keyword }: ErrorObject): string {
  const detail =
    keyword === "enum"
      ? `: ${JSON.stringify(params["allowedValues"])}`
      : keyword === "additionalProperties"
        ? `: ${JSON.stringify(params["additionalProperty"])} is not one`
        : "";
  return `${instancePath === "" ? "the input" : instancePath} ${message}${detail}`.slice(0, MAX_PROBLEM_LENGTH);
}

/**
 * Repairs in place what small models get wrong in unambiguous ways: null for an omitted field, and a number, a boolean, a
 * list or an object as text. Returns whether anything changed.
 */
function repairInput(input: object, errors: readonly ErrorObject[]): boolean {
  let isRepaired = false;
  for (const error of errors) {
    const location = findLocation(input, error.instancePath);
    if (location === null) continue;
    const { holder, key } = location;
    const value = holder[key];
    if (value === null && !Array.isArray(holder)) {
      delete holder[key];
      isRepaired = true;
    } else if (error.keyword === "type" && typeof value === "string") {
      const meant = readAs([error.params["type"]].flat() as string[], value);
      if (meant !== undefined) {
        holder[key] = meant;
        isRepaired = true;
      }
    }
  }
  return isRepaired;
}

interface Location {
  holder: Record<string, unknown>;
  key: string;
}

/** By JSON pointer. Null for the input as a whole, and where an earlier repair removed the location. */
function findLocation(input: object, pointer: string): Location | null {
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = keys.pop();
  let holder: unknown = input;
  for (const step of keys) {
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, step)) return null;
    holder = (holder as Record<string, unknown>)[step];
  }
  if (key === undefined || typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) return null;
  return { holder: holder as Record<string, unknown>, key };
}

function readAs(types: readonly string[], text: string): unknown {
  if (types.some((type) => type === "number" || type === "integer") && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) {
    return Number(text);
  }
  if (types.includes("boolean") && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const opening = text.trimStart()[0];
  if ((types.includes("array") && opening === "[") || (types.includes("object") && opening === "{")) {
    const parsed = parseModelJson(text);
    return parsed.ok ? parsed.value : undefined;
  }
  return undefined;
}
