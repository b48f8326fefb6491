import { setTimeout as sleep } from "node:timers/promises";
import type { Observation } from "../browser/observation/observation.ts";
import { EMPTY_NODE } from "../browser/observation/tree.ts";
import type { BrowserSession, Mark } from "../browser/session/browser-session.ts";
import type { Clock } from "../lib/clock.ts";
import { inSpan } from "../lib/tracing.ts";
import type { ActionCall, ActionReport } from "./actions/action-report.ts";
import { performCalls } from "./actions/perform-calls.ts";
import type { CapturedPages } from "./captured-pages.ts";
import type { CostMeter } from "./cost-meter.ts";
import { type Ending, endWith } from "./ending.ts";
import type { ErrandLimits } from "./errand.ts";
import type { Claim, Plan, Task } from "./planner/planner.ts";
import type { StepRecorder } from "./step-recorder.ts";
import { Repetitions } from "./stuck.ts";
import { findBotWall } from "./walls/bot-wall.ts";
import { explainGivingUp, findPageFault, findTrouble, lastDocumentStatus } from "./walls/find-trouble.ts";

export interface Journey {
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
interface Position {
  readonly observation: Observation;
  readonly reports: readonly ActionReport[];
  /** Why it cannot go on from here; null when it may. */
  readonly ending: Ending | null;
}

/** A tab that has not been anywhere yet: there is nothing to look at. */
const NOTHING_SEEN = {
  url: "about:blank",
  title: "",
  root: { ...EMPTY_NODE, role: "document" },
  tabs: [],
  fingerprint: "about:blank",
};
const BLANK: Observation = {
  ...NOTHING_SEEN,
  number: 0,
  viewport: { width: 0, height: 0 },
  scroll: { y: 0, pageHeight: 0 },
  dialog: null,
};

/** Loading a page again changes nothing, so a site that stumbles gets another chance. */
const OPENING_DELAYS_MS = [0, 300, 1_200];

/** How the journey ended, and what was to be seen then. */
export interface Arrival {
  readonly end: Claim | Ending;
  readonly observation: Observation;
}

/** From the start page until the planner claims that it is done or the run has to end. */
export async function followPlan(journey: Journey): Promise<Arrival> {
  return await travel(journey, await openStart(journey));
}

/** Why a call must not be done from here; null when it may. */
export type Objector = (call: ActionCall) => Ending | null;

/** The same from where the browser stands now, for a planner that has reconsidered. */
export async function resumePlan(journey: Journey, objectTo: Objector): Promise<Arrival> {
  const observation = await journey.session.observe(journey.signal);
  return await travel(journey, { observation, reports: [], ending: null }, objectTo);
}

/** Observe, decide, act. */
async function travel(journey: Journey, start: Position, objectTo: Objector = () => null): Promise<Arrival> {
  const { plan, session, recorder, limits, signal } = journey;
  const { maxSteps } = limits;
  const repetitions = new Repetitions();
  let position = start;
  for (;;) {
    const { observation, reports } = position;
    const trouble = position.ending ?? findTrouble(observation, reports, plan);
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

function timeShare({ startedAtMs, limits }: Journey): number {
  return (performance.now() - startedAtMs) / limits.maxDurationMs;
}

async function openStart(journey: Journey): Promise<Position> {
  const { plan, task, session, signal } = journey;
  const startUrl = task.startUrl ?? plan.startUrl;
  // What may stand in the tab by now is nothing that the task has asked for.
  if (startUrl === null) {
    return { observation: { ...(await session.observe(signal)), ...NOTHING_SEEN }, reports: [], ending: null };
  }
  let position: Position = { observation: BLANK, reports: [], ending: null };
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
  journey: Journey,
  before: Observation,
  calls: readonly ActionCall[],
  why: string,
  repetitions: Repetitions,
): Promise<Position> {
  const position = await perform(journey, before, calls, why);
  const last = position.reports.at(-1);
  if (last === undefined || !repetitions.add(last, before.fingerprint, position.observation.fingerprint)) {
    return position;
  }
  const reason = "The run did the same thing over and over, and the page did not change.";
  return { ...position, ending: endWith("goal_unreachable", reason, "STUCK") };
}

async function perform(
  { session, recorder, captured, clock, signal }: Journey,
  observation: Observation,
  calls: readonly ActionCall[],
  why: string,
): Promise<Position> {
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
