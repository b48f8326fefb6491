import type { Observation } from "../../browser/observation/observation.ts";
import { walk } from "../../browser/observation/tree.ts";
import { inSpan } from "../../lib/tracing.ts";
import type { ActionCall, ActionReport } from "./action-report.ts";
import { ACTIONS } from "./catalogue.ts";
import { performCall, type Surroundings } from "./perform-call.ts";

const MAX_CALLS = 5;

interface Options extends Surroundings {
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
    !isSameAddress(urlBefore, urlAfter) ||
    hasNavigated
  );
}

/** A click on a link to "#" adds an empty fragment and goes nowhere. */
function isSameAddress(one: string, other: string): boolean {
  return one.replace(/#$/, "") === other.replace(/#$/, "");
}

function isSameDocument(one: string, other: string): boolean {
  return one.split("#")[0] === other.split("#")[0];
}
