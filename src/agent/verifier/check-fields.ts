import { walk } from "../../browser/observation/observation.ts";
import type { AttributedWrite, StepCause } from "../actions/side-effects.ts";
import { parseAmount } from "../grounding/amounts.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import type { Condition } from "../grounding/claim.ts";
import { createsRecord } from "../grounding/english-words.ts";
import { findFieldValues, isSameValue } from "../grounding/page-text.ts";
import { redactUrl } from "../safe-text.ts";
import { type Case, type Entry, type FreshPage, findEntries, findFreshPage, type Sight } from "./case.ts";
import type { Check } from "./check.ts";
import { isAccepted } from "./check-changes.ts";

type FieldCondition = Extract<Condition, { kind: "field" }>;

/** What people call a button that keeps what was entered. */
const SAVING = /\b(save|update|apply changes|store)\b/i;
/** How the steps that fill in fields are described, whatever the field is called. */
const FILLING = /^(?:fill|check|select) /;
/** What people call it when they mean what the site keeps, and not what a field shows. */
const CHANGING = /\b(change|update|rename|edit|correct|turn (on|off)|switch (on|off)|enable|disable|(un)?subscribe)\b/i;

/** Of a name in the description of a step, as far as it stands there in any case. */
const NAMED_LENGTH = 60;

/**
 * A value that was saved must be there for fresh eyes, and an old value that stands there still is a contradiction. One
 * that was only entered must be in the page, as long as the page is there.
 */
export function checkField(condition: FieldCondition, sight: Sight): Check {
  const { about, url, label, value } = condition;
  const look = findFreshPage(sight.looks, url);
  const fresh = look?.observation ? findFieldValues(look.observation, label) : [];
  if (isLeftUnsaved(condition, sight)) return adviseToSave(checkSaved(condition, fresh, look, sight), sight);
  if (isSaved(condition, sight)) return checkSaved(condition, fresh, look, sight);
  const kept = fresh.find((shown) => shown !== "");
  if (kept !== undefined && !isSameValue(kept, value) && isUnchangedAfterSending(condition, kept, sight)) {
    return {
      about,
      verdict: "contradicted",
      evidence: `In a fresh tab "${label}" still holds "${kept.slice(0, 120)}".`,
    };
  }
  return checkEntered(condition, sight);
}

function isSaved(condition: FieldCondition, sight: Sight): boolean {
  const { isSaved: isSaid, url } = condition;
  const filledAt = findFilling(condition, sight);
  const isKept = ({ url: page, effect, cause, step }: StepCause) =>
    isSamePage(page, url) && step >= filledAt && effect === "mutate" && SAVING.test(cause) && !FILLING.test(cause);
  return isSaid || sight.steps.some(isKept);
}

/** Whoever says "change my name" does not mean the field: where a value stood before, typing alone changes nothing. */
function isLeftUnsaved(condition: FieldCondition, sight: Sight): boolean {
  const { url, label, isSaved: isSaid } = condition;
  const isChange = CHANGING.test(sight.prompt) && (sight.captured.firstValueOf(url, label) ?? "") !== "";
  return !isSaid && isChange && writesAfterFilling(condition, sight).length === 0;
}

/** With the name of the button that the page has for it. */
function adviseToSave(check: Check, { live }: Sight): Check {
  if (check.verdict === "satisfied") return check;
  const names = [...walk(live.root)].filter(({ node }) => node.role === "button").map(({ node }) => node.name.trim());
  const [button = "Save", ...others] = names.filter((name) => SAVING.test(name));
  const said = others.length === 0 ? button : "Save";
  return {
    ...check,
    evidence: `${check.evidence} It was entered and not saved. Add to the prompt: and click ${said}.`,
  };
}

/** What was sent from the page before the field was filled in says nothing about the field. */
function writesAfterFilling(condition: FieldCondition, sight: Sight): AttributedWrite[] {
  const filledAt = findFilling(condition, sight);
  return sight.writes.filter(
    ({ cause }) => cause !== null && cause.step >= filledAt && isSamePage(cause.url, condition.url),
  );
}

/** The step that filled it in; 0 where no step says so, and everything came after it. */
function findFilling({ url, label, value }: FieldCondition, { steps }: Sight): number {
  const names = [label, value].map((text) => `"${text.slice(0, NAMED_LENGTH)}`);
  const isFilling = ({ url: page, cause }: StepCause) =>
    isSamePage(page, url) && FILLING.test(cause) && names.some((name) => cause.includes(name));
  return steps.findLast(isFilling)?.step ?? 0;
}

function checkSaved(
  condition: FieldCondition,
  fresh: readonly string[],
  look: FreshPage | undefined,
  sight: Sight,
): Check {
  const { about, label, value } = condition;
  const { looks } = sight;
  if (fresh.some((shown) => isSameValue(shown, value))) {
    return { about, verdict: "satisfied", evidence: `In a fresh tab "${label}" holds the new value.` };
  }
  const [kept] = fresh;
  const contradiction: Check = {
    about,
    verdict: "contradicted",
    evidence: `In a fresh tab "${label}" holds "${kept?.slice(0, 120)}".`,
  };
  const isBlank = kept === "" && sight.captured.firstValueOf(condition.url, label) === "";
  if (kept !== undefined && !isBlank) return contradiction;
  // A word such as "checked" says nothing about a box, wherever it stands.
  const elsewhere = isBox(value) ? undefined : looks.find(({ page }) => page !== null && contains(page.text, value));
  if (elsewhere !== undefined) {
    return { about, verdict: "satisfied", evidence: `The value stands at ${redactUrl(elsewhere.url)} in a fresh tab.` };
  }
  // A form for something new is blank for the next one; but where the run is still at it, nothing says that it was kept.
  if (isBlank && isSamePage(sight.live.url, condition.url)) return contradiction;
  const accepted = writesAfterFilling(condition, sight).findLast(
    ({ write }) => write.isFirstParty && isAccepted(write),
  );
  const missing = isBlank
    ? `A fresh tab shows "${label}" blank, as it was at first`
    : `A fresh tab does not show the field "${label}"${look?.note ? ` (${look.note})` : ""}`;
  if (accepted === undefined) return { about, verdict: "unknown", evidence: `${missing}, and nothing was sent.` };
  const { method, url, status } = accepted.write;
  return { about, verdict: "satisfied", evidence: `${missing}; ${method} ${redactUrl(url)} was answered ${status}.` };
}

