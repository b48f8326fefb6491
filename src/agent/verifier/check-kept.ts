import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { collapseWhitespace, foldVisible } from "../../browser/observation/visible-text.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import { contains, countOccurrences, isSamePage } from "../grounding/captured-pages.ts";
import type { Condition } from "../grounding/claim.ts";
import { findCommitVerb, quotedIn } from "../grounding/english-words.ts";
import { findFailure, findSuccess } from "../grounding/failure-words.ts";
import { findFieldValues, isCutValue, isSameValue } from "../grounding/page-text.ts";
import { isEnglish } from "../grounding/prose.ts";
import { toPhrase } from "../grounding/similarity.ts";
import {
  type Case,
  type Entry,
  findAllEntries,
  findEntries,
  findFreshPage,
  findUntouched,
  hasSecretField,
  labelOf,
} from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";
import { findSubmissions, isLookup } from "./sent-entries.ts";

type FieldCondition = Extract<Condition, { kind: "field" }>;

/**
 * What was sent is there afterwards: of the texts that a claim says were entered and submitted together, a fresh page shows
 * at least one, or the site has said that it took them. An accepted request alone may have been lost behind the server.
 */
export function checkKept(context: Case): Check[] {
  const claimed = context.claim.conditions.filter((condition) => condition.kind === "field");
  const isClaimed = (edit: FieldCondition) =>
    claimed.some(({ url, label }) => label === edit.label && isSamePage(url, edit.url));
  const fields = [...claimed, ...findEdits(context).filter((edit) => !isClaimed(edit))];
  const urls = [...new Set(fields.map(({ url }) => url))];
  return urls.flatMap((url): Check[] => {
    const own = fields.filter((field) => isSamePage(field.url, url) && isTelling(field.value));
    const submission = findSubmission(url, context);
    if (own.length === 0 || submission === null || own.every((field) => isLookupField(field, context))) return [];
    const isListed = !isMissingFromList(own, submission, context);
    if (own.some((field) => isShown(field, context)) || (isListed && isConfirmed(submission, context))) return [];
    const names = own.map(({ value }) => `"${value.slice(0, 40)}"`).slice(0, 3);
    const evidence = `No fresh page shows ${names.join(" or ")}, and the site did not confirm it. Say what to check, for example: open the list and check that the page says ${names[0]}.`;
    return [{ about: "What was sent is there afterwards", verdict: "unknown", evidence }];
  });
}

/** A part of a text that was changed is not always in the claim: the page with the field may be left at once. */
function findEdits({ steps, freshPages }: Case): FieldCondition[] {
  return findEntries(steps).flatMap(({ kind, isPart, url, label, value }) => {
    const root = findFreshPage(freshPages, url)?.page?.root;
    const isCut = root !== undefined && findFieldValues({ root }, label).some(isCutValue);
    if (kind !== "text" || !isPart || isCut) return [];
    return [{ kind: "field" as const, url, label, value, isSaved: false, about: "" }];
  });
}

/** A short number is on every page, and a check box holds no text. */
export function isTelling(value: string): boolean {
  if (value === "checked" || value === "unchecked") return false;
  return /\p{L}{3}/u.test(value) || (value.match(/\d/g) ?? []).length >= 4;
}

/** The last step on the page that sent what was entered there; null when none did, or when it was a sign-in. */
function findSubmission(url: string, context: Case): StepCause | null {
  if (hasSecretField(url, context.captured)) return null;
  return findSubmissions(context).findLast((step) => isSamePage(step.url, url)) ?? null;
}

function isLookupField({ url, label, value }: FieldCondition, context: Case): boolean {
  const entry = findAllEntries(context.steps).find((each) => each.label === label && isSamePage(each.url, url));
  const unknown: Pick<Entry, "url" | "label" | "value"> = { url, label, value };
  return isLookup(
    { ...(entry ?? { step: 0, place: null, kind: "text", isPart: false, parts: [] }), ...unknown },
    context,
  );
}

/** A fresh page shows it, in its field or more often than when the run came to the form. */
function isShown({ url, label, value }: FieldCondition, { steps, freshPages, captured }: Case): boolean {
  const observationNumber = findUntouched(url, { steps, captured })?.observationNumber ?? 0;
  return freshPages.some(({ page, url: freshUrl }) => {
    if (page === null) return false;
    const old = captured.firstValueOf(url, label);
    const isInField = findFieldValues(page, label).some(
      (held) => isSameValue(held, value) || (held !== old && contains(collapseWhitespace(held), value)),
    );
    if (isInField && isSamePage(freshUrl, url)) return true;
    const before = captured.before(freshUrl, { observationNumber });
    return countOccurrences(page.text, value) > countOccurrences(before?.text ?? "", value);
  });
}

