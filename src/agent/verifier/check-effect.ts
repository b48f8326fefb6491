import type { ObservedNode } from "../../browser/observation/observation.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import {
  asksForChange,
  asksForInformation,
  asksToClick,
  findCommitVerb,
  maySaveLabel,
  quotedIn,
  withoutQuotedText,
} from "../grounding/english-words.ts";
import { findConfirmation, findFailure } from "../grounding/failure-words.ts";
import { findFieldValues, isSameValue, readOutsideFields } from "../grounding/page-text.ts";
import { isEnglish, isForeignQuestion } from "../grounding/prose.ts";
import { hasReference } from "../grounding/references.ts";
import { toPhrase } from "../grounding/similarity.ts";
import { redactUrl } from "../safe-text.ts";
import {
  type Case,
  type Entry,
  type FreshPage,
  findAllEntries,
  findUntouched,
  hasSecretField,
  identityOf,
  labelOf,
} from "./case.ts";
import type { Check } from "./check.ts";
import { isTelling } from "./check-kept.ts";
import { findTarget } from "./deletions.ts";
import { toPageLines } from "./page-lines.ts";
import { countParts, HELD } from "./page-parts.ts";
import { findSubmissions, isLookup, isLookupLabel, REPORT_PATH, type Submission } from "./sent-entries.ts";

const ABOUT = "The site shows that it was done";

/**
 * An accepted request alone is no success: the site may respond with 200 to what it ignores. Of the last thing that the run sent
 * for its task, there must be a sign: a fresh page that is not as before, or a message, a reference or what was sent in words
 * that came with it.
 */
export function checkEffect(context: Case): Check[] {
  const { prompt } = context.task;
  const words = withoutQuotedText(prompt);
  if ((asksForInformation(words) && !asksForChange(words)) || isForeignQuestion(prompt)) return [];
  const commit = findSubmissions(context).findLast((step) => isForTask(step, step.accepted, context));
  if (commit === undefined) return [];
  const [write] = commit.accepted;
  const isShown =
    context.freshPages.some((fresh) => isChanged(fresh, commit, context)) ||
    findEntriesBefore(commit, context).some((entry) => isHeldFresh(entry, context)) ||
    context.freshPages.some((fresh) => showsWhatIsCited(fresh, context)) ||
    hasNewFile(commit, context) ||
    (isAnswered(commit, context) && !isTakenBack(commit, context));
  if (isShown || write === undefined) return [];
  const evidence = `${write.method} ${redactUrl(write.url)} returned ${write.status}, but nothing shows what came of ${commit.cause}: no page is different in a fresh browser, and the site shows no confirmation. Say what to check, for example the page that lists it.`;
  return [{ about: ABOUT, verdict: "unknown", evidence: evidence.slice(0, 300) }];
}

/** On the way to what the task asks for, and not that itself. */
const LIGHT =
  /^(?:next|previous|back|more|continue|proceed|got it|dismiss|close|ok(?:ay)?|(?:accept|allow|reject|agree)(?: all)?(?: cookies)?)(?: step)?$|\b(?:sign in|log ?in|sign on|cookies?|consent)\b/i;

/** Targets that only show another part of the page. */
const SHOWS: ReadonlySet<string> = new Set(["tab", "treeitem", "columnheader"]);

/** Targets that choose one of several, whose name says nothing of what comes of it. */
const CHOICES: ReadonlySet<string> = new Set(["menuitem", "menuitemradio", "option", "radio"]);

