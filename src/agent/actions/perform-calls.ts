import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Frame } from "playwright-core";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { type Observation, walk } from "../../browser/observation/observation.ts";
import { diffLines, toLinesWithoutFocus } from "../../browser/observation/observation-text.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { placeField } from "../../browser/observation/twin-fields.ts";
import type { BrowserSession, SessionEvents } from "../../browser/session/browser-session.ts";
import { inSpan } from "../../lib/tracing.ts";
import { abortable } from "../../lib/waiting.ts";
import type { TaskSecrets } from "../task-secrets.ts";
import {
  type Action,
  type ActionCall,
  ActionFailed,
  type ActionReport,
  type CallGate,
  type HeldBack,
  toActionFailure,
} from "./action.ts";
import { ACTIONS } from "./catalogue.ts";
import { quote } from "./plain-text.ts";
import { toPublicCall } from "./public-call.ts";
import { getEnabledElement, pinElement } from "./target.ts";

const MAX_CALLS = 5;

interface Options extends CallContext {
  /** Called after each call, with the observation after it. */
  readonly onReport?: (report: ActionReport, observation: Observation) => void;
}

/**
 * Performs up to five calls that were decided on one observation. Stops as soon as that observation no longer holds for
 * the next call. Returns a report for each call that was started, in order.
 */
export async function performCalls(
  calls: readonly ActionCall[],
  { observation: first, onReport, ...given }: Options,
): Promise<{ reports: ActionReport[]; observation: Observation }> {
  const reports: ActionReport[] = [];
  let observation = first;
  for (const call of calls.slice(0, MAX_CALLS)) {
    if (reports.length > 0 && !isStillThere(call, first, observation)) break;
    const context = { ...given, observation };
    // A model may call an action that does not exist, by any name.
    const action = ACTIONS.has(call.action) ? call.action : "other";
    const performed = await inSpan("step.act", { "errand.action": action }, async (span) => {
      const result = await performCall(call, context);
      if (result.report.failure !== null) span?.fail(result.report.failure.kind);
      return result;
    });
    reports.push(performed.report);
    observation = performed.observation;
    onReport?.(performed.report, observation);
    if (endsSequence(performed.report, observation)) break;
  }
  return { reports, observation };
}

/** What may follow on a page that has replaced its URL, as editors do when they save by themselves. */
const ENTRIES: ReadonlySet<string> = new Set(["fill", "edit", "select", "check"]);

/** Whether the page and the elements of the call are still the ones the planner saw. */
function isStillThere({ action, input }: ActionCall, first: Observation, newest: Observation): boolean {
  if (!isSameUrl(first.url, newest.url) && !ENTRIES.has(action)) return false;
  const refs = [input.ref, input.to_ref].filter((ref) => typeof ref === "string");
  return refs.every((ref) => {
    const seen = findByRef(first, ref);
    const now = findByRef(newest, ref);
    return seen !== null && now !== null && seen.role === now.role && seen.name === now.name;
  });
}

const NEEDS_ENABLED: ReadonlySet<string> = new Set([...ENTRIES, "click"]);

function findPlace({ action, input: { ref } }: ActionCall, observation: Observation): ActionReport["place"] {
  const field = ENTRIES.has(action) && typeof ref === "string" ? findByRef(observation, ref) : null;
  return field === null ? null : placeField(observation.root, field);
}

function findByRef({ root }: Observation, ref: string) {
  for (const { node } of walk(root)) if (node.ref === ref) return node;
  return null;
}

function endsSequence({ failure, events, urlAfter }: ActionReport, { dialog }: Observation): boolean {
  const hasNavigated = events.requests.some(({ isNavigation, url }) => isNavigation && isSameDocument(url, urlAfter));
  return (
    failure !== null || dialog !== null || events.dialogs.length > 0 || events.openedTabs.length > 0 || hasNavigated
  );
}

