import { setTimeout as sleep } from "node:timers/promises";
import { EMPTY_NODE, type Observation } from "../../browser/observation/observation.ts";
import type { BrowserSession, Mark } from "../../browser/session/browser-session.ts";
import type { Clock } from "../../lib/clock.ts";
import { inSpan } from "../../lib/tracing.ts";
import type { CostMeter } from "../../models/usage.ts";
import type { ActionCall, ActionReport } from "../actions/action.ts";
import { performCalls } from "../actions/perform-calls.ts";
import type { CapturedPages } from "../grounding/captured-pages.ts";
import type { Claim, Task } from "../grounding/claim.ts";
import type { Plan } from "../planner/planner.ts";
import { type Ending, endWith } from "./ending.ts";
import type { ErrandLimits } from "./errand.ts";
import { explainGivingUp, findBotWall, findObstacle, findPageFault, lastDocumentStatus } from "./obstacles.ts";
import type { StepRecorder } from "./step-recorder.ts";

export interface RunContext {
  readonly plan: Plan;
  readonly task: Task;
  readonly session: BrowserSession;
  readonly recorder: StepRecorder;
  readonly captured: CapturedPages;
  readonly meter: CostMeter;
  readonly limits: ErrandLimits;
  /** When the run began, for the session and for the clock on the wall. */
  readonly begin: Mark;
  readonly startedAtMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Where the run stands after a turn. */
interface LoopState {
  readonly observation: Observation;
  readonly reports: readonly ActionReport[];
  /** Why it cannot go on from here; null when it may. */
  readonly ending: Ending | null;
}

/** A tab that has not been anywhere yet: there is nothing to look at. */
const EMPTY_PAGE = {
  url: "about:blank",
  title: "",
  root: { ...EMPTY_NODE, role: "document" },
  tabs: [],
  fingerprint: "about:blank",
};
const BLANK_OBSERVATION: Observation = {
  ...EMPTY_PAGE,
  number: 0,
  viewport: { width: 0, height: 0 },
  scroll: { y: 0, pageHeight: 0 },
  dialog: null,
};

/** Loading a page again changes nothing, so a site that stumbles gets another chance. */
const OPENING_DELAYS_MS = [0, 300, 1_200];

/** How the journey ended, and what was to be seen then. */
interface PlanResult {
  readonly end: Claim | Ending;
  readonly observation: Observation;
}

/** From the start page until the planner claims that it is done or the run has to end. */
export async function followPlan(journey: RunContext): Promise<PlanResult> {
  return await runLoop(journey, await openStart(journey));
}

/** Why a call must not be done from here; null when it may. */
type CallGuard = (call: ActionCall) => Ending | null;

/** The same from where the browser stands now, for a planner that has reconsidered. */
export async function resumePlan(journey: RunContext, objectTo: CallGuard): Promise<PlanResult> {
  const observation = await journey.session.observe(journey.signal);
  return await runLoop(journey, { observation, reports: [], ending: null }, objectTo);
}

/** Observe, decide, act. */
async function runLoop(journey: RunContext, start: LoopState, objectTo: CallGuard = () => null): Promise<PlanResult> {
  const { plan, session, recorder, limits, signal } = journey;
  const { maxSteps } = limits;
  const repetitions = new RepetitionDetector();
  let position = start;
  for (;;) {
    const { observation, reports } = position;
    const trouble = position.ending ?? findObstacle(observation, reports, plan);
    if (trouble !== null) return { end: trouble, observation };
    const stepsLeft = maxSteps - recorder.count;
    const spent = Math.max(recorder.count / maxSteps, journey.meter.share, timeShare(journey));
    const takePicture = () => session.screenshot();
    const decision = await inSpan("step.decide", {}, () =>
      plan.next({ observation, reports, stepsLeft, spent, takePicture, signal }),
    );
    if (decision.kind === "done") {
      const fault = findPageFault(observation, session.since(journey.begin).requests);
      return { end: fault === null ? decision.claim : endWith("site_error", fault), observation };
    }
    if (decision.kind === "give_up") {
      const { requests } = session.since(journey.begin);
      return { end: explainGivingUp(decision, observation, reports, plan, requests), observation };
    }
    const objection = decision.calls.map(objectTo).find((ending) => ending !== null);
    if (objection) return { end: objection, observation };
    if (stepsLeft <= 0) {
      return { end: endWith("step_limit", `The errand was not done after ${maxSteps} steps.`), observation };
    }
    position = await act(journey, observation, decision.calls.slice(0, stepsLeft), decision.why, repetitions);
  }
}

function timeShare({ startedAtMs, limits }: RunContext): number {
  return (performance.now() - startedAtMs) / limits.maxDurationMs;
}

async function openStart(journey: RunContext): Promise<LoopState> {
  const { plan, task, session, signal } = journey;
  const startUrl = task.startUrl ?? plan.startUrl;
  // What may stand in the tab by now is nothing that the task has asked for.
  if (startUrl === null) {
    return { observation: { ...(await session.observe(signal)), ...EMPTY_PAGE }, reports: [], ending: null };
  }
  let position: LoopState = { observation: BLANK_OBSERVATION, reports: [], ending: null };
  const call = { action: "goto", input: { url: startUrl } };
  for (const delayMs of OPENING_DELAYS_MS) {
    if (delayMs > 0) await sleep(delayMs, undefined, { signal });
    position = await perform(journey, position.observation, [call], "Open the page where the errand starts.");
    const failure = position.reports.at(-1)?.failure ?? null;
    if (failure?.kind === "policy") return { ...position, ending: endWith("policy_violation", failure.message) };
    const status = lastDocumentStatus(position.reports) ?? 200;
    // A wall against robots often answers 503: asking again only makes it taller.
    if (failure === null && (status < 500 || findBotWall(position.observation, position.reports) !== null)) {
      return position;
    }
  }
  const failure = position.reports.at(-1)?.failure;
  const why = failure?.message ?? `It answered ${lastDocumentStatus(position.reports)}.`;
  return { ...position, ending: endWith("site_error", `The start page could not be opened. ${why}`) };
}

async function act(
  journey: RunContext,
  before: Observation,
  calls: readonly ActionCall[],
  why: string,
  repetitions: RepetitionDetector,
): Promise<LoopState> {
  const position = await perform(journey, before, calls, why);
  const last = position.reports.at(-1);
  if (last === undefined || !repetitions.add(last, before.fingerprint, position.observation.fingerprint)) {
    return position;
  }
  const reason = "The run did the same thing over and over, and the page did not change.";
  return { ...position, ending: endWith("goal_unreachable", reason, "STUCK") };
}

async function perform(
  { session, recorder, captured, clock, signal }: RunContext,
  observation: Observation,
  calls: readonly ActionCall[],
  why: string,
): Promise<LoopState> {
  let startedAt = clock.now();
  const done = await performCalls(calls, {
    session,
    observation,
    signal,
    onSettled: () => recorder.takePicture(),
    async onReport(report, seen) {
      captured.add(seen);
      await recorder.record(report, seen, why, startedAt);
      startedAt = clock.now();
    },
  });
  return { ...done, ending: null };
}

const MAX_REPETITIONS = 3;

/** Notices a run that does the same thing again and again on a page that does not change. */
class RepetitionDetector {
  readonly #counts = new Map<string, number>();

  /** Whether this was once too often. */
  add({ call }: ActionReport, fingerprintBefore: string, fingerprintAfter: string): boolean {
    if (fingerprintBefore !== fingerprintAfter) return false;
    // A ref is only good for one observation: the label says what is meant.
    const { ref: _ref, ...input } = call.input;
    const key = JSON.stringify([fingerprintBefore, call.action, input]);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count >= MAX_REPETITIONS;
  }
}
