import type { NetworkRecord } from "../../browser/session/network-record.ts";
import { type AttributedWrite, isBeacon } from "../actions/side-effects.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { onlyAsks } from "../grounding/english-words.ts";
import { redactUrl } from "../safe-text.ts";
import { findRefusal, hasGoodStatus, isAccepted } from "./accepted-writes.ts";
import { type Case, findAllEntries, isEntry } from "./case.ts";
import type { Check } from "./check.ts";
import { carries, isLookup, isLookupRequest } from "./sent-entries.ts";

type Run = Pick<Case, "task" | "steps" | "captured" | "events">;

/**
 * Every request that may change something succeeded. This catches a page that says "saved" while the server returned 500, or
 * 200 with a response that says it failed. A response that never came is unknown, and unknown is never success.
 */
export function checkWrites(writes: readonly AttributedWrite[], run: Run | null = null): Check {
  const about = "The site accepted every change it was sent";
  const attributed = writes.filter((each) => isJudged(each.write) && !isAbandoned(each, writes, run));
  const judged = attributed.map(({ write }) => write);
  const failed = attributed.filter(
    (each) => !isAccepted(each.write) && !isIncidental(each, writes) && !isRepeatedWithSuccess(each.write, judged),
  );
  const refused = failed.find(({ write }) => write.status !== null)?.write;
  if (refused !== undefined) {
    const refusal = hasGoodStatus(refused) ? findRefusal(refused) : null;
    const said = refusal === null ? "" : `, but its response says ${refusal}`;
    return { about, verdict: "contradicted", evidence: `${name(refused)} returned ${refused.status}${said}.` };
  }
  const [pending] = failed;
  if (pending !== undefined) {
    const evidence = `${name(pending.write)} got no response (${pending.write.failure ?? "still waiting"}).`;
    return { about, verdict: "unknown", evidence };
  }
  const evidence =
    judged.length === 0
      ? "No request was sent that could change anything."
      : `${judged.map((write) => `${name(write)}: ${write.status}`).join("; ")}.`;
  return { about, verdict: "satisfied", evidence };
}

/** A page's own beacons, sockets and reports to others say nothing about the errand. They are still listed. */
export function isJudged(write: NetworkRecord): boolean {
  return write.isFirstParty && !isBeacon(write) && write.resourceType !== "websocket";
}

/**
 * A request in the background without a response that the page did not wait for. It came of typing, such as a draft or a
 * lock, and what was typed was sent and accepted later. Or the page was left, and the request is not the change itself.
 */
function isAbandoned({ write, cause }: AttributedWrite, writes: readonly AttributedWrite[], run: Run | null): boolean {
  if (write.status !== null || write.isNavigation) return false;
  if (isReplaced(cause, writes) || isBesideForm(cause, writes)) return true;
  if (run === null) return false;
  const { number } = write;
  const leaving = run.events.requests.find((later) => later.isNavigation && later.number > number && isAccepted(later));
  return leaving !== undefined && !isOwnChange({ write, cause }, writes, leaving, run);
}

/**
 * Whether a request without a response is the change that a step was for: it carries what was entered on the page, or the run
 * left the page while it was still waiting, and the step had nothing else accepted.
 */
function isOwnChange(
  { write, cause }: AttributedWrite,
  writes: readonly AttributedWrite[],
  leaving: NetworkRecord,
  run: Run,
): boolean {
  if (cause?.effect !== "mutate" || onlyAsks(run.task.prompt) || isLookupRequest(write)) return false;
  if (writes.some((other) => other.cause === cause && isJudged(other.write) && isAccepted(other.write))) return false;
  const isCarrier = findAllEntries(run.steps).some(
    (entry) =>
      entry.kind === "text" &&
      isSamePage(entry.url, cause.url) &&
      carries(write.sent, entry, new Set()) === "yes" &&
      !isLookup(entry, run),
  );
  const next = run.steps.find(({ step }) => step > cause.step);
  return isCarrier || (!isEntry(cause.call) && next !== undefined && leaving.startedAt >= next.at);
}

/** Whether the step submitted a form that was accepted: a page may then release a lock or drop a draft while it is left. */
function isBesideForm(cause: AttributedWrite["cause"], writes: readonly AttributedWrite[]): boolean {
  return (
    cause !== null && writes.some(({ write, cause: own }) => own === cause && write.isNavigation && isAccepted(write))
  );
}

/** Whether a write came of typing, and a later one was accepted. */
function isReplaced(cause: AttributedWrite["cause"], writes: readonly AttributedWrite[]): boolean {
  if (cause === null || !isEntry(cause.call)) return false;
  return writes.some((later) => (later.cause?.step ?? 0) > cause.step && isAccepted(later.write));
}

/**
 * A response that says "failed" to a search, to a check while typing, to what the page asks by itself, or to what it sends
 * beside its own form, such as a draft.
 */
function isIncidental({ write, cause }: AttributedWrite, writes: readonly AttributedWrite[]): boolean {
  if (!hasGoodStatus(write)) return false;
  const isBeside = !write.isNavigation && isBesideForm(cause, writes);
  return cause?.effect !== "mutate" || isLookupRequest(write) || isReplaced(cause, writes) || isBeside;
}

function isRepeatedWithSuccess(write: NetworkRecord, writes: readonly NetworkRecord[]): boolean {
  return writes.some(
    (other) =>
      other.number > write.number &&
      other.method === write.method &&
      other.url === write.url &&
      other.bodyHash === write.bodyHash &&
      isAccepted(other),
  );
}

function name({ method, url }: NetworkRecord): string {
  return `${method} ${redactUrl(url)}`;
}

/** No form was submitted without a step for it: a page that submits itself acts on someone else's behalf. */
export function checkCauses(writes: readonly AttributedWrite[]): Check {
  const about = "Every change was caused by a step of the run";
  const unexplained = writes.find(
    ({ write, cause }) =>
      write.isNavigation &&
      write.isFirstParty &&
      (cause === null || cause.effect === "read" || cause.effect === "navigate"),
  );
  if (unexplained === undefined)
    return { about, verdict: "satisfied", evidence: "No page submitted a form by itself." };
  const { method, url } = unexplained.write;
  const evidence = `${method} ${redactUrl(url)} was sent by the page itself${
    unexplained.cause === null ? "" : ` during: ${unexplained.cause.cause}`
  }.`;
  return { about, verdict: "contradicted", evidence };
}