/** A click on a link to "#" adds an empty fragment and navigates nowhere. */
function isSameUrl(one: string, other: string): boolean {
  return one.replace(/#$/, "") === other.replace(/#$/, "");
}

function isSameDocument(one: string, other: string): boolean {
  return one.split("#")[0] === other.split("#")[0];
}

const DEFAULT_DEADLINE_MS = 10_000;
/** Actions that do not touch the page, and so work while a dialog blocks it. */
export const WORKS_DURING_DIALOG: ReadonlySet<string> = new Set(["dialog", "find", "read", "look"]);

interface CallContext {
  readonly session: BrowserSession;
  /** The newest one. */
  readonly observation: Observation;
  readonly signal: AbortSignal;
  readonly secrets: TaskSecrets;
  /** Without it, everything may be sent. */
  readonly gate?: CallGate;
  /** Awaited before the page is changed. */
  readonly beforeAction?: () => Promise<void>;
  /** Called when the page has settled, before it is observed. */
  readonly onSettled?: () => void;
}

/** Performs one call and reports what changed. Throws only what ends the run: an abort, a lost browser. */
async function performCall(
  call: ActionCall,
  context: CallContext,
): Promise<{ report: ActionReport; observation: Observation }> {
  const { session, observation, signal } = context;
  signal.throwIfAborted();
  const mark = session.mark();
  const startedMs = performance.now();
  const { failure, data } = await attempt(call, context);
  const waitedMs = performance.now() - startedMs;
  context.onSettled?.();
  const after = await observeUsable(session, signal);
  const events = session.since(mark);
  const held = context.gate?.end(after) ?? null;
  // Comparing two large pages takes a long time: other work of the process comes before it, and before what is done with the result.
  await setImmediate();
  const { added, removed } = diffLines(toLinesWithoutFocus(observation), toLinesWithoutFocus(after));
  const hasChanged = added.length > 0 || removed.length > 0 || after.url !== observation.url;
  const report: ActionReport = {
    call: toPublicCall(call, observation),
    place: findPlace(call, observation),
    failure: toHeldFailure(held, hasChanged) ?? failure ?? findBlockedNavigation(events, after.url),
    heldBack: held?.message ?? null,
    data,
    urlBefore: observation.url,
    urlAfter: after.url,
    added,
    removed,
    events,
    unanswered: findUnanswered(events, waitedMs),
  };
  await setImmediate();
  return { report, observation: after };
}

/** How long a layer without any controls may stay in front of all others, as a splash screen does. */
const COVERED_MS = 3_000;
const COVERED_PAUSE_MS = 200;

/** A page on which nothing can be used is most likely still starting, or busy with what was just done. */
async function observeUsable(session: BrowserSession, signal: AbortSignal): Promise<Observation> {
  const startedMs = performance.now();
  for (;;) {
    const observation = await session.observe(signal);
    if (!isCovered(observation) || performance.now() - startedMs >= COVERED_MS) return observation;
    await sleep(COVERED_PAUSE_MS, undefined, { signal });
  }
}

/** Whether all controls are behind something that has none itself. */
function isCovered({ root, dialog }: Observation): boolean {
  let hasHidden = false;
  for (const { node } of walk(root)) {
    if (node.ref === null) continue;
    if (node.isBehind !== true) return false;
    hasHidden = true;
  }
  return hasHidden && dialog === null;
}

/** An action whose request was held back has failed, unless the page did something and may have sent it by itself. */
function toHeldFailure(held: HeldBack | null, hasChanged: boolean): ActionReport["failure"] {
  const hasFailed = held?.fails === "always" || (held?.fails === "without change" && !hasChanged);
  return hasFailed ? { kind: "commit", message: held.message } : null;
}

async function attempt(call: ActionCall, context: CallContext): Promise<Pick<ActionReport, "failure" | "data">> {
  try {
    return { failure: null, data: await runAction(call, context) };
  } catch (error) {
    context.signal.throwIfAborted();
    const failure = toActionFailure(error);
    if (failure === null) throw error;
    return { failure, data: null };
  }
}

async function runAction(call: ActionCall, context: CallContext): Promise<unknown> {
  const { session, observation, signal } = context;
  const action = getAction(call.action);
  checkInput(action, call.input);
  rejectDuringDialog(action, session);
  const element = await pinIfNamed(action, call, session);
  rejectStraySecret(call, element, context);
  // Nobody is asked about what cannot be done.
  if (call.commit !== undefined && NEEDS_ENABLED.has(action.name)) await getEnabledElement({ element, signal });
  await context.gate?.admit(call, observation, signal);
  await context.beforeAction?.();
  const deadline = AbortSignal.timeout(action.deadlineMs ?? DEFAULT_DEADLINE_MS);
  // An action that a dialog interrupted must not continue by itself once the dialog is answered.
  const isOver = new AbortController();
  const limit = AbortSignal.any([signal, deadline, isOver.signal]);
  // `abortable`: we do not hang when the browser does.
  const act = () => abortable(action.run(call.input, { session, observation, signal: limit, element }), limit);
  try {
    // The deadline is for the action, not for its consequences: a slow response to a form does not mean that it was not sent.
    return await (action.effect === "read" ? act() : session.settle(act, signal));
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw new ActionFailed("timeout", `${action.name} did not finish in time.`, { cause: error });
  } finally {
    isOver.abort();
  }
}

function getAction(name: string): Action {
  const action = ACTIONS.get(name);
  if (action !== undefined) return action;
  const known = [...ACTIONS.keys()].join(", ");
  throw new ActionFailed("invalid_input", `There is no action ${quote(name)}. Available: ${known}.`);
}

function rejectDuringDialog({ name }: Action, { dialog }: BrowserSession): void {
  if (dialog === null || WORKS_DURING_DIALOG.has(name)) return;
  const what = `The page shows ${dialog.kind === "alert" ? "an" : "a"} ${dialog.kind} ${quote(dialog.message, 200)}`;
  throw new ActionFailed("dialog_open", `${what}. Answer it first, with the action dialog.`);
}

/** Actions that only read use the observation and do not touch the element. */
async function pinIfNamed(
  action: Action,
  { input }: ActionCall,
  session: BrowserSession,
): Promise<PinnedElement | null> {
  const { ref, label } = input;
  if (action.effect === "read" || typeof ref !== "string") return null;
  return await pinElement(session, { ref, label: typeof label === "string" ? label : undefined });
}

/** Inputs that say what to act on. The others may reach the site. */
const TARGET_INPUTS: ReadonlySet<string> = new Set(["ref", "label", "to_ref", "to_label"]);

/** A secret in the task is typed only on the hosts it belongs to: the start host, and those that the prompt names. */
function rejectStraySecret(
  { action, input }: ActionCall,
  element: PinnedElement | null,
  { observation, secrets }: CallContext,
): void {
  const values = Object.entries(input).flatMap(([name, value]) => (TARGET_INPUTS.has(name) ? [] : [value].flat()));
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length === 0) return;
  const frameUrl = element === null ? observation.url : findFrameUrl(element);
  const url = action === "goto" && typeof input["url"] === "string" ? input["url"] : frameUrl;
  const isMasked = typeof input["ref"] === "string" && findByRef(observation, input["ref"])?.field?.isSecret === true;
  if (texts.every((text) => secrets.mayEnter(text, url, isMasked))) return;
  const host = URL.parse(url)?.host ?? "";
  throw new ActionFailed(
    "policy",
    `A secret of the task is entered only on the host where the task starts and on hosts that the task names, and ${quote(host, 100)} is neither.`,
  );
}

