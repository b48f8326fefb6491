import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import type { AttributedWrite } from "../actions/side-effects.ts";
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
import { isAccepted } from "./accepted-writes.ts";
import { type Case, findAllEntries, findEntries, findFreshPage, hasSecretField, identityOf, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { isJudged } from "./check-writes.ts";
import { toPageLines } from "./page-lines.ts";
import { isLookup, isLookupLabel, isLookupRequest } from "./sent-entries.ts";

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
/** A label with its value: "Error: None", "Failed: 0". */
const SAYS_NONE = /^[\p{L} ]{1,30}:\s*(?:none|no|no errors?|n\/a|0|[-–—])\.?$/iu;
const MAX_LINE = 200;

/** A site that returns 200 and says in words that it failed has failed. */
export function checkNotices({ live, captured, writes }: Case): Check[] {
  const cause = writes.find((each) => each.write.isFirstParty && each.cause?.effect === "mutate")?.cause;
  if (cause == null) return [];
  const alerts = [...walk(live.root)].filter(({ node }) => node.role === "alert").map(({ node }) => readText(node));
  const lines = toPageLines(live.root)
    .map(({ text }, index, all) => (text.endsWith(":") ? `${text} ${all[index + 1]?.text ?? ""}`.trimEnd() : text))
    .filter((text) => text.length <= MAX_LINE && !SAYS_NONE.test(text));
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
