import { isSamePage } from "../../captured-pages.ts";
import type { Check } from "../../errand.ts";
import { parseAmount } from "../../extraction/values/amount.ts";
import { findFieldValues, isSameValue } from "../field-value.ts";
import { type Entry, findEntries } from "../find-entries.ts";
import { findLook } from "../second-look.ts";
import type { Case } from "./case.ts";
import { makesNew } from "./makes-new.ts";

/** What people call a button that keeps what was entered. */
const SAVING = /\b(?:save|update|apply(?! (?:now|for))|store|change|done)\b/i;
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

/**
 * It was saved, or the task says that it is to be kept. What only chooses what to look at is not, and neither is what went
 * into a form for something new, which starts again at its defaults.
 */
function isMeantToLast(entry: Entry, held: Case): boolean {
  const { steps, writes, prompt, claim } = held;
  const { step, url, label } = entry;
  if (LOOKING.test(label) || !staysAfter(step, url, held)) return false;
  const later = steps.filter((each) => each.step > step && isSamePage(each.url, url) && each.effect === "mutate");
  const sent = writes.flatMap(({ cause }) => (cause !== null && cause.step >= step ? [cause] : []));
  const own = sent.filter((cause) => isSamePage(cause.url, url));
  if (own.some((cause) => makesNew(cause) || !staysAfter(cause.step, url, held))) return false;
  const isAnswer = claim.facts.length > 0 || claim.extraction !== null;
  return (
    later.some(({ cause }) => SAVING.test(cause)) || (!isAnswer && CHANGING.test(prompt) && isNamed(entry, prompt))
  );
}

/** Whether the run was still on the page after a step there. */
function staysAfter(step: number, url: string, { steps, live }: Case): boolean {
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
