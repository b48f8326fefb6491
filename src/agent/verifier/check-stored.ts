import { walk } from "../../browser/observation/observation.ts";
import type { BrowserSession } from "../../browser/session/browser-session.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { asksForChange, asksForInformation, quotedIn, withoutQuotedText } from "../grounding/english-words.ts";
import { findFieldValues, isSameValue } from "../grounding/page-text.ts";
import { isForeignQuestion } from "../grounding/prose.ts";
import { isAccepted } from "./accepted-writes.ts";
import { type Case, type FreshPage, findAllEntries, isEntry } from "./case.ts";
import type { Check } from "./check.ts";
import { isForTask } from "./check-effect.ts";
import { isTelling } from "./check-kept.ts";
import { readFreshPages } from "./fresh-pages.ts";
import { countParts } from "./page-parts.ts";
import { findSending, isLookup, isLookupRequest } from "./sent-entries.ts";
import { findServer, isReport } from "./storage-purpose.ts";

const ABOUT = "The change has left the browser";
const NOTE =
  "The site keeps this change only in the storage of this browser: it lasts as long as the saved sign-in and is on no other device.";

/**
 * A verification context gets the storage of the run. So a page that keeps its changes there, and sends them later or never, would
 * prove them with itself. Where the site has accepted no request that carries the change, the pages are loaded once more with the
 * storage from before the run: what they show only with the run's storage is in this browser, and nowhere else.
 */
export async function checkStored(context: Case, session: BrowserSession, signal: AbortSignal): Promise<Check[]> {
  if (!isUnsent(context)) return [];
  const stored = await session.findStoredChanges();
  const pages = context.freshPages.filter(
    ({ url, page }) => page !== null && stored.some(({ origin }) => URL.parse(url)?.origin === origin),
  );
  const changed = pages.filter((fresh) => findChangedParts(fresh, context).length > 0);
  if (changed.length === 0) return [];
  const untouched = await readFreshPages(
    changed.map(({ url }) => url),
    { ...context, session },
    signal,
    "before the run",
  );
  if (!changed.some((fresh, index) => isOnlyStored(fresh, untouched[index], context))) return [];
  const reason = findServer(context, stored);
  if (reason === null) return [{ about: ABOUT, verdict: "satisfied", evidence: NOTE, note: NOTE }];
  const evidence = `No request that the site accepted carries it. A fresh browser shows it only with the storage of this one, so it may not have been sent yet, or never will be: ${reason}.`;
  return [{ about: ABOUT, verdict: "unknown", evidence }];
}

/** Whether the run did something for its task of which the site has accepted nothing, or not the text that was entered. */
function isUnsent(context: Case): boolean {
  const { task, steps, writes } = context;
  const words = withoutQuotedText(task.prompt);
  if ((asksForInformation(words) && !asksForChange(words)) || isForeignQuestion(task.prompt)) return false;
  const entries = findAllEntries(steps).filter((entry) => !isLookup(entry, context));
  const acts = steps.filter((step) => step.effect === "mutate" && !isEntry(step.call) && isForTask(step, [], context));
  if (entries.length === 0 && acts.length === 0) return false;
  // What was accepted before the first of them, such as an answer to a cookie banner, was not for the task.
  const first = Math.min(...acts.map(({ step }) => step), ...entries.map(({ step }) => step));
  const accepted = writes.filter(
    ({ write, cause }) =>
      cause?.effect === "mutate" &&
      cause.step >= first &&
      write.isFirstParty &&
      (isAccepted(write) || write.resourceType === "websocket") &&
      !isLookupRequest(write) &&
      !isReport(write) &&
      !LOG_PATH.test(URL.parse(write.url)?.pathname ?? ""),
  );
  const isLost = entries.some(
    (entry) => entry.kind === "text" && isTelling(entry.value) && findSending(entry, context).kind === "not_sent",
  );
  return accepted.length === 0 || isLost;
}

