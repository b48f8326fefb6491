import { isSamePage } from "../../captured-pages.ts";
import type { Check } from "../../errand.ts";
import { parseAmount } from "../../extraction/values/amount.ts";
import { findFieldValues, isSameValue } from "../field-value.ts";
import { type Entry, findEntries } from "../find-entries.ts";
import { findLook } from "../second-look.ts";
import type { Case } from "./case.ts";

/** What people call a button that keeps what was entered. */
const SAVING = /\b(?:save|update|apply|store|change|confirm|done)\b/i;
const LOOKING = /\b(?:sort|filter|search|find|per page|compare)\b/i;
/** What people say when they mean what the site keeps, and not what a field shows. */
const CHANGING = /\b(?:change|update|rename|edit|correct|set|turn (?:on|off)|switch (?:on|off)|enable|disable|save)\b/i;

/**
 * What was entered and kept is what a fresh browser finds in the field, whatever the planner claims: not the old value, not
 * another number, not a part of it. Fields that start anew say nothing.
 */
export function checkEntries(held: Case): Check[] {
  return findEntries(held.steps).flatMap((entry) => {
    const { label, value } = entry;
    const look = findLook(held.looks, entry.url);
    const fresh = look?.observation ? findFieldValues(look.observation, label) : [];
    if (fresh.length === 0 || fresh.some((shown) => isSameValue(shown, value)) || !isMeantToLast(entry, held))
      return [];
    const lost = fresh.find((shown) => isLoss(shown, entry, held));
    if (lost === undefined) return [];
    const evidence = `Given "${value.slice(0, 60)}"; in a fresh browser it holds "${lost.slice(0, 60)}".`;
    return [{ about: `"${label.slice(0, 80)}" keeps what was entered`, verdict: "contradicted" as const, evidence }];
  });
}

/** It was sent, saved, or the task says that it is to be kept. What only chooses what to look at is not. */
function isMeantToLast({ step, url, label, value }: Entry, { steps, writes, prompt, live, claim }: Case): boolean {
  const next = steps.find((later) => later.step > step)?.url ?? live.url;
  if (LOOKING.test(label) || !isSamePage(next, url)) return false;
  const isSaved = steps.some(
    (later) => later.step > step && isSamePage(later.url, url) && later.effect === "mutate" && SAVING.test(later.cause),
  );
  const isAnswer = claim.facts.length > 0 || claim.extraction !== null;
  if (isSaved || (!isAnswer && CHANGING.test(prompt))) return true;
  const isBox = value === "checked" || value === "unchecked";
  return !isBox && writes.some(({ cause }) => cause !== null && cause.step >= step && isSamePage(cause.url, url));
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
