import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import { type AttributedWrite, isBeacon, type StepCause } from "../actions/side-effects.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import { asksForChange, withoutQuotedText } from "../grounding/english-words.ts";
import { findFailure } from "../grounding/failure-words.ts";
import { findFieldValues, isField, isSameValue, readText } from "../grounding/page-text.ts";
import { redactUrl } from "../safe-text.ts";
import { hasGoodStatus } from "./accepted-writes.ts";
import { type Case, type Entry, findEntries, findUntouched, identityOf, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";
import { carries, isLookupLabel } from "./sent-entries.ts";

/** What a step sent, and the page that came of it. */
interface Submission {
  readonly cause: StepCause;
  readonly after: ObservedNode;
  readonly writes: readonly NetworkRecord[];
}

/**
 * The same form again is no success, whatever its status: after the submission the page shows the form with what was entered
 * in it, or with a message about it, and no fresh page shows the change. A form that shows its saved values is fine: a fresh
 * browser shows them too.
 */
export function checkSameForm(context: Case): Check[] {
  return findLastSubmissions(context).flatMap((submission): Check[] => {
    const entries = findEntries(context.steps).filter(
      ({ step, url, kind, value }) =>
        step <= submission.cause.step &&
        isSamePage(url, submission.cause.url) &&
        (kind === "text" || kind === "choice") &&
        value.trim() !== "",
    );
    const changed = entries.filter(
      ({ url, label, place, value }) => context.captured.firstValueOf(url, label, place) !== value,
    );
    const refusal = findRefusal(submission, context);
    if (refusal !== null) {
      const evidence = `Since ${submission.cause.cause}, the page says: "${refusal.slice(0, 120)}".`;
      return [{ about: "The site took the form", verdict: "contradicted", evidence }];
    }
    if (changed.length === 0 || !isStillThere(changed, submission)) return [];
    const message = findMessage(submission, context);
    const isBack = isFormBack(changed, submission) && isAboutChange(context);
    if ((message === null && !isBack) || changed.some((entry) => isOnFreshPage(entry, context))) return [];
    const [write] = submission.writes;
    const sent = write === undefined ? "" : `After ${write.method} ${redactUrl(write.url)} returned ${write.status}, `;
    const how = message === null ? "with what was entered" : `and says: "${message.slice(0, 120)}"`;
    const evidence = `${sent}the page shows the same form again, ${how}. No fresh page shows the change.`;
    return [{ about: "The site took the form", verdict: "contradicted", evidence }];
  });
}

/** The last submission by each button. */
function findLastSubmissions({ writes }: Case): Submission[] {
  const byButton = new Map<string, Submission>();
  for (const { write, cause } of writes) {
    if (cause?.after == null || cause.effect !== "mutate" || !isChange(write)) continue;
    // It shows the form again together with a result.
    if (isLookupLabel(labelOf(cause.call))) continue;
    const key = `${identityOf(cause.call)} ${cause.url}`;
    const known = byButton.get(key);
    const own = known?.cause.step === cause.step ? known.writes : [];
    byButton.set(key, { cause, after: cause.after, writes: [...own, write] });
  }
  return [...byButton.values()];
}

function isChange(write: AttributedWrite["write"]): boolean {
  return write.isFirstParty && !isBeacon(write) && (hasGoodStatus(write) || write.resourceType === "websocket");
}

function isStillThere(entries: readonly Entry[], { after }: Submission): boolean {
  return entries.some(({ label }) => findFieldValues({ root: after }, label).length > 0);
}

/** The response to the form itself has the fields with what was entered. A script may leave them as they are. */
function isFormBack(entries: readonly Entry[], { after, writes }: Submission): boolean {
  const submitted = writes.filter(({ isNavigation }) => isNavigation);
  const own = entries.filter((entry) => submitted.some(({ sent }) => carries(sent, entry, new Set()) === "yes"));
  return (
    own.length > 0 &&
    own.every(({ label, place, value }) =>
      findFieldValues({ root: after }, label, place).some((held) => isSameValue(held, value)),
    )
  );
}

/** A form that only asks for something may come back with the answer. */
function isAboutChange({ task, claim }: Case): boolean {
  const hasAnswer = claim.facts.length > 0 || claim.extraction !== null;
  return !hasAnswer || asksForChange(withoutQuotedText(task.prompt));
}

const MAX_MESSAGE = 200;
const MAX_REFUSAL = 100;

/** A message about the form that was not there before: an alert, a field marked as invalid, a line that asks for a correction. */
function findMessage({ cause, after }: Submission, context: Case): string | null {
  const before = findUntouched(cause.url, context);
  const isNew = (text: string) => text !== "" && (before === undefined || !contains(before.text, text));
  const nodes = [...walk(after)].map(({ node }) => node);
  const wasInvalid = new Set(before === undefined ? [] : findInvalid(before.root));
  const invalid = findInvalid(after).find((label) => !wasInvalid.has(label));
  const alert = nodes.filter(({ role }) => role === "alert").map(readText);
  const lines = toPageLines(after).map(({ text }) => text);
  const said = [...alert, ...lines].find(
    (text) => text.length <= MAX_MESSAGE && isNew(text) && findFailure(text) !== null,
  );
  return said ?? (invalid === undefined ? null : `${invalid} is not valid`);
}

const REFUSED =
  /\b(?:can ?not|can['’]t|could not|couldn['’]t|unable to|failed to|not (?:permitted|allowed|authori[sz]ed)|(?:access|permission) denied)\b/i;

/**
 * A line that came with the step, says that it was refused, and is still there in a fresh browser: also when the page shows
 * what was sent as well, as a chat does. What the run or the task says itself is no such line.
 */
function findRefusal({ cause, after }: Submission, { task, steps, freshPages }: Case): string | null {
  const previous = steps.findLast(({ step, after: page }) => step < cause.step && page !== null)?.after;
  if (previous == null) return null;
  const before = new Set(toPageLines(previous).map(({ text }) => text));
  const own = [task.prompt, ...findEntries(steps).map(({ value }) => value)];
  const isOwn = (line: string) => own.some((text) => contains(text, line) || (text !== "" && contains(line, text)));
  const isFresh = (line: string) => freshPages.some(({ page }) => page !== null && contains(page.text, line));
  const lines = toPageLines(after).map(({ text }) => text);
  return (
    lines.find(
      (line) => line.length <= MAX_REFUSAL && !before.has(line) && REFUSED.test(line) && !isOwn(line) && isFresh(line),
    ) ?? null
  );
}

function findInvalid(root: ObservedNode): string[] {
  return [...walk(root)]
    .filter(({ node }) => isField(node) && node.states.invalid === true)
    .map(({ node }) => node.name);
}

function isOnFreshPage({ label, place, value }: Entry, { freshPages }: Case): boolean {
  return freshPages.some(({ page }) => {
    if (page === null) return false;
    return contains(page.text, value) || findFieldValues(page, label, place).some((held) => isSameValue(held, value));
  });
}
