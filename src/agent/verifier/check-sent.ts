import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { isCreatingLabel, isSavingLabel, maySaveLabel } from "../grounding/english-words.ts";
import { findFieldValues, isSameValue } from "../grounding/page-text.ts";
import { TaskSecrets } from "../task-secrets.ts";
import { type Case, type Entry, findAllEntries, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { findSending, findSubmissions, isLookup, isSearchBox } from "./sent-entries.ts";

const ABOUT = "What was entered was sent to the site";

/**
 * What was typed was sent. A text that was entered on a page, and then saved or submitted there, is in a request that the
 * site accepted, or on a fresh page. A field outside of the submitted form, such as the site's search box, is in neither.
 * Choices and check boxes are sent in ways that cannot be told apart, so only fresh pages show what became of them.
 */
export function checkSent(context: Case): Check[] {
  const secrets = new TaskSecrets(context.task.prompt);
  const texts = findAllEntries(context.steps).filter(
    ({ kind, value }) => kind === "text" && isComparable(value) && secrets.hide(value) === value,
  );
  const lost = texts.find((entry) => isLost(entry, context));
  if (lost !== undefined) {
    const field = lost.label === "" ? "a field without a label" : `"${lost.label.slice(0, 80)}"`;
    const evidence = `"${lost.value.slice(0, 80)}" was entered into ${field}. No request that the site accepted carries it, and no fresh page shows it.`;
    return [{ about: ABOUT, verdict: "contradicted", evidence }];
  }
  const sent = texts.filter((entry) => findSending(entry, context).kind === "sent");
  if (sent.length === 0) return [];
  const evidence = `Accepted requests carry the text of ${sent.length === 1 ? "1 field" : `${sent.length} fields`}.`;
  return [{ about: ABOUT, verdict: "satisfied", evidence }];
}

/** A single letter or a small number may be sent in any form, for example as a difference. */
function isComparable(value: string): boolean {
  return /\p{L}/u.test(value) ? foldVisible(value).length >= 3 : (value.match(/\d/g) ?? []).length >= 4;
}

function isLost(entry: Entry, context: Case): boolean {
  if (findSending(entry, context).kind !== "not_sent" || isLookup(entry, context)) return false;
  const submissions = findOwnSubmissions(entry, context);
  if (submissions.length === 0 || isReplaced(entry, context)) return false;
  if (!submissions.some(({ call }) => isSavingLabel(labelOf(call)))) return !isShownFresh(entry, context, "any order");
  // What is saved is not what was typed into a search box, even if a page happens to show it.
  return isSearchBox(entry, context) || !isShownFresh(entry, context, "as entered");
}

/** Later steps on the same page, before the run left it, that saved or submitted something. */
function findOwnSubmissions(entry: Entry, context: Case): StepCause[] {
  const left = context.steps.find(({ step, url }) => step > entry.step && !isSamePage(url, entry.url));
  return findSubmissions(context).filter(({ step, call, accepted }) => {
    if (step <= entry.step || step >= (left?.step ?? Infinity)) return false;
    const label = labelOf(call).trim();
    return accepted.some(({ isNavigation }) => isNavigation) || maySaveLabel(label) || isCreatingLabel(label);
  });
}

/** A suggestion that was picked, or a later correction by the page, has replaced the text. */
function isReplaced({ url, label, place, value }: Entry, { captured }: Case): boolean {
  if (label === "") return false;
  const states = captured
    .list()
    .filter((page) => isSamePage(page.url, url))
    .map((page) => findFieldValues(page, label, place).filter((held) => held !== ""));
  const holds = (held: readonly string[]) => held.some((each) => isSameValue(each, value));
  const first = states.findIndex(holds);
  return first !== -1 && states.slice(first + 1).some((held) => held.length > 0 && !holds(held));
}

/** Sites reorder and reformat what they show of an item, but not what they save. */
function isShownFresh({ value }: Entry, { freshPages }: Case, how: "as entered" | "any order"): boolean {
  const words = toWords(value);
  return freshPages.some(({ page }) => {
    if (page === null || words.length === 0) return false;
    const shown = toWords(page.text);
    if (how === "as entered") return ` ${shown.join(" ")} `.includes(` ${words.join(" ")} `);
    const known = new Set(shown);
    return words.every((word) => known.has(word));
  });
}

function toWords(text: string): string[] {
  return foldVisible(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}
