import { labelOf as nameOf, walk } from "../../browser/observation/observation.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { RecordSet, Row } from "../extraction/record-set.ts";
import type { CapturedPage } from "../grounding/captured-pages.ts";
import { readText } from "../grounding/page-text.ts";
import { splitWords, toPhrase } from "../grounding/similarity.ts";
import { type Case, type Entry, findEntries } from "./case.ts";
import type { Check } from "./check.ts";
import { findDoubt, findLists, findSameList, findStatesUntil, hasSameRows } from "./cited-lists.ts";
import { isLookup } from "./sent-entries.ts";

/**
 * A list that a search has not changed, although some of its rows show nothing of what was searched for, is no result of the search.
 * Sites also search in what they do not show, so a list that did change is one.
 */
export function checkSearched(context: Case): Check[] {
  for (const entry of findEntries(context.steps)) {
    if (entry.kind !== "text" || splitWords(entry.value).length === 0 || !isLookup(entry, context)) continue;
    const finding = findDoubt(context, (set, page, rows) => findUnsearched(entry, { set, page, rows }, context));
    if (finding !== null)
      return [{ about: "The list is what was searched for", verdict: "unknown", evidence: finding }];
  }
  return [];
}

interface Found {
  readonly set: RecordSet;
  readonly page: CapturedPage;
  readonly rows: readonly Row[];
}

function findUnsearched(entry: Entry, { set, page, rows }: Found, context: Case): string | null {
  if (!holdsSearch(page, entry)) return null;
  const isAbout = toIsAbout(entry.value);
  const odd = rows.find((row) => !isAbout(row));
  const before = odd === undefined ? null : findBefore(entry, page, context);
  const old = before === null ? null : findSameList(set, before);
  if (odd === undefined || before === null || old === null || !hasSameRows(old, set)) return null;
  // It searches another list.
  const isResult = (other: RecordSet) => {
    const same = findSameList(other, before);
    return other.rows.length > 0 && other.rows.every(isAbout) && (same === null || !hasSameRows(same, other));
  };
  if (findLists(page).some((other) => other !== set && isResult(other))) return null;
  return `The list is as it was before the search for "${entry.value.slice(0, 40)}", and "${readText(odd.node).slice(0, 60)}" shows nothing of that.`;
}

/** Whether the page shows what is searched for, in its field or its address. */
function holdsSearch({ root, url }: CapturedPage, { label, value }: Entry): boolean {
  const isSame = (text: string) => foldVisible(text) === foldVisible(value);
  if ([...(URL.parse(url)?.searchParams.values() ?? [])].some(isSame)) return true;
  return walk(root).some(({ node }) => node.value !== null && nameOf(node) === label && isSame(node.value));
}

/** The page as it was before the search. */
function findBefore(entry: Entry, page: CapturedPage, context: Case): CapturedPage | null {
  const seen = context.steps.find(({ step }) => step === entry.step)?.seen;
  const states = findStatesUntil(seen?.observationNumber ?? 0, page, context);
  return states.findLast((state) => !holdsSearch(state, entry)) ?? null;
}

/** Whether a row shows any of the words. */
function toIsAbout(searched: string): (row: Row) => boolean {
  const words = splitWords(searched);
  const { stems } = toPhrase(searched);
  return ({ node }) => {
    const text = readText(node);
    const shown = splitWords(text).join(" ");
    return words.some((word) => shown.includes(word)) || [...toPhrase(text).stems].some((stem) => stems.has(stem));
  };
}
