import { walk } from "../../browser/observation/observation.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import type { AttributedWrite } from "../actions/side-effects.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { asksForChange, onlyAsks } from "../grounding/english-words.ts";
import { readText } from "../grounding/page-text.ts";
import { redactUrl } from "../safe-text.ts";
import { type Case, findEntries, findFreshPage } from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";

/**
 * Every request that may change something was answered with success. A page that says "saved" while the server said 500
 * is caught here. An answer that never came is unknown, and unknown is never success.
 */
export function checkWrites(writes: readonly AttributedWrite[]): Check {
  const about = "The site accepted every change it was sent";
  const judged = writes.map(({ write }) => write).filter(isJudged);
  const failed = judged.filter((write) => !isAccepted(write) && !isRepeatedWithSuccess(write, judged));
  const refused = failed.find(({ status }) => status !== null);
  if (refused !== undefined) {
    return { about, verdict: "contradicted", evidence: `${name(refused)} was answered ${refused.status}.` };
  }
  const [unanswered] = failed;
  if (unanswered !== undefined) {
    const evidence = `${name(unanswered)} was never answered (${unanswered.failure ?? "still waiting"}).`;
    return { about, verdict: "unknown", evidence };
  }
  const evidence =
    judged.length === 0
      ? "Nothing was sent that could change something."
      : `${judged.map((write) => `${name(write)}: ${write.status}`).join("; ")}.`;
  return { about, verdict: "satisfied", evidence };
}

/** A page's own beacons, sockets and reports to others say nothing about the errand. They are listed all the same. */
function isJudged({ isFirstParty, resourceType }: NetworkRecord): boolean {
  return isFirstParty && !["ping", "beacon", "cspviolationreport", "websocket"].includes(resourceType);
}

