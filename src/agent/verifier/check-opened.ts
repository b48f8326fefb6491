import { walk } from "../../browser/observation/observation.ts";
import { ACTION } from "../extraction/cards.ts";
import { isLink } from "../extraction/record-set.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { parseDate, parseMonth } from "../grounding/dates.ts";
import { findCommitVerb } from "../grounding/english-words.ts";
import { readText } from "../grounding/page-text.ts";
import { splitWords, toPhrase } from "../grounding/similarity.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { findOpenedRows, type OpenedRow } from "./opened-rows.ts";

/** A page that shows no word of the name by which it was opened is about something else than the answer says. */
export function checkOpened(context: Case): Check[] {
  for (const opened of findOpenedRows(context)) {
    const words = findTellingWords(opened);
    if (words.length < 2 || !isOnlyLink(opened) || isAbout(opened, words, context)) continue;
    const evidence = `"${opened.target.name.slice(0, 60)}" was opened, and the page that came shows no word of that.`;
    return [{ about: "The page that was opened is the one that was meant", verdict: "unknown", evidence }];
  }
  return [];
}

/** They lead somewhere and name nothing, or are written in other ways: "View details", "Friday". */
const SAYS_NOTHING =
  /^(?:view|show|open|read|see|more|details?|info|information|full|here|learn|visit|page|link|item|entry|and|for|the|with|from|this|that|mon|tue|wed|thu|fri|sat|sun|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|yesterday|tomorrow)$/;
const TO_THE_READER = /\byou(?:rs?)?\b/i;

/** The words of a link that is the name of its row. Empty for one that does something, or is all that the row says. */
function findTellingWords({ target, row }: OpenedRow): string[] {
  const name = target.name.trim();
  const first = walk(row.node).find(({ node }) => isLink(node))?.node;
  if (target !== first || target === row.node || ACTION.test(name) || findCommitVerb(name) !== null) return [];
  if (TO_THE_READER.test(name) || parseDate(name) !== null) return [];
  const isAlone = splitWords(readText(row.node)).length <= splitWords(name).length;
  return isAlone ? [] : splitWords(name).filter(isTelling);
}

function isTelling(word: string): boolean {
  return /\p{L}{3}/u.test(word) && !SAYS_NOTHING.test(word) && parseMonth(word) === null;
}

/** Links of one name lead to one page, so the name says which one it is. */
function isOnlyLink({ target, page }: OpenedRow): boolean {
  const links = [...walk(page.root)].filter(({ node }) => isLink(node) && node.name.trim() === target.name.trim());
  return links.every(({ node }) => node === target || (node.url !== null && node.url === target.url));
}

/** Whether any state of the page that came shows one of the words, or its fresh copy does. */
function isAbout({ step, url }: OpenedRow, words: readonly string[], { captured, freshPages }: Case): boolean {
  const seen = captured.statesOf(url, {
    after: step.seen?.observationNumber ?? 0,
    until: Number.MAX_SAFE_INTEGER,
  });
  const fresh = freshPages.flatMap((each) => (isSamePage(each.url, url) && each.page !== null ? [each.page] : []));
  const { stems } = toPhrase(words.join(" "));
  return [...seen, ...fresh].some(({ text }) => {
    const shown = splitWords(text).join(" ");
    const isPart = (word: string) => word.length >= MIN_PART && shown.includes(word);
    return words.some(isPart) || [...toPhrase(text).stems].some((stem) => stems.has(stem));
  });
}

/** Words of this length are found inside of others too, as in compounds. */
const MIN_PART = 5;
