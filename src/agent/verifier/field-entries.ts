import { isSamePlace } from "../../browser/observation/twin-fields.ts";
import type { AttributedWrite, StepCause } from "../actions/side-effects.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import type { Condition } from "../grounding/claim.ts";
import { isCreatingLabel } from "../grounding/english-words.ts";
import { isSameValue } from "../grounding/page-text.ts";
import { type Case, type Entry, findAllEntries, isEntry, labelOf, MAX_COMPARED } from "./case.ts";

export type FieldCondition = Extract<Condition, { kind: "field" }>;

/** Labels are compared up to this length. */
const MAX_LABEL = 60;

/** The step that filled in the field; 0 if no step did, so that everything counts as later. */
export function findFilling({ url, label, place, value }: FieldCondition, { steps }: Pick<Case, "steps">): number {
  const names = [label, value].map((text) => text.slice(0, MAX_LABEL)).filter(Boolean);
  const isFilling = ({ url: page, call, place: own }: StepCause) => {
    const target = labelOf(call) || String(call.input["text"] ?? "");
    const isNamed = names.some((name) => target.startsWith(name));
    return isSamePage(page, url) && isEntry(call) && isNamed && isSamePlace(own, place);
  };
  return steps.findLast(isFilling)?.step ?? 0;
}

/** What was sent before the field was filled in says nothing about the field. */
export function writesAfterFilling(condition: FieldCondition, context: Case): AttributedWrite[] {
  const filledAt = findFilling(condition, context);
  return context.writes.filter(
    ({ cause }) => cause !== null && cause.step >= filledAt && isSamePage(cause.url, condition.url),
  );
}

/** The entry that a condition is about; null when the run entered no such value. */
export function findEntryOf(condition: FieldCondition, { steps }: Case): Entry | null {
  const { label, place, value } = condition;
  const entries = findAllEntries(steps).filter(
    (entry) => entry.label === label && isSamePlace(entry.place, place) && isValueOf(entry, value),
  );
  return entries.find((entry) => isSamePage(entry.url, condition.url)) ?? entries[0] ?? null;
}

/** Long texts are recorded only in part, and of an edited text only what is new. */
export function isValueOf(entry: Entry, value: string): boolean {
  if (entry.isPart) return contains(value.replace(/\s+/g, " "), entry.value);
  const isCut = value.length > MAX_COMPARED && entry.value.startsWith(value.slice(0, MAX_COMPARED));
  return isCut || isSameValue(entry.value, value);
}

/** Whether a step creates something from what was entered: the form then starts again with its defaults. */
export function createsSomething({ call }: StepCause): boolean {
  return isCreatingLabel(labelOf(call));
}

export function isCreating(condition: FieldCondition, context: Case): boolean {
  return writesAfterFilling(condition, context).some(({ cause }) => cause !== null && createsSomething(cause));
}