export function isAccepted({ status }: NetworkRecord): boolean {
  return status !== null && status >= 200 && status < 400;
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

/** No form was submitted that no step asked for: a page that submits itself acts for somebody else. */
export function checkCauses(writes: readonly AttributedWrite[]): Check {
  const about = "Every change was caused by a step of the run";
  const unexplained = writes.find(
    ({ write, cause }) =>
      write.isNavigation &&
      write.isFirstParty &&
      (cause === null || cause.effect === "read" || cause.effect === "navigate"),
  );
  if (unexplained === undefined) return { about, verdict: "satisfied", evidence: "No form was submitted unasked." };
  const { method, url } = unexplained.write;
  const evidence = `${method} ${redactUrl(url)} was sent by the page itself${
    unexplained.cause === null ? "" : ` during: ${unexplained.cause.cause}`
  }.`;
  return { about, verdict: "contradicted", evidence };
}

/** What does no harm twice. */
const HARMLESS_TWICE =
  /\b(?:search|find|filter|sort|show|load|next|previous|refresh|apply|sign in|log in|save|update|close)\b/i;
/** The task may want it more than once. */
const ASKED_SEVERAL = /\b(?:twice|again|both|each|every|all|another|more|times|two|three|four|five|six|\d+)\b/i;

/** Nothing was bought, sent or added twice where once was asked for. */
export function checkRepeats({ writes, task }: Case): Check[] {
  if (ASKED_SEVERAL.test(task.prompt.replace(/["“][^"”]*["”]/g, ""))) return [];
  const deeds = writes.filter(isCommit);
  const twice = deeds.find((deed, index) => deeds.slice(0, index).some((earlier) => isSameCommit(earlier, deed)));
  if (twice === undefined) return [];
  const { method, url } = twice.write;
  const evidence = `${method} ${redactUrl(url)} was sent and accepted more than once (${twice.cause?.cause ?? ""}).`;
  return [{ about: "Nothing was done twice", verdict: "contradicted", evidence: evidence.slice(0, 300) }];
}

function isCommit({ write, cause }: AttributedWrite): boolean {
  const isOurs = write.isFirstParty && cause?.effect === "mutate" && !HARMLESS_TWICE.test(cause.cause);
  return isOurs && isAccepted(write) && write.method === "POST";
}

/** Two steps, one request: what a page itself sends several times for one click is its own affair. */
function isSameCommit(one: AttributedWrite, other: AttributedWrite): boolean {
  return (
    one.cause?.step !== other.cause?.step &&
    one.cause?.cause === other.cause?.cause &&
    one.write.url === other.write.url &&
    one.write.bodyHash === other.write.bodyHash
  );
}

/** What a button is called that does something that lasts. What only searches, filters or consents is not among them. */
const COMMIT_LABEL =
  /^(?:yes,? )?(?:confirm (?:and )?)?(?<verb>buy|purchase|order|pay|transfer|send|delete|remove|book|reserve|subscribe|unsubscribe|place|cancel|publish|post|donate|sign up|register|invite|create|add|check ?out|upload|withdraw|redeem|bid|vote)\b/i;

/** A run that was sent to find something out has not bought, sent or deleted anything on its way. */
export function checkUnrequested({ task, writes }: Case): Check[] {
  if (!onlyAsks(task.prompt)) return [];
  const unasked = writes.find(({ write, cause }) => {
    if (!write.isFirstParty || cause?.effect !== "mutate") return false;
    const { label } = cause.call.input;
    const verb = typeof label === "string" ? COMMIT_LABEL.exec(label.trim())?.groups?.["verb"] : undefined;
    return verb !== undefined && !task.prompt.toLowerCase().includes(verb.toLowerCase());
  });
  if (unasked === undefined) return [];
  const { method, url } = unasked.write;
  const evidence = `The task only asks to find something out; ${unasked.cause?.cause} sent ${method} ${redactUrl(url)}.`;
  return [
    { about: "Nothing was changed that nobody asked for", verdict: "contradicted", evidence: evidence.slice(0, 300) },
  ];
}

/** A change was asked for and tried, but nothing was sent, and a fresh browser finds the page as it was at first. */
export function checkUntouched({ task, claim, steps, writes, live, looks, captured, events }: Case): Check[] {
  const tries = steps.filter(({ effect }) => effect === "mutate");
  const [first] = tries;
  if (!asksForChange(task.prompt) || writes.length > 0 || first === undefined || claim.extraction !== null) return [];
  if (events.requests.some(({ isFirstParty, startedAt }) => isFirstParty && startedAt >= first.at)) return [];
  const before = captured.list().find(({ url }) => isSamePage(url, live.url));
  const now = findFreshPage(looks, live.url)?.page ?? null;
  if (before === undefined || now === null || before.text !== now.text) return [];
  // What was so already needs no change.
  const entries = findEntries(tries);
  const isAlready =
    entries.length === tries.length &&
    entries.every(({ url, label, value }) => captured.firstValueOf(url, label) === value);
  if (isAlready) return [];
  const evidence = "Nothing was sent, and a fresh browser shows the page as it was before.";
  return [{ about: "Something was changed", verdict: "contradicted", evidence }];
}

const DONE =
  "(?:saved|added|placed|sent|updated|deleted|removed|booked|changed|accepted|processed|completed|created|submitted|cancell?ed)";
const FAILED = new RegExp(
  `^(?:#\\s*)?(?:error(?:[:!.]|$)|sorry[,!.:]|oops\\b|failed(?: to\\b|[:!.]|$)|unable to\\b|something went wrong)|\\b(?:could not|couldn['’]t|was not|wasn['’]t|were not|has not been|have not been|failed to)\\s+(?:be\\s+)?${DONE}\\b`,
  "i",
);
const ALARMING =
  /\b(?:error|invalid|failed|sold out|out of stock|declined|denied|rejected|expired|not allowed|try again)\b/i;
const MAX_LINE = 200;

/** A site that answers 200 and says in words that it did not do it has not done it. */
export function checkNotices({ live, captured, writes }: Case): Check[] {
  if (!writes.some(({ write, cause }) => write.isFirstParty && cause?.effect === "mutate")) return [];
  const alerts = [...walk(live.root)].filter(({ node }) => node.role === "alert").map(({ node }) => readText(node));
  const lines = toPageLines(live.root).filter((line) => line.length <= MAX_LINE);
  const notice =
    alerts.find((text) => ALARMING.test(text) || FAILED.test(text)) ?? lines.find((line) => FAILED.test(line));
  // What a page said before anything was sent is no answer.
  const [first, ...later] = captured.list().filter(({ url }) => isSamePage(url, live.url));
  const isOld = later.length > 0 && notice !== undefined && first?.text.includes(notice.replace(/^# /, "")) === true;
  if (notice === undefined || isOld) return [];
  const evidence = `After the change the page says: "${notice.slice(0, 160)}".`;
  return [{ about: "The site does not say that it failed", verdict: "contradicted", evidence }];
}

const ASKED = /(?:^|[.,;:]\s*|\b(?:and|then|please|to|you)\s+)download\b/i;
const ABOUT = "What was to be downloaded is there";

/** A file that was asked for has arrived, and has something in it. */
export function checkDownloads({ task, events: { downloads } }: Case): Check[] {
  const broken = downloads.find(({ bytes, refusal }) => refusal !== null || bytes === 0);
  if (broken !== undefined) {
    const why = broken.refusal ?? "it is empty";
    return [{ about: ABOUT, verdict: "contradicted", evidence: `"${broken.name.slice(0, 80)}": ${why}.` }];
  }
  if (downloads.length > 0 || !ASKED.test(task.prompt)) return [];
  return [{ about: ABOUT, verdict: "contradicted", evidence: "Nothing was downloaded." }];
}
