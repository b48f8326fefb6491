import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import { type AttributedWrite, isBeacon } from "../actions/side-effects.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import {
  asksForChange,
  asksForInformation,
  asksToClick,
  findCommitVerb,
  isSavingLabel,
  onlyAsks,
  withoutQuotedText,
} from "../grounding/english-words.ts";
import { DONE, findNotDone } from "../grounding/failure-words.ts";
import { readText } from "../grounding/page-text.ts";
import { redactUrl } from "../safe-text.ts";
import { findRefusal, hasGoodStatus, isAccepted } from "./accepted-writes.ts";
import {
  type Case,
  findAllEntries,
  findEntries,
  findFreshPage,
  hasSecretField,
  identityOf,
  isEntry,
  labelOf,
} from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";
import { carries, isLookup, isLookupLabel, isLookupRequest } from "./sent-entries.ts";

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
function isJudged(write: NetworkRecord): boolean {
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

/** Labels of buttons that may be used twice. */
const HARMLESS_TWICE =
  /\b(?:search|find|filter|sort|show|load|next|previous|refresh|apply|sign in|log in|save|update|close)\b/i;
/** Words of tasks that ask for something more than once. */
const ASKED_SEVERAL = /\b(?:twice|again|both|each|every|all|another|more|times|two|three|four|five|six|\d+)\b/i;

/** Nothing was bought, sent or added twice where the task asks for it once. */
export function checkRepeats({ writes, task }: Case): Check[] {
  if (ASKED_SEVERAL.test(task.prompt.replace(/["“][^"”]*["”]/g, ""))) return [];
  const commits = writes.filter(isCommit);
  const twice = commits.find((commit, index) => commits.slice(0, index).some((one) => isSameCommit(one, commit)));
  if (twice === undefined) return [];
  const { method, url } = twice.write;
  const evidence = `${method} ${redactUrl(url)} was sent and accepted more than once (${twice.cause?.cause ?? ""}).`;
  return [{ about: "Nothing was done twice", verdict: "contradicted", evidence: evidence.slice(0, 300) }];
}

function isCommit({ write, cause }: AttributedWrite): boolean {
  const isOurs = write.isFirstParty && cause?.effect === "mutate" && !HARMLESS_TWICE.test(labelOf(cause.call));
  return isOurs && isAccepted(write) && write.method === "POST";
}

/** The same action and the same request in two steps. A page may send a request several times for one click. */
function isSameCommit(one: AttributedWrite, other: AttributedWrite): boolean {
  if (one.cause === null || other.cause === null) return false;
  return (
    one.cause.step !== other.cause.step &&
    identityOf(one.cause.call) === identityOf(other.cause.call) &&
    one.write.url === other.write.url &&
    one.write.bodyHash === other.write.bodyHash
  );
}

/** Buttons on the way to an answer: paging, signing in, consent. */
const ON_THE_WAY =
  /\b(?:next|previous|more|sign in|log ?in|sign on|accept|agree|consent|cookies?|got it|dismiss|close|reject)\b/i;

/**
 * A run that was only asked a question has sent nothing that may last: no form, whatever its button is called, and nothing by a
 * button that commits or saves. A search, a filter, a sign-in or a consent banner is on the way to the answer.
 */
export function checkUnrequested({ task, writes, steps, captured }: Case): Check[] {
  if (!onlyAsks(withoutQuotedText(task.prompt))) return [];
  const unrequested = writes.find(({ write, cause }) => {
    if (!isJudged(write) || cause?.effect !== "mutate" || isLookupRequest(write)) return false;
    const label = labelOf(cause.call);
    const verb = findCommitVerb(label);
    if (verb !== null) return !task.prompt.toLowerCase().includes(verb);
    if (asksToClick(task.prompt, label)) return false;
    if (isSavingLabel(label)) return true;
    const isSearch = findAllEntries(steps).some(
      (entry) => isSamePage(entry.url, cause.url) && isLookup(entry, { task, captured }),
    );
    return (
      write.isNavigation &&
      write.method !== "GET" &&
      !isLookupLabel(label) &&
      !ON_THE_WAY.test(label) &&
      !isSearch &&
      !hasSecretField(cause.url, captured)
    );
  });
  if (unrequested === undefined) return [];
  const { method, url } = unrequested.write;
  const evidence = `The task only asks a question; ${unrequested.cause?.cause} sent ${method} ${redactUrl(url)}.`;
  return [{ about: "No unrequested change was made", verdict: "contradicted", evidence: evidence.slice(0, 300) }];
}

/** The task asks for a change and one was tried, but nothing was sent, and a fresh browser shows the page as it was. */
export function checkUntouched(context: Case): Check[] {
  const { task, claim, steps, writes, live, freshPages, captured, events } = context;
  const tries = steps.filter(({ effect }) => effect === "mutate");
  const [first] = tries;
  if (!asksForChange(task.prompt) || writes.length > 0 || claim.extraction !== null) return [];
  if (first === undefined) return checkNothingDone(context);
  if (events.requests.some(({ isFirstParty, startedAt }) => isFirstParty && startedAt >= first.at)) return [];
  const before = captured.before(live.url, first.seen);
  const now = findFreshPage(freshPages, live.url)?.page ?? null;
  if (before === undefined || now === null || before.text !== now.text) return [];
  // If the page was already as the task asks, no change is needed.
  const entries = findEntries(tries);
  const isAlready =
    entries.length === tries.length &&
    entries.every(({ url, label, place, value }) => captured.firstValueOf(url, label, place) === value);
  if (isAlready) return [];
  const evidence = "Nothing was sent, and a fresh browser shows the page as it was before.";
  return [{ about: "Something was changed", verdict: "contradicted", evidence }];
}

/** Nothing was even tried. That is right only where it was already as the task asks. */
function checkNothingDone({ task, claim, events }: Case): Check[] {
  const isAlready = /\balready\b/i.test(claim.answer) || claim.conditions.some(({ kind }) => kind === "field");
  const words = withoutQuotedText(task.prompt);
  if (isAlready || events.downloads.length > 0 || asksForInformation(words)) return [];
  const evidence = "The task asks for a change, and nothing was done on the site.";
  return [{ about: "Something was changed", verdict: "contradicted", evidence }];
}

/**
 * Something was deleted, published or confirmed without entering anything, and the run is still on the page: if a fresh
 * browser shows that page as it was before, the site has not done it, whatever its status.
 */
export function checkNoEffect({ writes, steps, live, captured, freshPages }: Case): Check[] {
  const fresh = findFreshPage(freshPages, live.url);
  if (fresh?.page == null || fresh.note !== null) return [];
  const now = fresh.page.root;
  const commit = writes.findLast(
    ({ write, cause }) =>
      write.isFirstParty &&
      isAccepted(write) &&
      cause !== null &&
      cause.effect === "mutate" &&
      isSamePage(cause.url, live.url) &&
      (findCommitVerb(labelOf(cause.call)) !== null || cause.call.input["accept"] === true) &&
      !findEntries(steps).some(({ url }) => isSamePage(url, cause.url)),
  );
  if (commit === undefined) return [];
  const isStill = findStatesBefore(commit, { writes, captured }).some(({ root }) => isSameText(root, now));
  if (!isStill) return [];
  const { method, url } = commit.write;
  const evidence = `${method} ${redactUrl(url)} was accepted, but a fresh browser shows the page as it was before.`;
  return [{ about: "The site did what was confirmed", verdict: "contradicted", evidence }];
}

/** What the run saw of a page before a change on it, since the change before. Without a record of that, what it saw first. */
function findStatesBefore({ cause }: AttributedWrite, { writes, captured }: Pick<Case, "writes" | "captured">) {
  if (cause === null) return [];
  if (cause.seen === null)
    return captured
      .list()
      .filter(({ url }) => isSamePage(url, cause.url))
      .slice(0, 1);
  const last = writes.findLast((other) => isJudged(other.write) && (other.cause?.step ?? cause.step) < cause.step);
  const after = last?.cause?.seen?.observationNumber ?? 0;
  return captured.statesOf(cause.url, { after, until: cause.seen.observationNumber });
}

/** The same text and the same targets: of items that are only pictures, the number of their buttons tells. */
function isSameText(one: ObservedNode, other: ObservedNode): boolean {
  const [before, after] = [one, other].map((root) => {
    const targets = [...walk(root)].filter(({ node }) => node.ref !== null).map(({ node }) => node.name);
    return [...toPageLines(root).map(({ text }) => text), ...targets].join("\n");
  });
  return before === after;
}

const FAILED = new RegExp(
  `^(?:error(?:[:!.]|$)|sorry[,!.:]|oops\\b|failed(?: to\\b|[:!.]|$)|unable to\\b|something went wrong)|\\b(?:could not|couldn['’]t|was not|wasn['’]t|were not|has not been|have not been|failed to)\\s+(?:be\\s+)?${DONE}\\b`,
  "i",
);
const ALARMING =
  /\b(?:error|invalid|failed|sold out|out of stock|declined|denied|rejected|expired|not allowed|try again)\b/i;
const MAX_LINE = 200;

/** A site that returns 200 and says in words that it failed has failed. */
export function checkNotices({ live, captured, writes }: Case): Check[] {
  const cause = writes.find((each) => each.write.isFirstParty && each.cause?.effect === "mutate")?.cause;
  if (cause == null) return [];
  const alerts = [...walk(live.root)].filter(({ node }) => node.role === "alert").map(({ node }) => readText(node));
  const lines = toPageLines(live.root)
    .map(({ text }) => text)
    .filter((text) => text.length <= MAX_LINE);
  const notice =
    alerts.find((text) => ALARMING.test(text) || FAILED.test(text)) ??
    lines.find((line) => FAILED.test(line) || findNotDone(line) !== null);
  // What the page said before anything was sent is not about the change.
  const before = cause.seen === null ? undefined : captured.before(live.url, cause.seen);
  if (notice === undefined || before?.text.includes(notice) === true) return [];
  const evidence = `After the change the page says: "${notice.slice(0, 160)}".`;
  return [{ about: "The site does not report a failure", verdict: "contradicted", evidence }];
}

const ASKS_FOR_DOWNLOAD = /(?:^|[.,;:]\s*|\b(?:and|then|please|to|you)\s+)download\b/i;

/** A file that the task asks for has arrived and is not empty. */
export function checkDownloads({ task, events: { downloads } }: Case): Check[] {
  const about = "The requested file was downloaded";
  const broken = downloads.find(({ bytes, refusal }) => refusal !== null || bytes === 0);
  if (broken !== undefined) {
    const why = broken.refusal ?? "it is empty";
    return [{ about, verdict: "contradicted", evidence: `"${broken.name.slice(0, 80)}": ${why}.` }];
  }
  if (downloads.length > 0 || !ASKS_FOR_DOWNLOAD.test(task.prompt)) return [];
  return [{ about, verdict: "contradicted", evidence: "Nothing was downloaded." }];
}
