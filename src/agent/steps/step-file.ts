import type { TObject, TSchema } from "typebox";
import { Value } from "typebox/value";
import { InvalidYaml, parseYaml } from "../../lib/yaml-text.ts";
import { findContradiction, isStep, isStepFileData, isTooDeep, MAX_DEPTH } from "./check-steps.ts";
import { MAX_STEPS, Step, type StepFile } from "./step.ts";

/** A file or prompt that is not a list of steps. The message says where and why. */
export class InvalidSteps extends Error {
  override readonly name = "InvalidSteps";
}

/** Whether a prompt is a list of steps in YAML or JSON, and not English: it begins with the key "steps" or "start_url". */
export function isStepFile(text: string): boolean {
  return /^\s*(?:#[^\n]*\n\s*)*(?:---\s*\n\s*)?(?:\{\s*)?"?(?:steps|start_url)"?\s*:/.test(text.slice(0, 2_000));
}

/** Reads steps from YAML or JSON, which is YAML too. Throws InvalidSteps. */
export function parseStepFile(text: string): StepFile {
  return checkStepFile(readData(text));
}

/** Throws InvalidSteps. */
export function checkStepFile(data: unknown): StepFile {
  if (isStepFileData(data)) return data;
  throw new InvalidSteps(describeProblem(data));
}

function readData(text: string): unknown {
  try {
    return parseYaml(text).data;
  } catch (error) {
    if (!(error instanceof InvalidYaml)) throw error;
    throw new InvalidSteps(`The steps are not valid YAML or JSON: ${error.message}, on line ${error.line}.`);
  }
}

/** Names the step and what is wrong with it, instead of every alternative that it is not. */
function describeProblem(data: unknown): string {
  const steps = typeof data === "object" && data !== null && "steps" in data ? data.steps : null;
  if (!Array.isArray(steps)) return 'The file must have a list "steps", each with one key: goto, click, fill, read …';
  if (steps.length === 0 || steps.length > MAX_STEPS)
    return `A file has 1 to ${MAX_STEPS} steps; this has ${steps.length}.`;
  if (isTooDeep(data)) return `Steps can be inside steps up to ${MAX_DEPTH} times.`;
  return findBadStep(steps, "") ?? 'Besides "steps", only "start_url" is allowed, with a URL.';
}

/** The first bad step, and why. Its values are not repeated: one may be a password. */
function findBadStep(steps: readonly unknown[], outer: string): string | null {
  const at = steps.findIndex((step) => !isStep(step));
  if (at === -1) return null;
  const step = steps[at];
  const place = `${outer}Step ${at + 1}`;
  const keys = typeof step === "object" && step !== null && !Array.isArray(step) ? Object.keys(step) : [];
  const kind = keys.find((key) => KINDS.has(key));
  if (kind === undefined) {
    const said = keys.length === 0 ? "" : ` It has: ${keys.slice(0, 5).map(shortenKey).join(", ")}.`;
    return `${place} is not a step.${said} A step has one of these keys: ${[...KINDS.keys()].join(", ")}.`;
  }
  const inner = (step as { steps?: unknown }).steps;
  const within = Array.isArray(inner) ? findBadStep(inner, `${place}, `) : null;
  return within ?? `${place} is not a valid "${kind}": ${explain(KINDS.get(kind), step)}. See docs/steps.md.`;
}

/** The first error of the deepest place; else what does not go together. */
function explain(schema: TSchema | undefined, step: unknown): string {
  const errors = schema === undefined ? [] : Value.Errors(schema, step).filter(({ keyword }) => !VAGUE.has(keyword));
  const depth = Math.max(...errors.map(({ instancePath }) => instancePath.split("/").length));
  const [first] = errors
    .filter(({ instancePath }) => instancePath.split("/").length === depth)
    .toSorted((one, other) => Number(one.keyword === "type") - Number(other.keyword === "type"));
  if (first === undefined) return findContradiction(step as Step) ?? "it has the wrong form";
  const params = first.params as {
    additionalProperties?: string[];
    requiredProperties?: string[];
    allowedValues?: string[];
    comparison?: string;
    limit?: number;
  };
  const place = describePlace(first.instancePath.split("/").slice(1).map(shortenKey));
  if (params.additionalProperties !== undefined)
    return `${place} cannot have ${params.additionalProperties.slice(0, 5).map(shortenKey).join(", ")}`;
  if (params.requiredProperties !== undefined) return `${place} needs ${params.requiredProperties.join(", ")}`;
  if (params.allowedValues !== undefined) return `${place} must be one of ${params.allowedValues.join(", ")}`;
  if (params.comparison !== undefined)
    return `${place} must be at ${params.comparison.startsWith("<") ? "most" : "least"} ${params.limit}`;
  return `${place} ${first.message}`;
}

/** "wait_for.seconds", and "comparison 1 of where" for what is in a list. */
function describePlace(path: readonly string[]): string {
  const at = path.findIndex((part) => /^\d+$/.test(part));
  if (at === -1) return path.join(".") || "the step";
  const inner = path.slice(at + 1).join(".");
  return `${inner === "" ? "" : `${inner} of `}number ${Number(path[at]) + 1} of ${path.slice(0, at).join(".")}`;
}

/** Errors that another error says better. */
const VAGUE = new Set(["boolean", "anyOf", "$ref"]);

function shortenKey(key: string): string {
  return key.length > 40 ? `${key.slice(0, 40)}…` : key;
}

/** The schema of each kind of step, by its first key. */
const KINDS = new Map(Step.$defs.Step.anyOf.map((schema: TObject) => [schema.required?.[0] ?? "", schema as TSchema]));