/** Often a report as well, and sometimes not. Then the pages are only read once more, and show what the server has got. */
const LOG_PATH = /\/(?:track|events?|logs?|hits?)\/?$/i;

/** What a fresh page shows otherwise than the run saw it before it did anything there. */
function findChangedParts({ url, page }: FreshPage, context: Case): string[] {
  const { captured, steps } = context;
  const first = steps.find((step) => step.effect === "mutate" && isSamePage(step.url, url));
  const until = first?.seen?.observationNumber ?? 0;
  const states = captured.list().filter((seen) => isSamePage(seen.url, url) && seen.observationNumber <= until);
  const before = (
    states.length > 0
      ? states
      : captured
          .list()
          .filter((seen) => isSamePage(seen.url, url))
          .slice(0, 1)
  ).map(({ root }) => countParts(root));
  if (page === null || before.length === 0) return [];
  const now = countParts(page.root);
  const parts = new Set([...now.keys(), ...before.flatMap((counts) => [...counts.keys()])]);
  const changed = [...parts].filter((part) =>
    before.every((counts) => (counts.get(part) ?? 0) !== (now.get(part) ?? 0)),
  );
  const held = findAllEntries(steps).filter(
    ({ url: of, label, place, value }) =>
      isSamePage(of, url) &&
      value !== "" &&
      !isSameValue(captured.firstValueOf(of, label, place) ?? "", value) &&
      findFieldValues(page, label, place).some((shown) => isSameValue(shown, value)),
  );
  return [...changed, ...held.map(({ label, value }) => toHeld(label, value))];
}

function toHeld(label: string, value: string): string {
  return `${label} = ${value}`;
}

/** With less in common it is another page, such as that for signing in: a run that has signed in has its token in the storage. */
const SAME_SHARE = 0.5;

/** Whether what has changed, and first of all what was entered, is missing without the storage of the run. */
function isOnlyStored(fresh: FreshPage, untouched: FreshPage | undefined, context: Case): boolean {
  if (fresh.page === null || untouched?.page == null || untouched.note !== null) return false;
  const { root } = untouched.page;
  const [now, without] = [countParts(fresh.page.root), countParts(root)];
  if (shareOf(now, without) < SAME_SHARE && !isAsFirstSeen(untouched.page, context)) return false;
  for (const { label, place, value } of findAllEntries(context.steps)) {
    const isHeld = findFieldValues({ root }, label, place).some((shown) => isSameValue(shown, value));
    now.set(toHeld(label, value), 1);
    without.set(toHeld(label, value), isHeld ? 1 : 0);
  }
  const changed = findChangedParts(fresh, context);
  const named = [...findAllEntries(context.steps).map(({ value }) => value), ...quotedIn(context.task.prompt)].filter(
    isTelling,
  );
  const own = changed.filter((part) => named.some((text) => contains(part, text)));
  return (own.length > 0 ? own : changed).some((part) => (now.get(part) ?? 0) !== (without.get(part) ?? 0));
}

function shareOf(parts: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): number {
  return [...parts.keys()].filter((part) => others.has(part)).length / Math.max(1, parts.size);
}

/** Pages may differ a little each time. */
const EQUAL_SHARE = 0.8;

/**
 * Whether a page is as the run saw it first: with nothing stored, "Write your first note" may be all it shows. That a run which signed in
 * has first seen the page for that as well says nothing.
 */
function isAsFirstSeen({ url, root }: CapturedPage, { captured }: Case): boolean {
  const seen = captured.list();
  const first = seen.find((page) => isSamePage(page.url, url));
  if (first === undefined || seen.some((page) => walk(page.root).some(({ node }) => node.field?.isSecret === true)))
    return false;
  const [one, other] = [countParts(first.root), countParts(root)];
  return shareOf(one, other) >= EQUAL_SHARE && shareOf(other, one) >= EQUAL_SHARE;
}
