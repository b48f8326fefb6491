import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { EMPTY_NODE, type Observation } from "../../browser/observation/observation.ts";
import type { BrowserSession, Mark } from "../../browser/session/browser-session.ts";
import type { Clock } from "../../lib/clock.ts";
import { inSpan } from "../../lib/tracing.ts";
import type { Deadline } from "../../lib/waiting.ts";
import type { CostMeter } from "../../models/usage.ts";
import {
  type ActionCall,
  ActionFailed,
  type ActionReport,
  type CallGate,
  type UnansweredRequest,
} from "../actions/action.ts";
import { performCalls } from "../actions/perform-calls.ts";
import type { Gate } from "../gate/gate.ts";
import type { Takeover } from "../gate/people.ts";
import type { CapturedPages } from "../grounding/captured-pages.ts";
import type { Claim, Task } from "../grounding/claim.ts";
import type { Decision, Plan } from "../planner/planner.ts";
import type { RecordedAction } from "../recipes/recording.ts";
import type { TaskSecrets } from "../task-secrets.ts";
import type { Asking } from "./ask-people.ts";
import { type Ending, endWith } from "./ending.ts";
import type { ErrandLimits } from "./errand.ts";
import { explainGivingUp, findBotWall, findObstacle, findPageFault, lastDocumentStatus } from "./obstacles.ts";
import type { StepRecorder } from "./step-recorder.ts";
import { lendBrowser } from "./takeover.ts";

