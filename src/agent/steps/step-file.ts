import { Value } from "typebox/value";
import { parseDocument } from "yaml";
import { MAX_STEPS, StepFile } from "./step.ts";

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
  const document = parseDocument(text, { maxAliasCount: 0, prettyErrors: true, uniqueKeys: true } as never);
  const [error] = document.errors;
  if (error !== undefined)
    throw new InvalidSteps(`The steps are not valid YAML or JSON: ${error.message.split("\n")[0]}`);
  const data: unknown = toPlain(document);
  if (Value.Check(StepFile, data)) return data;
  throw new InvalidSteps(describeProblem(data));
}

/** Aliases are refused: a few lines of them can stand for more than any memory. */
function toPlain(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw new InvalidSteps(`The steps cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Names the step and what is wrong with it, instead of every alternative that it is not. */
function describeProblem(data: unknown): string {
  const steps = typeof data === "object" && data !== null && "steps" in data ? data.steps : null;
  if (!Array.isArray(steps)) return 'The file must have a list "steps", each with one key: goto, click, fill, read …';
  const { Step } = stepSchemas();
  const at = steps.findIndex((step) => !Value.Check(Step, step));
  if (steps.length === 0 || steps.length > MAX_STEPS)
    return `A file has 1 to ${MAX_STEPS} steps; this has ${steps.length}.`;
  if (at === -1) return 'Besides "steps", only "start_url" is allowed, with a URL.';
  const step: unknown = steps[at];
  const kind = typeof step === "object" && step !== null ? Object.keys(step)[0] : undefined;
  const shown = JSON.stringify(step)?.slice(0, 200) ?? String(step);
  const known = kindsOf();
  if (kind === undefined || !known.includes(kind)) {
    return `Step ${at + 1} is not a step: ${shown}. A step has one of these keys: ${known.join(", ")}.`;
  }
  return `Step ${at + 1} is not a valid "${kind}": ${shown}. See docs/steps.md for its fields.`;
}

function stepSchemas() {
  return { Step: StepFile.properties.steps.items };
}

/** The keys that a step can have first. */
function kindsOf(): string[] {
  const { anyOf = [] } =
    (stepSchemas().Step as { $defs?: { Step?: { anyOf?: { required?: string[] }[] } } }).$defs?.Step ?? {};
  return anyOf.map(({ required = [] }) => required[0] ?? "").filter(Boolean);
}