/** Whether what a step did, and sent if it sent anything, is what the task asks for: by its label, or because it submitted a form. */
export function isForTask(step: StepCause, sent: readonly NetworkRecord[], context: Case): boolean {
  const { task, captured } = context;
  const label = labelOf(step.call).trim();
  const target = findTarget(step, captured)?.visit.node;
  const isOnTheWay = step.hasFailed || LIGHT.test(label) || hasSecretField(step.url, captured);
  if (isOnTheWay || isPassing(sent) || (target !== undefined && isShowing(target))) return false;
  const entries = findEntriesBefore(step, context);
  const isCommit = findCommitVerb(label) !== null;
  if (!isCommit && isLookupLabel(label)) return false;
  if (entries.length > 0) return !entries.every((entry) => isLookup(entry, context));
  // In another language the words of a button say nothing, and a submitted form does.
  const isForm = sent.some(({ isNavigation }) => isNavigation) && !isEnglish(`${task.prompt} ${label}`);
  if (isCommit || isForm || maySaveLabel(label) || step.call.input["accept"] === true) return true;
  const asked = toPhrase(task.prompt).stems;
  const isNamed = asksToClick(task.prompt, label) || [...toPhrase(label).stems].some((stem) => asked.has(stem));
  return isNamed && !CHOICES.has(target?.role ?? "");
}

/** Reports about how a page is used, and messages over a WebSocket, which have no response. */
function isPassing(sent: readonly NetworkRecord[]): boolean {
  const isReport = ({ url }: NetworkRecord) => REPORT_PATH.test(URL.parse(url)?.pathname ?? "");
  return sent.length > 0 && sent.every((write) => write.resourceType === "websocket" || isReport(write));
}

function isShowing({ role, states }: ObservedNode): boolean {
  return SHOWS.has(role) || states.expanded !== undefined;
}

function findEntriesBefore({ step, url }: StepCause, { steps }: Case): Entry[] {
  return findAllEntries(steps).filter((entry) => entry.step <= step && isSamePage(entry.url, url));
}

/** The field holds what was entered, also where it did before: then there was nothing to change. */
function isHeldFresh({ url, label, place, value, isPart }: Entry, { freshPages }: Case): boolean {
  return freshPages.some(
    ({ page }) =>
      page !== null &&
      isSamePage(page.url, url) &&
      findFieldValues(page, label, place).some((held) => isSameValue(held, value) || (isPart && contains(held, value))),
  );
}

/** A fresh page shows what the claim cites, also inside a field or an editor, and did not before the run did anything there. */
function showsWhatIsCited({ url, page }: FreshPage, context: Case): boolean {
  const { conditions, facts } = context.claim;
  const cited = [
    ...conditions.flatMap((each) => (each.kind === "text" ? [each.text] : [])),
    ...facts.flatMap(({ quote }) => quote ?? []),
  ].filter(isTelling);
  const before = findUntouched(url, context);
  return (
    page !== null && before != null && cited.some((text) => contains(page.text, text) && !contains(before.text, text))
  );
}

function hasNewFile({ at }: StepCause, { events }: Case): boolean {
  return events.downloads.length > 0 && events.requests.some(({ startedAt }) => startedAt >= at);
}

/** Whether a fresh page differs from what the run saw of it between the change before and this one. */
function isChanged(fresh: FreshPage, commit: Submission, context: Case): boolean {
  const states = findStates(fresh.url, commit, context);
  if (states.length === 0) return false;
  const wasLeft = isSamePage(fresh.url, commit.url) && fresh.isGone === true;
  if (fresh.page === null || fresh.note !== null) return wasLeft;
  const before = states.map(({ root }) => countParts(root));
  const now = countParts(fresh.page.root);
  const parts = new Set([...now.keys(), ...before.flatMap((counts) => [...counts.keys()])]);
  return [...parts].some((part) => before.every((counts) => (counts.get(part) ?? 0) !== (now.get(part) ?? 0)));
}

/**
 * Nothing was entered, and what the click took away in the run's own tab is there again in a fresh browser: a message says nothing
 * against that. A card that was moved is where it was. Where the click led to another page, it took nothing away.
 */