/** Lists shorten long texts. */
const MIN_START = 12;

/**
 * Something new was made, and the run ended on the list of such things, which it had seen before: what is not in there when it is
 * read again was not made, or not yet, whatever the site says. "Create issue" is for a list of issues.
 */
function isMissingFromList(own: readonly FieldCondition[], { call, seen }: StepCause, context: Case): boolean {
  const { live, captured, freshPages } = context;
  const [verb = "", ...rest] = labelOf(call).trim().split(/\s+/);
  const now = findFreshPage(freshPages, live.url);
  const until = seen?.observationNumber ?? 0;
  const before = captured.list().findLast((page) => page.observationNumber <= until && isSameList(page.url, live.url));
  if (!MAKES.test(verb) || now?.page == null || now.note !== null || before === undefined) return false;
  const { root, text } = now.page;
  const lists = readRecordSets(root, live.url).filter(({ kind, region }) => kind !== "labelled" && region === "main");
  const headings = [...walk(root)].filter(({ node }) => node.role === "heading" && node.states.level === 1);
  const names = [...lists.map(({ name }) => name), ...headings.map(({ node }) => node.name)].join(" ");
  const made = [...toPhrase(rest.join(" ")).stems];
  const isOfSuch = made.length === 0 || made.some((stem) => toPhrase(names).stems.has(stem));
  if (lists.length === 0 || !isOfSuch) return false;
  const starts = own.map(({ value }) => foldVisible(value).slice(0, MIN_START));
  const count = (page: string, start: string) => countOccurrences(foldVisible(page), start);
  return !starts.some((start) => count(text, start) > count(findUntouched(before.url, context)?.text ?? "", start));
}

const MAKES = /^(?:create|add|post|publish)$/i;

/** Without their queries: a list may say there what was done. */
function isSameList(one: string, other: string): boolean {
  return one.split(/[?#]/)[0] === other.split(/[?#]/)[0];
}

const MAX_MESSAGE = 300;

/** A line that was not there before says that it worked. In another language, the form is gone and another page is there. */
function isConfirmed({ after, url, step, seen }: StepCause, { captured, live, steps }: Case): boolean {
  const before = captured.before(url, seen);
  const lines = [after ?? live.root, live.root].flatMap((root: ObservedNode) =>
    toPageLines(root).map(({ text }) => text),
  );
  const entered = findAllEntries(steps).filter((entry) => entry.step < step && isSamePage(entry.url, url));
  const isGone = entered.every(({ label }) => findFieldValues({ root: after ?? live.root }, label).length === 0);
  if (isGone && !isSamePage(live.url, url) && !isEnglish(lines.join(" "))) return true;
  return lines.some(
    (line) =>
      line.length <= MAX_MESSAGE &&
      findSuccess(line) !== null &&
      findFailure(line) === null &&
      (before === undefined || !contains(before.text, line)),
  );
}

const DELETES: ReadonlySet<string> = new Set(["delete", "remove"]);

/**
 * What was deleted is gone afterwards. What the run opened, or the task quotes, and what is no longer in the run's own tab
 * must not be on a fresh page again: a site may have lost what it accepted.
 */
export function checkGone({ task, steps, writes, live, captured, freshPages }: Case): Check[] {
  const deleting = steps.find(({ call, hasFailed }) => !hasFailed && DELETES.has(findCommitVerb(labelOf(call)) ?? ""));
  const isSent = writes.some(({ write, cause }) => write.isFirstParty && (cause?.step ?? 0) >= (deleting?.step ?? 0));
  const fresh = findFreshPage(freshPages, live.url);
  const before = captured.before(live.url, deleting?.seen ?? null);
  if (deleting === undefined || !isSent || fresh?.page == null || fresh.note !== null || !before) return [];
  const opened = steps.filter(
    ({ step, url, call }, index) =>
      step < deleting.step && call.action === "click" && !isSamePage(steps[index + 1]?.url ?? url, url),
  );
  const names = [...opened.map(({ call }) => labelOf(call)), ...quotedIn(task.prompt)].filter(
    (name) => isTelling(name) && name !== labelOf(deleting.call),
  );
  const [was, own, now] = [before.root, live.root, fresh.page.root].map((root) =>
    toPageLines(root).map(({ text }) => text),
  );
  const back = was?.find(
    (line) => names.some((name) => contains(line, name)) && !own?.includes(line) && now?.includes(line),
  );
  if (back === undefined) return [];
  const evidence = `"${back.slice(0, 80)}" was gone in the run's own tab, and a fresh browser shows it again.`;
  return [{ about: "What was deleted is gone", verdict: "contradicted", evidence }];
}
