import { diffLines } from "../../browser/observation/diff-lines.ts";
import type { Observation } from "../../browser/observation/observation.ts";
import { toLines } from "../../browser/observation/to-lines.ts";
import type { BrowserSession, PinnedElement, SessionEvents } from "../../browser/session/browser-session.ts";
import { READ_ONLY_FAILURE } from "../../browser/session/network-record.ts";
import { untilAborted } from "../../lib/until-aborted.ts";
import { type Action, ActionFailed } from "./action.ts";
import type { ActionCall, ActionReport } from "./action-report.ts";
import { ACTIONS } from "./catalogue.ts";
import { checkInput } from "./check-input.ts";
import { failureOf } from "./failure-of.ts";
import { pinElement } from "./pin-element.ts";
import { quote } from "./plain-text.ts";
import { toPublicCall } from "./public-call.ts";

const DEFAULT_DEADLINE_MS = 10_000;
/** What does not touch the page can be done while a dialog holds it. */
const WORKS_BESIDE_DIALOG: ReadonlySet<string> = new Set(["dialog", "find", "read", "look"]);

export interface Surroundings {
  readonly session: BrowserSession;
  /** The newest one. */
  readonly observation: Observation;
  readonly signal: AbortSignal;
  /** Called when the page has come to rest, before it is looked at. */
  readonly onSettled?: () => void;
}

/** Does one thing and says what is different afterwards. Throws only what ends the run: an abort, a lost browser. */
export async function performCall(
  call: ActionCall,
  surroundings: Surroundings,
): Promise<{ report: ActionReport; observation: Observation }> {
  const { session, observation, signal } = surroundings;
  signal.throwIfAborted();
  const mark = session.mark();
  const { failure, data } = await attempt(call, surroundings);
  surroundings.onSettled?.();
  const after = await session.observe(signal);
  const events = session.since(mark);
  const { added, removed } = diffLines(linesOf(observation), linesOf(after));
  const report: ActionReport = {
    call: toPublicCall(call, observation),
    failure: failure ?? findRefusal(events, after.url),
    data,
    urlBefore: observation.url,
    urlAfter: after.url,
    added,
    removed,
    events,
  };
  return { report, observation: after };
}

/** Without the focus: every click moves it, and a click that moved nothing else has changed nothing. */
function linesOf({ root }: Observation): string[] {
  return toLines(root).map((line) => line.replace(/ \[active\](?=(?: \[[^\]]*\])*$)/, ""));
}

async function attempt(call: ActionCall, surroundings: Surroundings): Promise<Pick<ActionReport, "failure" | "data">> {
  try {
    return { failure: null, data: await run(call, surroundings) };
  } catch (error) {
    surroundings.signal.throwIfAborted();
    const failure = failureOf(error);
    if (failure === null) throw error;
    return { failure, data: null };
  }
}

async function run(call: ActionCall, { session, observation, signal }: Surroundings): Promise<unknown> {
  const action = getAction(call.action);
  checkInput(action, call.input);
  refuseBesideDialog(action, session);
  const element = await pinIfNamed(action, call, session);
  const deadline = AbortSignal.timeout(action.deadlineMs ?? DEFAULT_DEADLINE_MS);
  // An action that a dialog has interrupted must not go on by itself once the dialog is answered.
  const isOver = new AbortController();
  const limit = AbortSignal.any([signal, deadline, isOver.signal]);
  // Whatever is stuck in the browser, we are not.
  const act = () => untilAborted(action.run(call.input, { session, observation, signal: limit, element }), limit);
  try {
    // The deadline is for the act, not for what it sets off: a slow answer to a form is no failure to send it.
    return await (action.effect === "read" ? act() : session.settle(act, signal));
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw new ActionFailed("timeout", `${action.name} was not done in time.`, { cause: error });
  } finally {
    isOver.abort();
  }
}

function getAction(name: string): Action {
  const action = ACTIONS.get(name);
  if (action !== undefined) return action;
  const known = [...ACTIONS.keys()].join(", ");
  throw new ActionFailed("invalid_input", `There is no action ${quote(name)}. There are: ${known}.`);
}

function refuseBesideDialog({ name }: Action, { dialog }: BrowserSession): void {
  if (dialog === null || WORKS_BESIDE_DIALOG.has(name)) return;
  const what = `The page shows ${dialog.kind === "alert" ? "an" : "a"} ${dialog.kind} ${quote(dialog.message, 200)}`;
  throw new ActionFailed("dialog_open", `${what}. Answer it first, with the action dialog.`);
}

/** Actions that only read look at the observation and leave the element alone. */
async function pinIfNamed(
  action: Action,
  { input }: ActionCall,
  session: BrowserSession,
): Promise<PinnedElement | null> {
  const { ref, label } = input;
  if (action.effect === "read" || typeof ref !== "string") return null;
  return await pinElement(session, { ref, label: typeof label === "string" ? label : undefined });
}

/** The page would have gone where this run may not go, or would have sent a form in a run that only reads. */
function findRefusal({ requests }: SessionEvents, urlAfter: string): ActionReport["failure"] {
  const refused = requests.find(
    ({ isNavigation, failure, url }) =>
      isNavigation &&
      failure !== null &&
      (failure === READ_ONLY_FAILURE ||
        (failure.startsWith("refused") && (url === urlAfter || urlAfter.startsWith("chrome-error:")))),
  );
  if (refused === undefined) return null;
  return { kind: "policy", message: `${refused.method} ${quote(refused.url, 200)} was ${refused.failure}.` };
}
