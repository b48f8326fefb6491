import { parseAmount } from "../grounding/amounts.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { asksToKeepValue, maySaveLabel } from "../grounding/english-words.ts";
import { findFieldValues, isCutValue } from "../grounding/page-text.ts";
import { type Case, type Entry, findEntries, findFreshPage, isEntry, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { isSavedByItself } from "./check-fields.ts";
import { createsSomething, isValueOf } from "./field-entries.ts";

/** Labels of fields that only choose what is shown. */
const LOOKUP_FIELD = /\b(?:sort|filter|search|find|per page|compare)\b/i;

/**
 * What was entered and kept is what a fresh browser finds in the field, whatever the planner claims: not the old value, not
 * another number, not a part of it. Fields that are reset say nothing.
 */
export function checkEntries(context: Case): Check[] {
  return findEntries(context.steps).flatMap((entry): Check[] => {
    const { label, place, value } = entry;
    const page = findFreshPage(context.freshPages, entry.url);
    const fresh = page?.observation ? findFieldValues(page.observation, label, place) : [];
    if (fresh.length === 0 || fresh.some((shown) => isValueOf(entry, shown))) return [];
    if (!isMeantToBeKept(entry, context) && !isSavedByItself(entry, context)) return [];
    const lost = fresh.find((shown) => isLoss(shown, entry, context));
    if (lost === undefined) return [];
    const evidence = `Entered "${value.slice(0, 60)}"; in a fresh browser it holds "${lost.slice(0, 60)}".`;
    return [{ about: `"${label.slice(0, 80)}" keeps what was entered`, verdict: "contradicted", evidence }];
  });
}

/**
 * It was saved, or the task says that it is to be kept. Entries that only choose what is shown are not, and neither are
 * those in a form for something new, which starts again at its defaults.
 */
function isMeantToBeKept(entry: Entry, context: Case): boolean {
  const { steps, writes, task, claim } = context;
  const { step, url, label } = entry;
  if (LOOKUP_FIELD.test(label) || !isOnPageAfter(step, url, context)) return false;
  const later = steps.filter((each) => each.step > step && isSamePage(each.url, url) && each.effect === "mutate");
  const sent = writes.flatMap(({ cause }) => (cause !== null && cause.step >= step ? [cause] : []));
  const own = sent.filter((cause) => isSamePage(cause.url, url));
  if (own.some((cause) => createsSomething(cause) || !isOnPageAfter(cause.step, url, context))) return false;
  const hasAnswer = claim.facts.length > 0 || claim.extraction !== null;
  return (
    later.some(({ call }) => !isEntry(call) && maySaveLabel(labelOf(call))) ||
    (!hasAnswer && asksToKeepValue(task.prompt) && isNamed(entry, task.prompt))
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

function isLoss(shown: string, { url, label, place, value, isPart }: Entry, { captured }: Case): boolean {
  if (shown === "" || (isPart && isCutValue(shown))) return false;
  if (captured.firstValueOf(url, label, place) === shown) return true;
  if (value.toLowerCase().startsWith(shown.toLowerCase())) return true;
  const [entered, kept] = [value, shown].map((text) =>
    /^[-\d.,\s]+$/.test(text) ? parseAmount(text)?.value : undefined,
  );
  return entered !== undefined && kept !== undefined && entered !== kept;
}