/**
 * The page came with this text, something was sent from it, and it shows the text still. Boxes start anew in most forms, and
 * so does all of a form that makes something new, and what is chosen or counted in one that leads on to another page.
 */
function isUnchangedAfterSending(condition: FieldCondition, kept: string, sight: Sight): boolean {
  const { url, label, value } = condition;
  if (isBox(value) || sight.captured.firstValueOf(url, label) !== kept) return false;
  const sent = writesAfterFilling(condition, sight);
  if (sent.length === 0 || sent.some(({ cause }) => cause !== null && createsRecord(cause))) return false;
  if (CHANGING.test(sight.prompt) || isSamePage(sight.live.url, url)) return true;
  const filledAt = findFilling(condition, sight);
  const isChosen = sight.steps.some(({ step, cause }) => step === filledAt && cause.startsWith("select "));
  return !isChosen && !/^\d+$/.test(kept);
}

function isBox(value: string): boolean {
  return value === "checked" || value === "unchecked";
}

function checkEntered({ about, url, label, value }: FieldCondition, { live }: Sight): Check {
  const shown = isSamePage(live.url, url) ? findFieldValues(live, label).find((text) => text !== "") : undefined;
  if (shown === undefined) {
    return { about, verdict: "satisfied", evidence: `"${label}" held the value until the page changed.` };
  }
  const verdict = isSameValue(shown, value) ? "satisfied" : "contradicted";
  return { about, verdict, evidence: `"${label}" holds "${shown.slice(0, 120)}".` };
}

/** What people call a button that keeps what was entered. */
const SAVING_STEP = /\b(?:save|update|apply(?! (?:now|for))|store|change|done)\b/i;
const LOOKING = /\b(?:sort|filter|search|find|per page|compare)\b/i;
/** What people say when they mean what the site keeps, and not what a field shows. */
const CHANGING_TASK =
  /\b(?:change|update|rename|edit|correct|set|turn (?:on|off)|switch (?:on|off)|enable|disable|save)\b/i;

/**
 * What was entered and kept is what a fresh browser finds in the field, whatever the planner claims: not the old value, not
 * another number, not a part of it. Fields that start anew say nothing.
 */
export function checkEntries(held: Case): Check[] {
  return findEntries(held.steps).flatMap((entry) => {
    const { label, value } = entry;
    const look = findFreshPage(held.looks, entry.url);
    const fresh = look?.observation ? findFieldValues(look.observation, label) : [];
    if (fresh.length === 0 || fresh.some((shown) => isSameValue(shown, value)) || !isMeantToBeKept(entry, held))
      return [];
    const lost = fresh.find((shown) => isLoss(shown, entry, held));
    if (lost === undefined) return [];
    const evidence = `Given "${value.slice(0, 60)}"; in a fresh browser it holds "${lost.slice(0, 60)}".`;
    return [{ about: `"${label.slice(0, 80)}" keeps what was entered`, verdict: "contradicted" as const, evidence }];
  });
}

/**
 * It was saved, or the task says that it is to be kept. What only chooses what to look at is not, and neither is what went
 * into a form for something new, which starts again at its defaults.
 */
function isMeantToBeKept(entry: Entry, held: Case): boolean {
  const { steps, writes, prompt, claim } = held;
  const { step, url, label } = entry;
  if (LOOKING.test(label) || !isOnPageAfter(step, url, held)) return false;
  const later = steps.filter((each) => each.step > step && isSamePage(each.url, url) && each.effect === "mutate");
  const sent = writes.flatMap(({ cause }) => (cause !== null && cause.step >= step ? [cause] : []));
  const own = sent.filter((cause) => isSamePage(cause.url, url));
  if (own.some((cause) => createsRecord(cause) || !isOnPageAfter(cause.step, url, held))) return false;
  const isAnswer = claim.facts.length > 0 || claim.extraction !== null;
  return (
    later.some(({ cause }) => SAVING_STEP.test(cause)) ||
    (!isAnswer && CHANGING_TASK.test(prompt) && isNamed(entry, prompt))
  );
}

/** Whether the run was still on the page after a step there. */
function isOnPageAfter(step: number, url: string, { steps, live }: Case): boolean {
  return isSamePage(steps.find((later) => later.step > step)?.url ?? live.url, url);
}

function isNamed({ label, value }: Entry, prompt: string): boolean {
  const said = prompt.toLowerCase();
  const words = label.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return [value.toLowerCase(), ...words].some((each) => each !== "" && said.includes(each));
}

function isLoss(shown: string, { url, label, value }: Entry, { captured }: Case): boolean {
  if (shown === "") return false;
  if (captured.firstValueOf(url, label) === shown) return true;
  if (value.toLowerCase().startsWith(shown.toLowerCase())) return true;
  const [given, kept] = [value, shown].map((text) =>
    /^[-\d.,\s]+$/.test(text) ? parseAmount(text)?.value : undefined,
  );
  return given !== undefined && kept !== undefined && given !== kept;
}
