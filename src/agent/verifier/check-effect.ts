import { type ObservedNode, textOf, walk } from "../../browser/observation/observation.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { type CapturedPages, contains, isSamePage } from "../grounding/captured-pages.ts";
import {
  asksForChange,
  asksForInformation,
  asksToClick,
  findCommitVerb,
  maySaveLabel,
  withoutQuotedText,
} from "../grounding/english-words.ts";
import { findFieldValues, isSameValue } from "../grounding/page-text.ts";
import { isEnglish, isForeignQuestion } from "../grounding/prose.ts";
import { toPhrase } from "../grounding/similarity.ts";
import { redactUrl } from "../safe-text.ts";
import { type Case, type Entry, type FreshPage, findUntouched, isEntry, labelOf } from "./case.ts";
import { isChanged, isTakenBack } from "./changed-pages.ts";
import type { Check } from "./check.ts";
import { isTelling } from "./check-kept.ts";
import { carriesEntry, findEntriesBefore, isSentBy } from "./commit-entries.ts";
import { findTarget } from "./deletions.ts";
import { toPageLines } from "./page-lines.ts";
import { findSubmissions, isLookup, isLookupLabel, REPORT_PATH, type Submission } from "./sent-entries.ts";
import { isListedNoMore } from "./shorter-lists.ts";
import { isAnswered } from "./site-answers.ts";
import { isStillOffered } from "./unchanged-rows.ts";

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
    context.freshPages.some((fresh) => isChanged(fresh, commit, context) || isListedNoMore(fresh, commit, context)) ||
    findEntriesBefore(commit, context).some((entry) => isKeptBy(commit, entry, context)) ||
    context.freshPages.some((fresh) => showsWhatIsCited(fresh, context)) ||
    hasNewFile(commit, context) ||
    (isAnswered(commit, context) && !isTakenBack(commit, context) && !isStillOffered(commit, context));
  if (isShown || write === undefined) return [];
  const evidence = `${write.method} ${redactUrl(write.url)} returned ${write.status}, but nothing shows what came of ${commit.cause}: no page is different in a fresh browser, and the site shows no confirmation. Say what to check, for example the page that lists it.`;
  return [{ about: ABOUT, verdict: "unknown", evidence: evidence.slice(0, 300) }];
}

/** Targets that only show another part of the page. */
const SHOWS: ReadonlySet<string> = new Set(["tab", "treeitem", "columnheader"]);

/** Targets that choose one of several, whose name says nothing of what comes of it. */
const CHOICES: ReadonlySet<string> = new Set(["menuitem", "menuitemradio", "option", "radio"]);

/** Whether what a step did, and sent if it sent anything, is what the task asks for: by its label, or because it submitted a form. */
export function isForTask(step: StepCause, sent: readonly NetworkRecord[], context: Case): boolean {
  const label = labelOf(step.call).trim();
  const isCommit = findCommitVerb(label) !== null;
  if (step.hasFailed || isPassing(sent) || isShowing(step, context)) return false;
  if (!isCommit && (isSignIn(step, context) || hasOnlyLed(step, sent, context))) return false;
  if (LIGHT.test(label)) return isDeciding(step, context);
  if (!isCommit && isLookupLabel(label)) return false;
  const entries = findEntriesBefore(step, context);
  const lookups = entries.filter((entry) => isLookup(entry, context));
  if (isCommit || entries.length > lookups.length) return true;
  // "Apply" beside a filter sends what was typed there, and so does a search form.
  const isLookingUp = lookups.some(
    (entry) => sent.length === 0 || sent.some((write) => carriesEntry(write, entry) === "yes"),
  );
  return (!isLookingUp && savesAnything(label, sent, context)) || isAskedFor(step, context);
}

function savesAnything(label: string, sent: readonly NetworkRecord[], { task }: Case): boolean {
  // In another language the words of a button say nothing, and a submitted form does.
  const isForm = sent.some(({ isNavigation }) => isNavigation) && !isEnglish(`${task.prompt} ${label}`);
  return isForm || maySaveLabel(label);
}

function isAskedFor(step: StepCause, { task, captured }: Case): boolean {
  if (step.call.input["accept"] === true) return true;
  const role = findTarget(step, captured)?.visit.node.role ?? "";
  return isNamed(labelOf(step.call), task.prompt) && !CHOICES.has(role);
}

function isNamed(label: string, prompt: string): boolean {
  const asked = toPhrase(prompt).stems;
  return asksToClick(prompt, label) || [...toPhrase(label).stems].some((stem) => asked.has(stem));
}

/** Reports about how a page is used, and messages over a WebSocket, which have no response. */
function isPassing(sent: readonly NetworkRecord[]): boolean {
  const isReport = ({ url }: NetworkRecord) => REPORT_PATH.test(URL.parse(url)?.pathname ?? "");
  return sent.length > 0 && sent.every((write) => write.resourceType === "websocket" || isReport(write));
}

function isShowing(step: StepCause, { captured }: Case): boolean {
  const target = findTarget(step, captured)?.visit.node;
  return target !== undefined && (SHOWS.has(target.role) || target.states.expanded !== undefined);
}