/** A frame without a URL of its own belongs to the page around it. */
function findFrameUrl({ handle }: PinnedElement): string {
  let frame: Frame | null = handle.frame;
  while (frame !== null && !/^https?:/.test(frame.url()) && frame.parentFrame() !== null) frame = frame.parentFrame();
  return frame?.url() ?? "";
}

/** A navigation that was blocked: to a host that is not allowed, or a form in a read-only run. */
function findBlockedNavigation({ requests }: SessionEvents, urlAfter: string): ActionReport["failure"] {
  const blocked = requests.find(
    ({ isNavigation, blockedBy, url }) =>
      isNavigation &&
      (blockedBy === "read_only" ||
        (blockedBy === "allow_list" && (url === urlAfter || urlAfter.startsWith("chrome-error:")))),
  );
  if (blocked === undefined) return null;
  return { kind: "policy", message: `${blocked.method} ${quote(blocked.url, 200)} was ${blocked.failure}.` };
}

/** A page waits for these. Everything else may stay open for as long as it likes. */
const AWAITED: ReadonlySet<string> = new Set(["document", "fetch", "xhr"]);
/** Shorter than any wait that ended because it was too long. */
const MIN_WAIT_MS = 3_000;

/** The newest request to the site that has no response although the action waited for it. */
function findUnanswered({ requests }: SessionEvents, waitedMs: number): ActionReport["unanswered"] {
  if (waitedMs < MIN_WAIT_MS) return null;
  const silent = requests.findLast(
    ({ status, failure, blockedBy, isFirstParty, isNavigation, resourceType }) =>
      status === null &&
      blockedBy === null &&
      isFirstParty &&
      AWAITED.has(resourceType) &&
      (failure === null || (isNavigation && failure.includes("ERR_ABORTED"))),
  );
  return silent === undefined ? null : { method: silent.method, url: silent.url, waitedMs };
}

type Problem = ReturnType<typeof Value.Errors>[number];

/** Throws invalid_input, naming the field, unless the input matches the action's schema. */
function checkInput(action: Action, input: unknown): void {
  if (Value.Check(action.input, input)) return;
  const [problem] = Value.Errors(action.input, input);
  const description = problem === undefined ? "the input is invalid" : describeProblem(problem, action.input);
  throw new ActionFailed("invalid_input", `${action.name}: ${description}.`);
}

function describeProblem(problem: Problem, schema: TSchema): string {
  const field = problem.instancePath.slice(1).replaceAll("/", ".");
  switch (problem.keyword) {
    case "required":
      return `${problem.params.requiredProperties.map((name) => `"${name}"`).join(" and ")} is missing`;
    case "boolean":
    case "additionalProperties":
      return `there is no field "${field || "?"}"; it has ${fieldNames(schema).join(", ") || "no fields"}`;
    case "enum":
      return `"${field}" must be one of ${problem.params.allowedValues.map(String).join(", ")}`;
    default:
      return field === "" ? `the input ${problem.message}` : `"${field}" ${problem.message}`;
  }
}

function fieldNames(schema: TSchema): string[] {
  return "properties" in schema ? Object.keys(schema.properties as object) : [];
}
