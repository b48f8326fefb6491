import { Compile, type Validator } from "typebox/compile";
import { parseAmount } from "../grounding/amounts.ts";
import { findDates } from "../grounding/dates.ts";
import {
  type CollectStep,
  type Comparison,
  type ExpectStep,
  type ReadStep,
  type Step,
  StepFile,
  type Target,
} from "./step.ts";

/** How deep `if`, `for_each` and `repeat_until` can be inside each other. */
export const MAX_DEPTH = 10;

let validator: Validator | null = null;

/** Compiled on first use, which takes longer than to check a thousand steps. */
export function isStepFileData(data: unknown): data is StepFile {
  validator ??= Compile(StepFile);
  return !isTooDeep(data) && validator.Check(data) && !hasContradiction((data as StepFile).steps);
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

/** Why the fields of a step do not go together, or a value is of the wrong kind; null when nothing is wrong. */
export function findContradiction(step: Step): string | null {
  return (
    findInFields(step) ??
    targetsOf(step)
      .map(findInTarget)
      .find((problem) => problem !== null) ??
    null
  );
}

function findInFields(step: Step): string | null {
  if ("edit" in step) return findInEdit(step.edit);
  if ("read" in step) return findInRead(step.read);
  if ("collect" in step) return findInCollect(step.collect);
  if ("expect" in step) return findInStatement(step.expect);
  if ("if" in step) return findInStatement(step.if);
  if ("press" in step) return findInKey(typeof step.press === "string" ? step.press : step.press.key);
  if ("wait_for" in step) return onlyOne(step.wait_for, ["text", "gone"]);
  if ("dialog" in step && step.dialog === "dismiss" && step.text !== undefined) return '"text" is only for "accept"';
  return null;
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsIn(fields: Fields, names: readonly string[]): string[] {
  return names.filter((name) => fields[name] !== undefined);
}

function onlyOne(fields: Fields, names: readonly string[]): string | null {
  const [first, second] = fieldsIn(fields, names);
  return second === undefined ? null : `"${first}" and "${second}" cannot be used together`;
}

function needs(fields: Fields, name: string, other: string): string | null {
  return fields[name] !== undefined && fields[other] === undefined ? `"${name}" needs "${other}"` : null;
}

function firstOf(...problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}

const CHANGES = ["replace", "insert", "append", "clear"];

function findInEdit(edit: Fields): string | null {
  if (fieldsIn(edit, CHANGES).length === 0) return 'it needs one of "replace", "insert", "append", "clear"';
  return firstOf(
    onlyOne(edit, CHANGES),
    needs(edit, "replace", "with"),
    needs(edit, "with", "replace"),
    needs(edit, "all", "replace"),
    needs(edit, "insert", "after"),
    needs(edit, "after", "insert"),
  );
}

const SOURCES = ["label", "row", "field", "heading", "after", "number_of"];

function findInRead(read: ReadStep): string | null {
  if (fieldsIn(read, ["as", ...SOURCES]).length === 0)
    return 'it needs "label", or another field that says what to read';
  return firstOf(
    onlyOne(read, SOURCES),
    needs(read, "row", "column"),
    needs(read, "column", "row"),
    needs(read, "list", "row"),
    needs(read, "verb", "number_of"),
  );
}

function findInCollect(collect: CollectStep): string | null {
  const counted = collect.count === true ? fieldsIn(collect, ["nth", "limit", "order", "columns"])[0] : undefined;
  if (counted !== undefined) return `"count" and "${counted}" cannot be used together`;
  if (collect.nth === 0) return '"nth" begins with 1';
  return firstOf(onlyOne(collect, ["nth", "limit"]), ...(collect.where ?? []).map(findInComparison));
}

const AMOUNTS = new Set(["less_than", "at_most", "more_than", "at_least"]);
const DATES = new Set(["before", "after", "from", "to"]);

function findInComparison({ column, ...tests }: Comparison): string | null {
  const given = Object.entries(tests).filter(([, value]) => value !== undefined);
  if (given.length === 0) return `"${column}" is compared with nothing`;
  const problems = given.map(([test, value]) => {
    const isDate = typeof value === "string" && findDates(value).length === 1;
    if (DATES.has(test)) return isDate ? null : `"${test}" needs a date`;
    const isAmount = typeof value === "number" || isDate || (typeof value === "string" && parseAmount(value) !== null);
    return AMOUNTS.has(test) && !isAmount ? `"${test}" needs a number, an amount or a date` : null;
  });
  return firstOf(...problems);
}

function findInStatement(statement: ExpectStep): string | null {
  return firstOf(needs(statement, "field", "value"), needs(statement, "value", "field"));
}

const KEY =
  /^(?:(?:control|ctrl|shift|alt|option|meta|cmd|command|controlormeta)\+)*(?:.|enter|return|escape|esc|tab|space|backspace|delete|del|insert|home|end|page ?up|page ?down|(?:arrow ?)?(?:up|down|left|right)|f(?:1[0-2]|[1-9])|control|shift|alt|meta)$/iu;

function findInKey(key: string): string | null {
  return KEY.test(key) ? null : '"press" needs a key, such as Enter or Control+A';
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
  return onlyOne(within, ["row", "section", "dialog", "form"]);
}
