import { walk } from "../../browser/observation/observation.ts";
import { type AttributedWrite, isBeacon, type StepCause } from "../actions/side-effects.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import { asksToChangeStoredValue, isSavingLabel } from "../grounding/english-words.ts";
import { findFieldValues, hasTwins, isSameValue, isUnclearField, readOutsideFields } from "../grounding/page-text.ts";
import { redactUrl } from "../safe-text.ts";
import { TaskSecrets } from "../task-secrets.ts";
import { isAccepted } from "./accepted-writes.ts";
import { type Case, type Entry, type FreshPage, findFreshPage, isEntry, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { isTelling } from "./check-kept.ts";
import { type FieldCondition, findEntryOf, findFilling, isCreating, writesAfterFilling } from "./field-entries.ts";
import { isEditForm, isInItsRow, isReset, isUnchangedAfterSending } from "./field-resets.ts";
import { isMissingField } from "./page-readiness.ts";
import { findSending, findSubmissions, isLookup, isLookupRequest, REPORT_PATH, type Sending } from "./sent-entries.ts";

/**
 * A value that was saved must be in the field for a fresh browser, and an old value that is still there is a contradiction.
 * A value that was only entered must be in the run's own tab, as long as that is on the page.
 */
export function checkField(claimed: FieldCondition, context: Case): Check {
  const condition = withPlace(claimed, context);
  const { about, url, label, place, value } = condition;
  const page = findFreshPage(context.freshPages, url);
  const fresh = page?.observation ? findFieldValues(page.observation, label, place) : [];
  if (isLeftUnsaved(condition, context)) return adviseToSave(checkSaved(condition, fresh, page, context), context);
  if (isSaved(condition, context)) return checkSavedAndSent(condition, fresh, page, context);
  const entry = findEntryOf(condition, context);
  if (entry !== null && isSavedByItself(entry, context)) return checkSaved(condition, fresh, page, context);
  const kept = fresh.find((shown) => shown !== "");
  if (kept !== undefined && !isSameValue(kept, value) && isUnchangedAfterSending(condition, kept, context)) {
    const evidence = `In a fresh browser "${label}" still holds "${kept.slice(0, 120)}".`;
    return { about, verdict: "contradicted", evidence };
  }
  return checkEntered(condition, context);
}

/** A claim that cites a field by its label means the one that the run has filled in. */
function withPlace(condition: FieldCondition, context: Case): FieldCondition {
  if (condition.place !== undefined) return condition;
  return { ...condition, place: findEntryOf(condition, context)?.place ?? null };
}

function isSaved(condition: FieldCondition, context: Case): boolean {
  const filledAt = findFilling(condition, context);
  const isSaving = ({ url, effect, call, step }: StepCause) =>
    isSamePage(url, condition.url) &&
    step >= filledAt &&
    effect === "mutate" &&
    !isEntry(call) &&
    isSavingLabel(labelOf(call));
  return condition.isSaved || context.steps.some(isSaving);
}

/** Whether a box, a switch or a radio button was sent by the step that set it, and nothing was submitted there later. */
export function isSavedByItself({ kind, step, url }: Entry, context: Case): boolean {
  if (kind !== "checked" && kind !== "unchecked") return false;
  const isSaving = ({ write, cause }: AttributedWrite) =>
    cause?.step === step &&
    write.isFirstParty &&
    !isBeacon(write) &&
    isAccepted(write) &&
    !isLookupRequest(write) &&
    !REPORT_PATH.test(URL.parse(write.url)?.pathname ?? "");
  const isLater = (submission: StepCause) => submission.step > step && isSamePage(submission.url, url);
  return context.writes.some(isSaving) && !findSubmissions(context).some(isLater);
}

/**
 * What the claim itself calls saved was sent, whatever a fresh page shows: a page can show a text again from its URL, or have
 * shown it before. A page that sends nothing keeps its state in the browser, which a fresh browser gets a copy of.
 */
function checkSavedAndSent(
  condition: FieldCondition,
  fresh: readonly string[],
  page: FreshPage | undefined,
  context: Case,
): Check {
  const { about, label, isSaved: isCalledSaved } = condition;
  const entry = isCalledSaved ? findEntryOf(condition, context) : null;
  if (entry !== null && isLookup(entry, context)) return checkEntered(condition, context);
  if (entry !== null && !isSecretOf(context.task, entry) && findSending(entry, context).kind === "not_sent") {
    const evidence = `What was entered into "${label.slice(0, 80)}" is in no request that the site accepted.`;
    return { about, verdict: "contradicted", evidence };
  }
  return checkSaved(condition, fresh, page, context);
}

function isSecretOf({ prompt }: Case["task"], { value }: Entry): boolean {
  return new TaskSecrets(prompt).hide(value) !== value;
}

/** "Change my name" does not mean the field: where there was a value before, typing alone changes nothing. */
function isLeftUnsaved(condition: FieldCondition, context: Case): boolean {
  const { url, label, place } = condition;
  const isChange =
    asksToChangeStoredValue(context.task.prompt) && (context.captured.firstValueOf(url, label, place) ?? "") !== "";
  return !condition.isSaved && isChange && writesAfterFilling(condition, context).length === 0;
}

/** Names the button that the page has for it. */
function adviseToSave(check: Check, { live }: Case): Check {
  if (check.verdict === "satisfied") return check;
  const names = [...walk(live.root)].filter(({ node }) => node.role === "button").map(({ node }) => node.name.trim());
  const [button = "Save", ...others] = names.filter(isSavingLabel);
  const named = others.length === 0 ? button : "Save";
  return {
    ...check,
    evidence: `${check.evidence} The value was entered but not saved. Add "and click ${named}" to the prompt.`,
  };
}

function checkSaved(
  condition: FieldCondition,
  fresh: readonly string[],
  page: FreshPage | undefined,
  context: Case,
): Check {
  const { about, label, place, value } = condition;
  if (page?.observation && isUnclearField(page.observation, label, place)) return checkUnclear(condition, context);
  if (fresh.some((shown) => isSameValue(shown, value))) {
    return { about, verdict: "satisfied", evidence: `In a fresh browser "${label}" holds the new value.` };
  }
  const [kept] = fresh;
  const contradiction: Check = {
    about,
    verdict: "contradicted",
    evidence: `In a fresh browser "${label}" holds "${kept?.slice(0, 120)}".`,
  };
  const isBlank = kept === "" && context.captured.firstValueOf(condition.url, label, place) === "";
  if (kept !== undefined && !isBlank && !isReset(condition, kept, context)) return contradiction;
  const elsewhere = describeElsewhere(condition, context);
  if (elsewhere !== null) return { about, verdict: "satisfied", evidence: elsewhere };
  // A form for something new is blank again afterwards. On any other form that the run is still on, a blank field was lost.
  if (isBlank && wasLost(condition, context)) return contradiction;
  const { verdict, evidence } = judgeSending(condition, context);
  if (kept !== undefined) {
    const shown = `A fresh browser shows "${label}" ${isBlank ? "blank, as before" : "as the form came"}`;
    return { about, verdict, evidence: `${shown}${evidence}` };
  }
  const missing = `A fresh browser does not show the field "${label}"${page?.note ? ` (${page.note})` : ""}`;
  const isUnread = verdict === "satisfied" && isMissingField(condition, page, context);
  return isUnread
    ? { about, verdict: "unknown", evidence: `${missing}, which the run's own tab still shows.` }
    : { about, verdict, evidence: `${missing}${evidence}` };
}

function wasLost(condition: FieldCondition, context: Case): boolean {
  if (isCreating(condition, context)) return false;
  return isSamePage(context.live.url, condition.url) || isEditForm(condition, context);
}

function describeElsewhere(condition: FieldCondition, context: Case): string | null {
  const elsewhere = findElsewhere(condition, context);
  if (elsewhere !== undefined) return `The value is on ${redactUrl(elsewhere.url)} in a fresh browser.`;
  if (!isInItsRow(condition, context)) return null;
  return `In a fresh browser the row of "${condition.label}" shows the value.`;
}

/** A fresh page with the value. Of a field with twins, one of these may hold it, so that only other text counts. */
function findElsewhere({ place, value }: FieldCondition, { freshPages }: Case): FreshPage | undefined {
  if (!isTelling(value)) return undefined;
  return freshPages.find(
    ({ page }) => page !== null && contains(hasTwins(place) ? readOutsideFields(page.root) : page.text, value),
  );
}

/** The fresh page has several fields of this label, and none that is surely the one that was filled in. */
function checkUnclear(condition: FieldCondition, context: Case): Check {
  const { about, label } = condition;
  const elsewhere = describeElsewhere(condition, context);
  if (elsewhere !== null) return { about, verdict: "satisfied", evidence: elsewhere };
  const evidence = `A fresh browser shows other fields "${label.slice(0, 80)}", and it cannot be told which one was filled in.`;
  return { about, verdict: "unknown", evidence };
}

/** Where no page shows the value, a request that the site accepted must carry it. */
function judgeSending(condition: FieldCondition, context: Case): Pick<Check, "verdict" | "evidence"> {
  const accepted = writesAfterFilling(condition, context).findLast(
    ({ write }) => write.isFirstParty && isAccepted(write),
  );
  const entry = findEntryOf(condition, context);
  const sending = entry === null ? toSending(accepted) : findSending(entry, context);
  // It may have been sent from another page: from that of a product, and be claimed of the basket.
  if (accepted === undefined && sending.kind !== "sent")
    return { verdict: "unknown", evidence: ", and nothing was sent." };
  switch (sending.kind) {
    case "sent": {
      const { method, url, status } = sending.write;
      return { verdict: "satisfied", evidence: `; ${method} ${redactUrl(url)} returned ${status}.` };
    }
    case "not_sent":
      return { verdict: "contradicted", evidence: ", and no request that the site accepted carries the value." };
    case "unreadable":
    case "nothing": {
      // Choices are sent in ways that cannot be told apart. Only what the claim itself calls saved must be shown.
      const isLenient = !condition.isSaved && entry?.kind !== "text";
      if (isLenient)
        return { verdict: "satisfied", evidence: `; ${accepted?.write.method ?? "a request"} was accepted.` };
      return { verdict: "unknown", evidence: ", and it cannot be told whether the value was sent." };
    }
  }
}

function toSending(accepted: AttributedWrite | undefined): Sending {
  return accepted === undefined ? { kind: "nothing" } : { kind: "sent", write: accepted.write };
}

function checkEntered({ about, url, label, place, value }: FieldCondition, { live }: Case): Check {
  const held = isSamePage(live.url, url) ? findFieldValues(live, label, place) : [];
  const shown = held.find((text) => text !== "");
  if (shown === undefined) {
    return { about, verdict: "satisfied", evidence: `"${label}" held the value until the page changed.` };
  }
  const verdict = isSameValue(shown, value) ? "satisfied" : "contradicted";
  return { about, verdict, evidence: `"${label}" holds "${shown.slice(0, 120)}".` };
}
