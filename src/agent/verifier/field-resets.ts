import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import type { Row } from "../extraction/record-set.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { asksToChangeStoredValue, isSavingLabel } from "../grounding/english-words.ts";
import { findFieldValues, isSameValue, readOutsideFields } from "../grounding/page-text.ts";
import { type Case, type Entry, findEntries, findFreshPage, isEntry, labelOf } from "./case.ts";
import { isTelling } from "./check-kept.ts";
import { findTarget } from "./deletions.ts";
import {
  createsSomething,
  type FieldCondition,
  findEntryOf,
  findFilling,
  isCreating,
  writesAfterFilling,
} from "./field-entries.ts";
import { findSending, findSubmissions } from "./sent-entries.ts";

/**
 * A form for something new starts again with its defaults: the field has its first value again, and a text beside it is blank
 * again, which a form for what is already there would show. A text was sent. What is chosen is sent in too many ways, so that a
 * fresh page must show the text beside it elsewhere.
 */
export function isReset(condition: FieldCondition, kept: string, context: Case): boolean {
  const { url, label, place } = condition;
  const { captured, freshPages, steps } = context;
  const entry = findEntryOf(condition, context);
  if (entry === null || captured.firstValueOf(url, label, place) !== kept) return false;
  const root = findFreshPage(freshPages, url)?.page?.root;
  const isBlankAgain = (other: Entry) =>
    other.kind === "text" &&
    other.value !== "" &&
    isSamePage(other.url, url) &&
    captured.firstValueOf(url, other.label, other.place) === "" &&
    root !== undefined &&
    findFieldValues({ root }, other.label, other.place).includes("");
  const blank = findEntries(steps).filter(isBlankAgain);
  const { kind } = findSending(entry, context);
  if (entry.kind === "text" && isCreating(condition, context)) return kind === "sent" && blank.length > 0;
  const isMade = ({ value }: Entry) =>
    isTelling(value) && freshPages.some(({ page }) => page !== null && contains(readOutsideFields(page.root), value));
  return (kind === "sent" || kind === "unreadable") && blank.some(isMade);
}

const MIN_FILLED = 2;

/** A form that is saved, and came with the values of what is there: a blank field of it is not reset. */
export function isEditForm({ url, label }: FieldCondition, { steps, captured }: Case): boolean {
  const first = captured.list().find((page) => isSamePage(page.url, url));
  const isSaving = (step: StepCause) => isSamePage(step.url, url) && isSavingLabel(labelOf(step.call));
  if (first === undefined || !steps.some((step) => !isEntry(step.call) && isSaving(step))) return false;
  const filled = [...walk(first.root)].filter(
    ({ node }) => node.role === "textbox" && node.name !== label && (node.value ?? "").trim() !== "",
  );
  return filled.length >= MIN_FILLED;
}

/**
 * The page came with this text, something was sent from it, and it still shows the text. In most forms check boxes are reset;
 * so is all of a form that makes something new, and what is selected or counted in a form that leads on to another page.
 */
export function isUnchangedAfterSending(condition: FieldCondition, kept: string, context: Case): boolean {
  const { url, label, place, value } = condition;
  if (isCheckBox(value) || context.captured.firstValueOf(url, label, place) !== kept) return false;
  const sent = writesAfterFilling(condition, context);
  if (sent.length === 0 || sent.some(({ cause }) => cause !== null && createsSomething(cause))) return false;
  if (isCarriedOn(condition, context)) return false;
  if (asksToChangeStoredValue(context.task.prompt) || isSamePage(context.live.url, url)) return true;
  const filledAt = findFilling(condition, context);
  const isSelected = context.steps.some(({ step, call }) => step === filledAt && call.action === "select");
  return !isSelected && !/^\d+$/.test(kept);
}

/**
 * A later page has shown it beside its fields, such as the summary of an order, and more was sent from there: the field is one of a
 * flow that starts again with its defaults.
 */
function isCarriedOn(condition: FieldCondition, context: Case): boolean {
  const { url, value } = condition;
  const { steps, captured } = context;
  const filledAt = findFilling(condition, context);
  const until = steps.find(({ step }) => step === filledAt)?.seen?.observationNumber ?? 0;
  const isLater = ({ observationNumber }: CapturedPage) => observationNumber > until;
  const shown = captured
    .list()
    .find((page) => isLater(page) && !isSamePage(page.url, url) && contains(readOutsideFields(page.root), value));
  const isOld = captured.list().some((page) => !isLater(page) && contains(page.text, value));
  if (shown === undefined || !isTelling(value) || isOld) return false;
  return findSubmissions(context).some(
    ({ step, url: from, seen }) =>
      step > filledAt && !isSamePage(from, url) && (seen?.observationNumber ?? 0) >= shown.observationNumber,
  );
}

function isCheckBox(value: string): boolean {
  return value === "checked" || value === "unchecked";
}

/** The row of the field shows the value, which it did not before. It has its own small form, which is blank again. */
export function isInItsRow(condition: FieldCondition, { steps, captured, freshPages }: Case): boolean {
  const filledAt = findFilling(condition, { steps });
  const step = steps.find((each) => each.step === filledAt);
  const found = step === undefined ? null : findTarget(step, captured);
  const fresh = findFreshPage(freshPages, condition.url)?.page;
  if (found === null || fresh == null) return false;
  const isOwn = ({ node }: Row) => found.visit.ancestors.includes(node);
  const row = listRows(found.page.root).findLast(isOwn);
  const [key, ...values] = row === undefined ? [] : textsOf(row);
  const again = listRows(fresh.root).filter((each) => key !== undefined && textsOf(each)[0] === key);
  const says = (text: string) => isSameValue(withoutCurrency(text), condition.value);
  return again.length === 1 && again.flatMap(textsOf).some(says) && !values.some(says);
}

function listRows(root: ObservedNode): Row[] {
  return readRecordSets(root).flatMap(({ kind, rows }) => (kind === "labelled" ? [] : rows));
}

function textsOf({ cells }: Row): string[] {
  return [...cells.values()].map(({ text }) => text);
}

/** What was entered mostly has none. */
function withoutCurrency(text: string): string {
  return text.replace(/^[\p{Sc}\s]+|[\p{Sc}\s]+$/gu, "");
}
