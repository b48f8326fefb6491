import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { type Observation, walk } from "../../browser/observation/observation.ts";
import { diffLines, toLines } from "../../browser/observation/observation-text.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import type { BrowserSession, SessionEvents } from "../../browser/session/browser-session.ts";
import { READ_ONLY_FAILURE } from "../../browser/session/network-record.ts";
import { inSpan } from "../../lib/tracing.ts";
import { abortable } from "../../lib/waiting.ts";
import { type Action, type ActionCall, ActionFailed, type ActionReport, toActionFailure } from "./action.ts";
import { ACTIONS } from "./catalogue.ts";
import { quote } from "./plain-text.ts";
import { toPublicCall } from "./public-call.ts";
import { pinElement } from "./target.ts";

const MAX_CALLS = 5;

interface Options extends CallContext {
  /** After each call, with what is to be seen then. */
  readonly onReport?: (report: ActionReport, observation: Observation) => Promise<void> | void;
}

/**
 * Carries out up to five calls that were decided on one look at the page, and stops as soon as that look says nothing
 * any more about what comes next. The reports are those of the calls that were begun, in order.
 */
export async function performCalls(
  calls: readonly ActionCall[],
  { session, observation: first, signal, onSettled, onReport }: Options,
): Promise<{ reports: ActionReport[]; observation: Observation }> {
  const reports: ActionReport[] = [];
  let observation = first;
  for (const call of calls.slice(0, MAX_CALLS)) {
    if (reports.length > 0 && !isStillThere(call, first, observation)) break;
    const surroundings = { session, observation, signal, ...(onSettled === undefined ? {} : { onSettled }) };
    const done = await inSpan("step.act", { "errand.action": actionName(call) }, async (span) => {
      const performed = await performCall(call, surroundings);
      if (performed.report.failure !== null) span?.fail(performed.report.failure.kind);
      return performed;
    });
    reports.push(done.report);
    observation = done.observation;
    await onReport?.(done.report, observation);
    if (isEnd(done.report, observation)) break;
  }
  return { reports, observation };
}

/** A model may call what there is not, by any name. */
function actionName({ action }: ActionCall): string {
  return ACTIONS.has(action) ? action : "other";
}

/** Whether the elements of the call are still the ones that the planner saw. */
function isStillThere({ input }: ActionCall, first: Observation, newest: Observation): boolean {
  const refs = [input.ref, input.to_ref].filter((ref) => typeof ref === "string");
  return refs.every((ref) => {
    const seen = findByRef(first, ref);
    const now = findByRef(newest, ref);
    return seen !== null && now !== null && seen.role === now.role && seen.name === now.name;
  });
}

function findByRef({ root }: Observation, ref: string) {
  for (const { node } of walk(root)) if (node.ref === ref) return node;
  return null;
}

function isEnd({ failure, events, urlBefore, urlAfter }: ActionReport, { dialog }: Observation): boolean {
  const hasNavigated = events.requests.some(({ isNavigation, url }) => isNavigation && isSameDocument(url, urlAfter));
  return (
    failure !== null ||
    dialog !== null ||
    events.dialogs.length > 0 ||
    events.openedTabs.length > 0 ||
    !isSameUrl(urlBefore, urlAfter) ||
    hasNavigated
  );
}

/** A click on a link to "#" adds an empty fragment and goes nowhere. */
function isSameUrl(one: string, other: string): boolean {
  return one.replace(/#$/, "") === other.replace(/#$/, "");
}

function isSameDocument(one: string, other: string): boolean {
  return one.split("#")[0] === other.split("#")[0];
}

const DEFAULT_DEADLINE_MS = 10_000;
/** What does not touch the page can be done while a dialog holds it. */
const WORKS_BESIDE_DIALOG: ReadonlySet<string> = new Set(["dialog", "find", "read", "look"]);

interface CallContext {
  readonly session: BrowserSession;
  /** The newest one. */
  readonly observation: Observation;
  readonly signal: AbortSignal;
  /** Called when the page has come to rest, before it is looked at. */
  readonly onSettled?: () => void;
}

/** Does one thing and says what is different afterwards. Throws only what ends the run: an abort, a lost browser. */
async function performCall(
  call: ActionCall,
  surroundings: CallContext,
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

async function attempt(call: ActionCall, surroundings: CallContext): Promise<Pick<ActionReport, "failure" | "data">> {
  try {
    return { failure: null, data: await runAction(call, surroundings) };
  } catch (error) {
    surroundings.signal.throwIfAborted();
    const failure = toActionFailure(error);
    if (failure === null) throw error;
    return { failure, data: null };
  }
}

async function runAction(call: ActionCall, { session, observation, signal }: CallContext): Promise<unknown> {
  const action = getAction(call.action);
  checkInput(action, call.input);
  refuseBesideDialog(action, session);
  const element = await pinIfNamed(action, call, session);
  const deadline = AbortSignal.timeout(action.deadlineMs ?? DEFAULT_DEADLINE_MS);
  // An action that a dialog has interrupted must not go on by itself once the dialog is answered.
  const isOver = new AbortController();
  const limit = AbortSignal.any([signal, deadline, isOver.signal]);
  // Whatever is stuck in the browser, we are not.
  const act = () => abortable(action.run(call.input, { session, observation, signal: limit, element }), limit);
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

type Problem = ReturnType<typeof Value.Errors>[number];

/** Throws invalid_input, naming the field, unless the input is what the action takes. */
function checkInput(action: Action, input: unknown): void {
  if (Value.Check(action.input, input)) return;
  const problems = Value.Errors(action.input, input);
  const [problem] = problems;
  const said = problem === undefined ? "the input is not what it takes" : describeProblem(problem, action.input);
  throw new ActionFailed("invalid_input", `${action.name}: ${said}.`);
}

function describeProblem(problem: Problem, schema: TSchema): string {
  const field = problem.instancePath.slice(1).replaceAll("/", ".");
  switch (problem.keyword) {
    case "required":
      return `${problem.params.requiredProperties.map((name) => `"${name}"`).join(" and ")} is missing`;
    case "boolean":
    case "additionalProperties":
      return `there is no field "${field || "?"}"; it takes ${fieldNames(schema).join(", ") || "no fields"}`;
    case "enum":
      return `"${field}" must be one of ${problem.params.allowedValues.map(String).join(", ")}`;
    default:
      return field === "" ? `the input ${problem.message}` : `"${field}" ${problem.message}`;
  }
}

function fieldNames(schema: TSchema): string[] {
  return "properties" in schema ? Object.keys(schema.properties as object) : [];
}
