import { Compile, type Validator } from "typebox/compile";
import { parseAmount } from "../grounding/amounts.ts";
import { findDates } from "../grounding/dates.ts";
import {
  AMOUNT_TESTS,
  type CollectStep,
  type Comparison,
  DATE_TESTS,
  type Step,
  StepFile,
  type Target,
} from "./step.ts";

/** How deep `if`, `for_each` and `repeat_until` can be inside each other. */
export const MAX_DEPTH = 10;

let validator: Validator | null = null;

/** Takes longer than to check a thousand steps. A worker does it when it starts, and not when the first prompt arrives. */
export function compileSteps(): Validator {
  validator ??= Compile(StepFile);
  return validator;
}

export function isStepFileData(data: unknown): data is StepFile {
  return !isTooDeep(data) && compileSteps().Check(data) && !hasContradiction((data as StepFile).steps);
}

function hasContradiction(steps: readonly Step[]): boolean {
  return steps.some((step) => findContradiction(step) !== null || ("steps" in step && hasContradiction(step.steps)));
}

export function isStep(step: unknown): step is Step {
  return isStepFileData({ steps: [step] });
}

export function isTooDeep(data: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH + 1) return true;
  const steps = typeof data === "object" && data !== null && "steps" in data ? data.steps : null;
  return Array.isArray(steps) && steps.some((step) => isTooDeep(step, depth + 1));
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields of which a step has one at most. */
const ALTERNATIVES: Readonly<Record<string, readonly string[]>> = {
  edit: ["replace", "insert", "append", "clear"],
  read: ["label", "column", "field", "heading", "after", "number_of", "when", "who", "whether"],
  collect: ["nth", "limit"],
  wait_for: ["text", "gone"],
  within: ["row", "section", "dialog", "form"],
};
/** Fields that a step has only together with another. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  edit: { replace: "with", with: "replace", all: "replace", insert: "after", after: "insert" },
  read: { column: "row", list: "row", verb: "number_of" },
  expect: { field: "value", value: "field" },
};

/** Why the fields of a step do not go together, or a value is of the wrong kind; null when nothing is wrong. */
export function findContradiction(step: Step): string | null {
  const [[kind = "", fields] = []] = Object.entries(step);
  return firstOf(
    findInValues(step),
    isObject(fields) ? findInFields(kind === "if" ? "expect" : kind, fields) : null,
    ...targetsOf(step).map(findInTarget),
  );
}

function firstOf(...problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}

function findInFields(kind: string, fields: Fields): string | null {
  const has = (name: string) => fields[name] !== undefined;
  const [first, second] = (ALTERNATIVES[kind] ?? []).filter(has);
  if (second !== undefined) return `"${first}" and "${second}" cannot be used together`;
  const alone = Object.entries(NEEDED[kind] ?? {}).find(([name, other]) => has(name) && !has(other));
  return alone === undefined ? null : `"${alone[0]}" needs "${alone[1]}"`;
}

function findInValues(step: Step): string | null {
  if ("edit" in step && !ALTERNATIVES["edit"]?.some((name) => name in step.edit))
    return 'it needs one of "replace", "insert", "append", "clear"';
  if ("read" in step) return findInRead(step.read);
  if ("collect" in step) return findInCollect(step.collect);
  if ("press" in step && !isKey(typeof step.press === "string" ? step.press : step.press.key))
    return '"press" needs a key, such as Enter or Control+A';
  if ("dialog" in step && step.dialog === "dismiss" && step.text !== undefined) return '"text" is only for "accept"';
  return null;
}

function findInRead(read: Fields): string | null {
  if (!["as", "row", ...(ALTERNATIVES["read"] ?? [])].some((name) => name in read))
    return 'it needs "label", or another field that says what to read';
  if (!("row" in read)) return null;
  const other = ["label", "field", "heading", "after", "number_of"].find((name) => name in read);
  if (other !== undefined) return `"${other}" and "row" cannot be used together`;
  return OF_ROW.some((name) => name in read) ? null : '"row" needs "column"';
}

/** What is read of a row. */
const OF_ROW = ["column", "when", "who", "whether"];

function findInCollect(collect: CollectStep): string | null {
  const counted = ["nth", "limit", "order", "columns"].find((name) => collect.count === true && name in collect);
  if (counted !== undefined) return `"count" and "${counted}" cannot be used together`;
  if (collect.nth === 0) return '"nth" begins with 1';
  return firstOf(...(collect.where ?? []).map(findInComparison));
}

function findInComparison({ column, ...tests }: Comparison): string | null {
  const given = Object.entries(tests).filter(([, value]) => value !== undefined);
  if (given.length === 0) return `"${column}" is compared with nothing`;
  const problems = given.map(([test, value]) => {
    const isDate = typeof value === "string" && findDates(value).length === 1;
    if (isIn(DATE_TESTS, test)) return isDate ? null : `"${test}" needs a date`;
    const isAmount = typeof value === "number" || isDate || (typeof value === "string" && parseAmount(value) !== null);
    return isIn(AMOUNT_TESTS, test) && !isAmount ? `"${test}" needs a number, an amount or a date` : null;
  });
  return firstOf(...problems);
}

function isIn(tests: readonly string[], test: string): boolean {
  return tests.includes(test);
}

const KEY =
  /^(?:(?:control|ctrl|shift|alt|option|meta|cmd|command|controlormeta)\+)*(?:.|enter|return|escape|esc|tab|space|backspace|delete|del|insert|home|end|page ?up|page ?down|(?:arrow ?)?(?:up|down|left|right)|f(?:1[0-2]|[1-9])|control|shift|alt|meta)$/iu;

export function isKey(text: string): boolean {
  return KEY.test(text);
}

function targetsOf(step: Step): Target[] {
  const values = Object.values(step).flatMap((value: unknown) => [
    value,
    ...(isObject(value) ? Object.values(value) : []),
  ]);
  return values.filter(
    (value): value is Target => isObject(value) && ("name" in value || "role" in value || "within" in value),
  );
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function findInTarget({ nth, within = {} }: Target): string | null {
  if (nth === 0 || within.row === 0) return "positions begin with 1";
  return findInFields("within", within);
}
