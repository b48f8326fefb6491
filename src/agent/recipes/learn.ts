import { canonicalJson } from "../../lib/hash.ts";
import type { Lesson } from "../../recipes/recipe.ts";
import type { AttributedWrite } from "../actions/side-effects.ts";
import { fillSchema } from "../extraction/fill-schema.ts";
import type { Claim, Task } from "../grounding/claim.ts";
import { isStepFileData } from "../steps/check-steps.ts";
import { MAX_STEPS, type Step } from "../steps/step.ts";
import { isStepFile } from "../steps/step-file.ts";
import { usesPassword } from "../steps/steps-planner.ts";
import { TaskSecrets } from "../task-secrets.ts";
import { rejectDecisions, rejectUnused } from "./prompt-decisions.ts";
import { findInPrompt, isInPrompt, NotLearnable } from "./prompt-values.ts";
import { findReading } from "./readings.ts";
import { findPage, type RecordedAction, type RecordedStep, toSteps, withoutParticulars } from "./recording.ts";
import { fillSteps } from "./replay.ts";
import { parametrize } from "./slots.ts";
import { listShapes } from "./write-shapes.ts";

/** A run that the verifier agreed to. */
export interface VerifiedRun {
  readonly task: Task;
  /** Where it started, if the task does not say so. */
  readonly startUrl: string | null;
  /** The steps it followed; null when a model decided. */
  readonly steps: readonly Step[] | null;
  readonly actions: readonly RecordedAction[];
  readonly claim: Claim;
  /** What it sent. */
  readonly writes: readonly AttributedWrite[];
}

/** Turns a verified run into a recipe, or says why it cannot be one. */
export function learn(run: VerifiedRun): Lesson {
  const { task } = run;
  const { prompt } = task;
  try {
    if (isStepFile(prompt)) throw new NotLearnable("The prompt is a file of steps, which needs no model as it is.");
    const steps = run.steps ?? recordSteps(run);
    if (!new TaskSecrets(prompt).isEmpty || steps.some(usesPassword))
      throw new NotLearnable("The prompt has a secret, which is not kept.");
    rejectUnused(prompt, steps);
    const { template, variables, steps: slotted } = parametrize(steps, prompt);
    if (slotted.length > MAX_STEPS) throw new NotLearnable(`The run has more than ${MAX_STEPS} steps.`);
    const values = Object.fromEntries(Object.keys(variables).map((name) => [name, name]));
    if (!isStepFileData({ steps: fillSteps(slotted, values) })) throw new NotLearnable("Its steps do not go together.");
    return {
      kind: "learned",
      body: {
        template,
        start_url: task.startUrl,
        output_schema: task.outputSchema,
        variables,
        steps: slotted,
        writes: listShapes(run.writes),
      },
    };
  } catch (error) {
    if (error instanceof NotLearnable) return { kind: "not_learned", reason: error.message };
    throw error;
  }
}

/** What a model decided, as steps: its actions, then what it read, then what proves it. */
function recordSteps(run: VerifiedRun): Step[] {
  const { task, actions, claim, startUrl } = run;
  const { prompt } = task;
  rejectDecisions(prompt);
  const [opening] = actions;
  const own = opening?.report.call.action === "goto" ? actions.slice(1) : actions;
  const recorded = toSteps(own, prompt);
  const opens: Step[] = task.startUrl === null && startUrl !== null ? [toOpening(startUrl, prompt)] : [];
  const withReadings = placeReadings(recorded, run);
  const steps = [...opens, ...withReadings, ...listProofs(run, recorded)];
  if (steps.length === 0) throw new NotLearnable("It did nothing but open a page.");
  checkData(claim, task, actions);
  return steps;
}

function toOpening(startUrl: string, prompt: string): Step {
  if (findInPrompt(startUrl.replace(/\/$/, ""), prompt).length === 0)
    throw new NotLearnable("It started on a page that the prompt does not name.");
  return { goto: startUrl };
}

/** Each fact is read where the run was when it read it: on the last page at that URL. */
function placeReadings(recorded: readonly RecordedStep[], { claim, task, actions }: VerifiedRun): Step[] {
  const readings = new Map<number, Step[]>();
  for (const fact of claim.facts) {
    const seen = findPage(actions, fact.url);
    if (seen === null) throw new NotLearnable("It cites a page that it did not open.");
    const isGiven = typeof fact.value !== "boolean" && isInPrompt(String(fact.value), task.prompt);
    const step: Step = isGiven
      ? { expect: { text: String(fact.value) } }
      : { read: findReading(fact, seen.after, task.prompt) };
    const at = recorded.findLastIndex(({ after }) => after.number <= seen.after.number);
    readings.set(at, [...(readings.get(at) ?? []), step]);
  }
  return [...(readings.get(-1) ?? []), ...recorded.flatMap(({ step }, at) => [step, ...(readings.get(at) ?? [])])];
}

/** After something that lasts, the run must be where it was before: a site that refuses shows the form again. */
function listProofs({ writes, claim, task }: VerifiedRun, recorded: readonly RecordedStep[]): Step[] {
  const last = recorded.at(-1);
  if (last === undefined || listShapes(writes).length === 0) return [];
  const shown = claim.conditions.flatMap((condition) => (condition.kind === "text" ? [condition.text] : []));
  const texts = shown
    .map((text) => (isInPrompt(text, task.prompt) ? text : withoutParticulars(text, task.prompt)))
    // "Jo, it is saved" is about somebody.
    .filter((text) => text.length > 2 && text.length < 200 && !/^\p{Lu}[\p{L}\p{M}]*\s*,/u.test(text));
  const url = toPattern(last.after.url);
  const isElsewhere = toPattern(last.before.url) !== url;
  return [
    ...(isElsewhere && url.length > 1 ? [{ expect: { url } }] : []),
    ...texts.slice(0, 1).map((text) => ({ expect: { text } })),
  ];
}

/** The path up to the first part with a digit: "/orders/". */
function toPattern(url: string): string {
  const parts = (URL.parse(url)?.pathname ?? "/").split("/");
  const id = parts.findIndex((part) => /\d/.test(part));
  return id === -1 ? parts.join("/") : `${parts.slice(0, id).join("/")}/`;
}

/** Data must come out the same when it is read from the last page without a model. */
function checkData({ extraction }: Claim, { outputSchema, prompt }: Task, actions: readonly RecordedAction[]): void {
  if (outputSchema === null || extraction === null) return;
  const last = actions.at(-1)?.after;
  const again = last === undefined ? null : fillSchema(outputSchema, { pages: [last] }, prompt);
  const isSame = again !== null && canonicalJson(again.data) === canonicalJson(extraction.data);
  if (!isSame) throw new NotLearnable("The data for output_schema cannot be read from the last page without a model.");
  if (hasList(extraction.data))
    throw new NotLearnable("The data has a list, and which of its rows were asked for is not in the steps.");
}

function hasList(data: unknown): boolean {
  if (Array.isArray(data)) return true;
  return typeof data === "object" && data !== null && Object.values(data).some(hasList);
}