function isTakenBack(commit: Submission, context: Case): boolean {
  const { after, url, step } = commit;
  const next = context.steps.find((later) => later.step > step)?.url ?? context.live.url;
  if (!isSamePage(next, url)) return false;
  const page = context.freshPages.find((fresh) => fresh.note === null && isSamePage(fresh.url, url))?.page;
  const [before, own, now] = [findStates(url, commit, context).at(-1)?.root, after, page?.root].map((root) =>
    root == null ? null : countParts(root),
  );
  if (before == null || own == null || now == null || findEntriesBefore(commit, context).length > 0) return false;
  const gone = [...before.keys()].filter((part) => (own.get(part) ?? 0) < (before.get(part) ?? 0));
  return gone.length > 0 && gone.every((part) => (now.get(part) ?? 0) >= (before.get(part) ?? 0));
}

/** What the run saw of a page before the commit, since the submission before it. */
function findStates(url: string, { step, seen }: StepCause, context: Case): CapturedPage[] {
  const { captured } = context;
  if (seen === null)
    return captured
      .list()
      .filter((page) => isSamePage(page.url, url))
      .slice(0, 1);
  const earlier = findSubmissions(context).findLast((other) => other.step < step);
  const after = earlier?.seen?.observationNumber ?? 0;
  const since = captured.statesOf(url, { after, until: seen.observationNumber });
  return since.length > 0 ? since : captured.statesOf(url, { until: seen.observationNumber }).slice(-1);
}

const MAX_LINE = 300;

/** How sites say in other languages that something was not done. */
const FOREIGN_FAILURE =
  /(?<!\p{L})(?:nicht|fehler|fehlgeschlagen|leider|ungültig|erreur|échec|échoué|impossible|n['’](?:a|ont|est) pas|invalide|no se (?:ha|pudo|puede)|falló|inválid[oa]|errore|non (?:è|sono) stat|impossibile|niet|mislukt|misslyckades|inte|não|falhou)(?!\p{L})/iu;

/** A line that came with the commit or after it confirms it, or repeats what was sent. */
function isAnswered(commit: Submission, context: Case): boolean {
  const { captured, live, freshPages, task, events } = context;
  const until = commit.seen?.observationNumber ?? 0;
  // Of a second order, the site says the same as of the first.
  const first = findSubmissions(context).find(({ call }) => identityOf(call) === identityOf(commit.call)) ?? commit;
  const known = captured
    .list()
    .filter(({ observationNumber }) => observationNumber <= (first.seen?.observationNumber ?? 0));
  const before = known.map(({ root }) => readOutsideFields(root));
  const linesBefore = new Set(known.flatMap(({ root }) => toPageLines(root).map(({ text }) => text)));
  const later = captured.list().filter(({ observationNumber }) => observationNumber > until);
  const fresh = freshPages.flatMap(({ page }) => page?.root ?? []);
  const after = [commit.after ?? live.root, ...later.map(({ root }) => root), live.root, ...fresh];
  const texts = after.flatMap((root) => toPageLines(root).map(({ text }) => text));
  const alerts = events.dialogs.map(({ dialog }) => dialog.message);
  const isNew = (line: string) => !linesBefore.has(line) && !before.some((text) => contains(text, line));
  const lines = [...new Set([...texts, ...alerts])].filter(
    (line) => line.length <= MAX_LINE && !HELD.test(line) && !/^\[.*\]$/.test(line) && isNew(line),
  );
  if (!isEnglish(texts.join(" "))) return lines.length > 0 && !lines.some((line) => FOREIGN_FAILURE.test(line));
  const entered = findEntriesBefore(commit, context).filter(({ value }) => isTelling(value));
  const sent = [...entered.map(({ value }) => value), ...quotedIn(task.prompt).filter(isTelling)];
  const asked = toPhrase(`${task.prompt} ${labelOf(commit.call)}`).stems;
  return lines.some((line) => {
    if (findConfirmation(line) !== null) return true;
    if (findFailure(line) !== null) return false;
    const shared = [...toPhrase(line).stems].filter((stem) => asked.has(stem));
    return hasReference(line) || sent.some((text) => contains(line, text)) || shared.length >= MIN_SHARED;
  });
}

/** So many words of the task make a line about it. */
const MIN_SHARED = 2;
