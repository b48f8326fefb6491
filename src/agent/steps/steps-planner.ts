import { setTimeout as sleep } from "node:timers/promises";
import { runInSlices } from "../../lib/waiting.ts";
import { fillSchema } from "../extraction/fill-schema.ts";
import type { Claim, Condition, Extraction, Task } from "../grounding/claim.ts";
import { type Decision, type Plan, type Planner, PlannerRefusal, type Turn } from "../planner/planner.ts";
import { compileSteps } from "./check-steps.ts";
import { describeStep, isForSecret } from "./describe-step.ts";
import { settleDialog } from "./dialogs.ts";
import { type PromptReading, readPrompt } from "./english/read-prompt.ts";
import { shorten } from "./names.ts";
import { performStep } from "./perform.ts";
import { type Request, type Running, StepsRun, Stop } from "./run.ts";
import type { Step } from "./step.ts";
import { InvalidSteps, isStepFile, parseStepFile } from "./step-file.ts";

/** Without a model: runs typed steps, read from English or from a list of steps. It does exactly those, or refuses. */
export function createStepsPlanner(): Planner {
  compileSteps();
  return { name: "steps", plan: async (task) => planSteps(task) };
}

/** A prompt that is a list of steps is run as it is, and does not need the other planner's model. */
export function withStepFiles(planner: Planner): Planner {
  compileSteps();
  return {
    ...planner,
    plan: async (task, context) => (isStepFile(task.prompt) ? planSteps(task) : await planner.plan(task, context)),
  };
}

/** Needs no model, no page and almost no time. */
export function planSteps(task: Task): Plan {
  const { steps, startUrl } = readSteps(task);
  return followSteps(steps, { ...task, startUrl });
}

/** A plan that follows steps, and knows which it is at. */
export interface StepsPlan extends Plan {
  readonly steps: readonly Step[];
  /** The index of the step that is being done; the number of steps at the end. */
  readonly at: number;
}

export function followSteps(steps: readonly Step[], task: Task): StepsPlan {
  const { startUrl } = task;
  const [first] = steps;
  // A URL at the beginning is where the run starts: it needs no step.
  const opens = startUrl === null && first !== undefined && "goto" in first ? first.goto : null;
  if (startUrl === null && opens === null) throw new PlannerRefusal(NO_START);
  let running: Running<Decision> | null = null;
  let at = opens === null ? 0 : 1;
  function* run(turn: Turn): Running<Decision> {
    const state = new StepsRun(turn, startUrl, task.now);
    for (; at < steps.length; at++) yield* performStep(steps[at] as Step, state);
    yield* settleDialog(state);
    return { kind: "done", claim: makeClaim(steps, task, state) };
  }
  return {
    startUrl: startUrl ?? opens,
    outline: steps.map(describeStep),
    isExplicit: true,
    steps,
    get at() {
      return at;
    },
    signsIn: steps.some(usesPassword),
    async next(turn) {
      const isBeginning = running === null;
      running ??= run(turn);
      return await advance(running, isBeginning ? null : turn, turn);
    },
  };
}

const NO_START =
  'There is no page to start on. Set start_url, or begin with a URL: "Go to https://example.com/ and …".';

/** Throws PlannerRefusal when the prompt is not understood, all of it. A file may have a start page of its own. */
function readSteps({ prompt, outputSchema, startUrl }: Task): Pick<Task, "startUrl"> & { steps: readonly Step[] } {
  if (isStepFile(prompt)) {
    try {
      const { steps, start_url: own } = parseStepFile(prompt);
      return { steps, startUrl: own ?? startUrl };
    } catch (error) {
      if (error instanceof InvalidSteps) throw new PlannerRefusal(error.message);
      throw error;
    }
  }
  const reading = readPrompt(prompt);
  if (reading.kind === "refused") throw new PlannerRefusal(explainRefusal(reading));
  if (reading.steps.length === 0 && outputSchema === null) {
    throw new PlannerRefusal("The prompt asks for nothing. Say what to do step by step, or what to find out.");
  }
  return { steps: reading.steps.map(({ step }) => step), startUrl };
}

function explainRefusal({ clause, why, understood, suggestion }: PromptReading & { kind: "refused" }): string {
  const before = understood.at(-1);
  const parts = [
    `"${shorten(clause, 160)}" is not understood. ${why}`,
    before === undefined ? "" : `Understood until then: ${shorten(describeStep(before.step), 120)}.`,
    suggestion === null ? "" : `Did you mean "${shorten(suggestion, 100)}"?`,
    "Free text needs a model, which the operator of Errand can set (ERRAND_MODEL).",
  ];
  return parts.filter(Boolean).join(" ");
}

/** Steps that contain a password mean to use it. */
export function usesPassword(step: Step): boolean {
  if ("sign_in" in step) return true;
  if ("steps" in step) return step.steps.some(usesPassword);
  return "fill" in step && isForSecret(step.fill.target);
}

/** Lets a pause pass and does long work; everything else is a decision for the loop. */
async function advance(running: Running<Decision>, result: Turn | null, turn: Turn): Promise<Decision> {
  try {
    let request = resume(running, result);
    while (request.kind === "pause" || request.kind === "work") {
      await sleep(request.kind === "pause" ? request.milliseconds : 0, undefined, { signal: turn.signal });
      if (request.kind === "work") await runInSlices(request.work);
      request = resume(running, turn);
    }
    return request;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { kind: "give_up", failure: error.failure, code: error.code, reason: error.message };
  }
}

/** The first call starts the generator, which has nothing to receive yet. */
function resume(running: Running<Decision>, result: Turn | null): Request {
  return (result === null ? running.next(...([] as unknown as [Turn])) : running.next(result)).value;
}

const NAVIGATING = ["goto", "back", "open", "click"];

/** What was done and read, in a form that the verifier can check. */
function makeClaim(steps: readonly Step[], task: Task, run: StepsRun): Claim {
  const { observation, facts, conditions } = run;
  const last = steps.at(-1);
  const about = `The run ended at ${observation.url.split(/[?#]/)[0]}`;
  const isNavigation = last !== undefined && NAVIGATING.some((kind) => kind in last);
  const address: Condition[] = isNavigation ? [{ kind: "address", url: observation.url, about }] : [];
  const extraction = task.outputSchema === null ? null : extract(task.outputSchema, task.prompt, run);
  return { answer: describeOutcome(run), facts, extraction, conditions: [...conditions, ...address] };
}

/** The data for `output_schema`: from the records that were asked for, and from what the last page says. */
function extract(schema: Readonly<Record<string, unknown>>, prompt: string, run: StepsRun): Extraction {
  const { records, observation } = run;
  return fillSchema(schema, { pages: [observation], records }, prompt);
}

/** The answer if there is one; otherwise what the site said, what was done and where it ended. */
function describeOutcome({ answers, conditions, observation, notice }: StepsRun): string {
  const [only, ...more] = answers;
  if (only !== undefined && more.length === 0) return only.text;
  if (only !== undefined)
    return answers.map(({ label, text }) => (label === null ? text : `${label}: ${text}`)).join("\n");
  const done = [
    ...new Set(
      conditions.filter(({ kind }) => kind === "step").map(({ about }) => about.replace(/, which led to \S+$/, "")),
    ),
  ];
  const place = observation.title === "" ? observation.url : `"${shorten(observation.title)}"`;
  const said = notice === null ? "" : `The page says: "${shorten(notice, 300)}" `;
  return `${said}${done.length === 0 ? "Nothing had to be done" : done.join("; ")}. It ended on ${place}.`;
}