/** A link that has led to its URL: what the pages send meanwhile is theirs. A link may also submit a form. */
function hasOnlyLed(step: StepCause, sent: readonly NetworkRecord[], { steps, captured, live }: Case): boolean {
  const url = findTarget(step, captured)?.visit.node.url ?? null;
  const next = steps.find((later) => later.step > step.step)?.url ?? live.url;
  const hasLed = url !== null && isSamePage(url, next) && !isSamePage(url, step.url);
  return hasLed && !sent.some(({ isNavigation }) => isNavigation);
}

const SIGN_IN = /\b(?:sign|log)[\s_-]?(?:in|on)\b|\/(?:auth|sso|session|mfa|2fa|otp)(?:[/_.-]|$)/i;

/** One signs in there: there is a password, and the page or the button calls it so. A new password is for something else. */
function isSignIn({ url, call }: StepCause, { captured }: Case): boolean {
  const path = URL.parse(url)?.pathname ?? "";
  return pagesOf(url, captured).some(({ root }) => {
    const nodes = [...walk(root)].map(({ node }) => node);
    const titles = nodes.filter(({ role, states }) => role === "heading" && states.level === 1).map(textOf);
    const isSecret = ({ field }: ObservedNode) =>
      field?.isSecret === true && !/^cc-|^new-password$/.test(field.autocomplete ?? "");
    return nodes.some(isSecret) && [path, labelOf(call), ...titles].some((text) => SIGN_IN.test(text));
  });
}

function pagesOf(url: string, captured: CapturedPages) {
  return captured.list().filter((page) => isSamePage(page.url, url));
}

/** On the way to what the task asks for, and not that itself. */
const LIGHT =
  /^(?:next|previous|back|more|continue|proceed|got it|dismiss|close|ok(?:ay)?|(?:accept|allow|reject|agree)(?: all)?(?: cookies)?)(?: step)?$|\b(?:sign in|log ?in|sign on|cookies?|consent)\b/i;
/** Of those, the ones that decide something where the task names them: "Accept the invitation", "Close the ticket". */
const DECIDES = /^(?:close|dismiss|accept|allow|reject|agree)$/i;
const COOKIES = /\bcookies?\b/i;

/** Whether a label that mostly is on the way stands for what the task asks for: it says so, or the step before asked back. */
function isDeciding(step: StepCause, context: Case): boolean {
  const label = labelOf(step.call).trim();
  const { prompt } = context.task;
  const around = findTarget(step, context.captured)?.visit.ancestors.findLast(({ role }) => AROUND.has(role));
  if (COOKIES.test(around === undefined ? label : textOf(around))) return false;
  if (DECIDES.test(label) && isNamed(label, prompt.replace(COOKIE_CLAUSE, " "))) return true;
  if (isNamed(label, prompt) && hasNotMoved(step, context)) return true;
  const opener = findOpener(step, context);
  return opener !== null && isNamedAct(labelOf(opener.call).trim(), prompt);
}

/** What was sent has led nowhere: neither to another page nor to another part of this one. */
function hasNotMoved({ after, seen }: StepCause, { captured }: Case): boolean {
  const before = seen === null ? null : captured.find(seen.observationNumber);
  if (after === null || before === null) return false;
  const [was, is] = [before.root, after].map((root) => toPageLines(root).map(({ text }) => text));
  return was?.join("\n") === is?.join("\n");
}

const AROUND: ReadonlySet<string> = new Set(["dialog", "alertdialog", "region", "complementary", "banner"]);
const COOKIE_CLAUSE = /\b(?:accept|allow|reject|agree)\b[^.,;]*?\bcookies?\b/gi;

function isNamedAct(label: string, prompt: string): boolean {
  return !LIGHT.test(label) && (findCommitVerb(label) !== null || (!isLookupLabel(label) && isNamed(label, prompt)));
}

/** The click just before on the same page that sent nothing: it opened what this one answers. */
function findOpener({ step, url }: StepCause, { steps, writes }: Case): StepCause | null {
  const before = steps.findLast((each) => each.step < step && each.effect === "mutate" && !isEntry(each.call));
  if (before === undefined || before.hasFailed || !isSamePage(before.url, url)) return null;
  return writes.some(({ cause, write }) => cause?.step === before.step && write.isFirstParty) ? null : before;
}

/**
 * The field holds what was entered, also where it did before: then there was nothing to change. It is a sign of the commit that
 * sent it, and none of another one on the page: "Set my nickname and leave the team."
 */
function isKeptBy(commit: Submission, entry: Entry, context: Case): boolean {
  if (isLookup(entry, context) || !isHeldFresh(entry, context) || !isSentBy(commit, entry, context)) return false;
  const answers = commit.accepted.map((write) => carriesEntry(write, entry));
  return answers.some((answer) => answer !== "no") || maySaveLabel(labelOf(commit.call));
}

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

/** Labels of what loads a file, so that a file of the page's own making may be of an earlier step. */
const LOADS = /\b(?:download|export|save as|print|pdf|csv)\b/i;

/** A file whose download began after the commit. Files that a page makes by itself come with no request. */
function hasNewFile(commit: Submission, { events, steps }: Case): boolean {
  const isLoadedBefore = steps.some(({ step, call }) => step < commit.step && LOADS.test(labelOf(call)));
  return events.downloads.some(({ url }) =>
    /^(?:blob|data):/.test(url)
      ? !isLoadedBefore
      : events.requests.some((request) => request.url === url && request.startedAt >= commit.at),
  );
}