export interface RunContext {
  readonly plan: Plan;
  readonly task: Task;
  readonly session: BrowserSession;
  readonly secrets: TaskSecrets;
  /** Null only in tests: then everything may be sent. */
  readonly gate: Gate | null;
  readonly recorder: StepRecorder;
  readonly captured: CapturedPages;
  /** Every action of the run, in order. */
  readonly actions: RecordedAction[];
  readonly meter: CostMeter;
  readonly limits: ErrandLimits;
  /** The start of the run in the session's events. */
  readonly begin: Mark;
  readonly deadline: Deadline;
  readonly asking: Asking;
  readonly takeover: Takeover | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The run between two turns. */
interface LoopState {
  readonly observation: Observation;
  /** On the calls of the last turn. */
  readonly reports: readonly ActionReport[];
  /** The last request that was not responded to, while the run is still on the page that sent it. */
  readonly unanswered: UnansweredRequest | null;
  /** Why the run must end here; null when it may continue. */
  readonly ending: Ending | null;
}

/** How following the plan ended, with the last observation. */
interface PlanResult {
  readonly end: Claim | Ending;
  readonly observation: Observation;
}

/** Why a call must not be performed; null when it may. */
type CallGuard = (call: ActionCall) => Ending | null;

/** Observe, decide, act: until the planner claims to be done or the run has to end. */
export async function followPlan(
  run: RunContext,
  start: LoopState,
  guard: CallGuard = () => null,
): Promise<PlanResult> {
  const { plan, session, recorder, meter, signal } = run;
  const { maxSteps } = run.limits;
  const repetitions = new RepetitionDetector();
  let state = start;
  for (;;) {
    state = await yieldToPerson(run, state);
    const { observation, reports } = state;
    const obstacle = state.ending ?? findObstacle(observation, reports, plan);
    if (obstacle !== null) {
      const passed = await passWithHelp(run, obstacle, observation);
      if (passed === null) return { end: obstacle, observation };
      state = passed;
      continue;
    }
    const stepsLeft = maxSteps - recorder.count;
    const spent = Math.max(recorder.count / maxSteps, meter.spentShare, run.deadline.spentShare);
    const takeScreenshot = () => session.screenshot();
    const turn = { observation, reports, stepsLeft, spent, takeScreenshot, signal, ...run.asking.for(observation) };
    // On a large page, what was done until here and the decision take long together.
    await setImmediate();
    const decision = await inSpan("step.decide", {}, () => plan.next(turn));
    if (decision.kind !== "act") return { end: conclude(run, decision, state), observation };
    const refusal = decision.calls.map(guard).find((ending) => ending !== null);
    const outOfSteps = () => endWith("step_limit", `The errand was not done after ${maxSteps} steps.`);
    if (refusal || stepsLeft <= 0) return { end: refusal ?? outOfSteps(), observation };
    // They may have taken over meanwhile: the planner decided on what they found.
    state = await yieldToPerson(run, state);
    state = await perform(run, state, decision.calls.slice(0, stepsLeft), decision.why);
    if (repetitions.add(state.reports.at(-1), observation.fingerprint, state.observation.fingerprint)) {
      return { end: conclude(run, { kind: "give_up", ...STUCK }, state), observation: state.observation };
    }
  }
}

const STUCK = endWith(
  "goal_unreachable",
  "The run repeated the same action several times and the page did not change.",
  "STUCK",
);

/** A person may pass a page that wants to be sure that one is there. Null when nobody did. */
async function passWithHelp(run: RunContext, obstacle: Ending, observation: Observation): Promise<LoopState | null> {
  if (obstacle.failure !== "blocked") return null;
  const after = await lendBrowser(run, observation, () => run.asking.letPersonPass(obstacle, observation));
  return after === null ? null : { observation: after, reports: [], unanswered: null, ending: null };
}

/** Pauses while a person has the browser, and continues with the page as they leave it. */
async function yieldToPerson(run: RunContext, state: LoopState): Promise<LoopState> {
  const { takeover, signal } = run;
  if (takeover?.isWanted !== true) return state;
  const observation = await lendBrowser(run, state.observation, () => takeover.waitUntilHandedBack(signal));
  return observation === null ? state : { ...state, observation };
}

/** Before each of several actions: a person who has taken over comes first. */
function pausable(gate: CallGate | null, takeover: Takeover | null): { gate?: CallGate } {
  if (gate === null || takeover === null) return gate === null ? {} : { gate };
  return {
    gate: {
      admit(call, observation, signal) {
        if (takeover.isWanted) throw new ActionFailed("stale", "A person has taken over. Look at the page again.");
        return gate.admit(call, observation, signal);
      },
      end: (after) => gate.end(after),
    },
  };
}

/** A planner that is done or gives up may not know that the site failed. */
function conclude(
  { plan, session, begin }: RunContext,
  decision: Exclude<Decision, { kind: "act" }>,
  { observation, reports, unanswered }: LoopState,
): Claim | Ending {
  const { requests } = session.since(begin);
  if (decision.kind === "give_up") {
    return explainGivingUp(decision, observation, reports, plan, requests, unanswered);
  }
  const fault = findPageFault(observation, requests);
  return fault === null ? decision.claim : endWith("site_error", fault);
}

/** Loading a page again changes nothing, so a site that fails at first gets another chance. */
const OPENING_DELAYS_MS = [0, 300, 1_200];

/** The page of a tab that has not been anywhere yet. */
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

export async function openStartPage(run: RunContext): Promise<LoopState> {
  const { plan, task, session, signal } = run;
  const startUrl = plan.startUrl ?? task.startUrl;
  // The tab may show the page of the sign-in probe, which the task did not ask for: the planner does not see it.
  if (startUrl === null) {
    return {
      observation: { ...(await session.observe(signal)), ...EMPTY_PAGE },
      reports: [],
      unanswered: null,
      ending: null,
    };
  }
  let state: LoopState = { observation: BLANK_OBSERVATION, reports: [], unanswered: null, ending: null };
  const call = { action: "goto", input: { url: startUrl } };
  for (const delayMs of OPENING_DELAYS_MS) {
    if (delayMs > 0) await sleep(delayMs, undefined, { signal });
    state = await perform(run, state, [call], "Open the start page.");
    const failure = state.reports.at(-1)?.failure ?? null;
    if (failure?.kind === "policy") return { ...state, ending: endWith("policy_violation", failure.message) };
    const status = lastDocumentStatus(state.reports) ?? 200;
    // Bot walls often respond with 503: asking again makes them stricter.
    if (failure === null && (status < 500 || findBotWall(state.observation, state.reports) !== null)) return state;
  }
  const failure = state.reports.at(-1)?.failure;
  const why = failure?.message ?? `The site responded with ${lastDocumentStatus(state.reports)}.`;
  return { ...state, ending: endWith("site_error", `The start page could not be opened. ${why}`) };
}

async function perform(
  { session, gate, takeover, recorder, captured, actions, clock, signal, secrets }: RunContext,
  { observation, unanswered: earlier }: LoopState,
  calls: readonly ActionCall[],
  why: string,
): Promise<LoopState> {
  let startedAt = clock.now();
  let before = observation;
  const performed = await performCalls(calls, {
    session,
    observation,
    secrets,
    ...pausable(gate, takeover),
    signal,
    beforeAction: () => recorder.screenshotTaken(),
    onSettled: () => recorder.takeScreenshot(),
    onReport(report, after) {
      captured.add(after);
      actions.push({ report, before, after });
      before = after;
      recorder.record(report, after, why, startedAt);
      startedAt = clock.now();
    },
  });
  const unanswered = performed.reports.findLast((report) => report.unanswered !== null)?.unanswered ?? null;
  const isSamePage = performed.observation.url === observation.url;
  return { ...performed, unanswered: unanswered ?? (isSamePage ? earlier : null), ending: null };
}

const MAX_REPETITIONS = 3;
/** Looking again is how a page is waited for. */
const MAX_LOOKS = 10;

/** Detects that the same action is repeated on a page that does not change. */
class RepetitionDetector {
  readonly #counts = new Map<string, number>();

  /** Whether this was one repetition too many. */
  add(report: ActionReport | undefined, fingerprintBefore: string, fingerprintAfter: string): boolean {
    if (report === undefined) return false;
    const { call, data } = report;
    // Scrolling on over rows that were all there before is not a repetition.
    if (call.action === "scroll" && data !== null) return false;
    if (fingerprintBefore !== fingerprintAfter) {
      // What did nothing before may work now.
      this.#counts.clear();
      return false;
    }
    // A ref is valid for one observation only; the label identifies the target.
    const { ref: _ref, ...input } = call.input;
    const key = JSON.stringify([fingerprintBefore, call.action, input]);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count >= (call.action === "look" ? MAX_LOOKS : MAX_REPETITIONS);
  }
}
