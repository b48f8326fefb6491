import type { ObservedNode } from "../../browser/observation/observation.ts";
import type { MergedPages } from "../extraction/merged-pages.ts";
import { findUnreadSign } from "../extraction/unread-signs.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { withoutQuotedText } from "../grounding/english-words.ts";
import { stemNoun } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { redactUrl } from "../safe-text.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { findExtreme, isSortedFor, numbersIn } from "./check-coverage.ts";
import { toPageLines } from "./page-lines.ts";
import { asksForCount, asksForPart, asksForWhole, findTotal, findUnread, readLists } from "./whole-lists.ts";

const ABOUT = "The whole list was read";
/** "Are all invoices paid?" */
const UNIVERSAL = /\b(?:are|is|was|were|do|does|did|has|have|can) (?:all|every|each|any|none|both)\b/i;
const NOUN =
  /\b(?:how many|number of|all|every|each|any)(?: of)?(?: the| my| our| these| those)?(?: [a-z-]+)? ([\p{L}-]{3,30})\b/giu;
/** So many rows are searched for what a claim quotes. */
const MAX_ROWS = 500;

/**
 * What a model says about the number, all or the first of the rows of a list rests on all of them. It is unknown where rows could
 * not be read, where the page says that there are more than were read, or where something on it suggests that the list goes on.
 * A number that the page states itself needs no rows.
 */
export function checkPartial(context: Case): Check[] {
  const { claim, task, captured } = context;
  const words = withoutQuotedText(task.prompt);
  const isCount = asksForCount(words);
  const isExtreme = findExtreme(words);
  const isWhole = UNIVERSAL.test(words) || (asksForWhole(words) && claim.facts.length > 1);
  if (asksForPart(words) || claim.extraction !== null || !(isCount || isExtreme || isWhole)) return [];
  const pages = captured.list();
  const cited = pages.filter(({ url }) => claim.facts.some((fact) => isSamePage(fact.url, url)));
  const last = cited.filter((page, index) => !cited.slice(index + 1).some(({ url }) => isSamePage(url, page.url)));
  const lists = readLists(pages).filter(({ set }) => set.region === "main" && set.rows.length > 1);
  const meant = findMeant(lists, last, words, context);
  if (meant.length === 0 || (isExtreme && !isCount && meant.every(({ set }) => isSortedFor(words, set.rows))))
    return [];
  const rows = meant.flatMap(({ set }) => set.rows.map(({ node }) => readText(node)));
  if (isCount && isStated(claim, rows)) return [];
  const fault = findFault(meant, last, pages);
  return fault === null ? [] : [{ about: ABOUT, verdict: "unknown", evidence: fault }];
}

/** The lists that the claim quotes from, and those that are called as the task calls them. */
function findMeant(
  lists: readonly MergedPages[],
  pages: readonly CapturedPage[],
  words: string,
  { claim }: Case,
): MergedPages[] {
  const quotes = claim.facts.flatMap(({ quote }) => quote ?? []);
  const nouns = [...words.matchAll(NOUN)].map(([, noun = ""]) => stemNoun(noun)).filter(Boolean);
  const isNamed = (name: string) => nouns.some((noun) => stemNoun(name).split(" ").includes(noun));
  const headings = pages.flatMap(({ root }) =>
    toPageLines(root)
      .filter(({ isHeading }) => isHeading)
      .slice(0, 1),
  );
  const isOfPage = headings.some(({ text }) => isNamed(text));
  const longest = Math.max(0, ...lists.map(({ set }) => set.rows.length));
  return lists.filter(({ set }) => {
    const isCited = set.rows
      .slice(0, MAX_ROWS)
      .some(({ node }) => quotes.some((quote) => contains(readText(node), quote)));
    return isCited || isNamed(set.name) || (isOfPage && set.rows.length === longest);
  });
}

/** The number of the answer is in a line of the page that is none of the rows: "12 invoices". */
function isStated({ answer, facts }: Case["claim"], rows: readonly string[]): boolean {
  const said = numbersIn(answer);
  return facts.some(
    ({ quote }) =>
      quote !== null &&
      numbersIn(quote).some((number) => said.includes(number)) &&
      !rows.some((row) => contains(row, quote)),
  );
}

function findFault(
  meant: readonly MergedPages[],
  last: readonly CapturedPage[],
  seen: readonly CapturedPage[],
): string | null {
  const unseen = meant.find((list) => list.unseen !== null)?.unseen;
  if (unseen != null) return unseen;
  const different = meant.find(({ set }) => set.unreadRows > 0);
  if (different !== undefined)
    return `${different.set.unreadRows} rows of the list could not be read: they differ from the others.`;
  const rows = Math.max(...meant.map(({ set }) => set.rows.length));
  const total = findTotal(last);
  if (total !== null && total > meant.reduce((sum, { set }) => sum + set.rows.length, 0))
    return `The pages say that there are ${total}; ${rows} rows were read.`;
  const open = findUnread(last, seen);
  if (open !== undefined) return `The list at ${redactUrl(open.url)} continues on a page that was not read.`;
  const sign = last
    .map(({ root }: { readonly root: ObservedNode }) => findUnreadSign(root))
    .find((each) => each !== null);
  return sign == null ? null : `The list may not be complete. ${sign}`;
}
