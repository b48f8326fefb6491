import type { ObservedNode } from "../../browser/observation/observation.ts";
import type { MergedPages } from "../extraction/merged-pages.ts";
import { findNextPage } from "../extraction/pagination.ts";
import { findUnreadSign } from "../extraction/unread-signs.ts";
import { type CapturedPage, contains, isSamePage } from "../grounding/captured-pages.ts";
import { withoutQuotedText } from "../grounding/english-words.ts";
import { stemNoun } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { redactUrl } from "../safe-text.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { findExtreme, isSortedFor } from "./check-coverage.ts";
import { toPageLines } from "./page-lines.ts";
import { isStated, nounsIn, withoutOtherCounts } from "./stated-length.ts";
import { asksForCount, asksForPart, asksForWhole, findTotal, findUnread, readLists } from "./whole-lists.ts";

const ABOUT = "The whole list was read";
/** "Are all invoices paid?" */
const UNIVERSAL = /\b(?:are|is|was|were|do|does|did|has|have|can) (?:all|every|each|any|none|both)\b/i;
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
  const cited = withNext(
    pages.filter(({ url }) => claim.facts.some((fact) => isSamePage(fact.url, url))),
    pages,
  );
  const last = cited.filter((page, index) => !cited.slice(index + 1).some(({ url }) => isSamePage(url, page.url)));
  const lists = readLists(pages).filter(({ set }) => set.region === "main" && set.rows.length > 1);
  const meant = findMeant(lists, last, words, context);
  if (meant.length === 0 || (isExtreme && !isCount && meant.every(({ set }) => isSortedFor(words, set.rows))))
    return [];
  const rows = meant.flatMap(({ set }) => set.rows.map(({ node }) => readText(node)));
  if (isCount && isStated(claim, last, rows, words)) return [];
  const fault = findFault(meant, last, pages, { words, context });
  return fault === null ? [] : [{ about: ABOUT, verdict: "unknown", evidence: fault }];
}

/** Some pages, with those that continue them, as far as these were read. */
function withNext(some: readonly CapturedPage[], pages: readonly CapturedPage[]): CapturedPage[] {
  const found = new Set(some);
  for (const { root, url } of found) {
    const next = findNextPage(root, url)?.url;
    for (const page of pages) if (next != null && isSamePage(page.url, next)) found.add(page);
  }
  return pages.filter((page) => found.has(page));
}

/** The lists that the claim quotes from, and those that are called as the task calls them. */
function findMeant(
  lists: readonly MergedPages[],
  pages: readonly CapturedPage[],
  words: string,
  { claim }: Case,
): MergedPages[] {
  const quotes = claim.facts.flatMap(({ quote }) => quote ?? []);
  const nouns = nounsIn(words);
  const isNamed = (name: string) => nouns.some((noun) => stemNoun(name).split(" ").includes(noun));
  const isOfPage = pages.some((page) => isNamed(headingOf(page)));
  const longest = Math.max(0, ...lists.map(({ set }) => set.rows.length));
  return lists.filter(({ set }) => {
    const isCited = set.rows
      .slice(0, MAX_ROWS)
      .some(({ node }) => quotes.some((quote) => contains(readText(node), quote)));
    return isCited || isNamed(set.name) || (isOfPage && set.rows.length === longest);
  });
}

function headingOf({ root }: CapturedPage): string {
  return toPageLines(root).find(({ isHeading }) => isHeading)?.text ?? "";
}

function findFault(
  meant: readonly MergedPages[],
  last: readonly CapturedPage[],
  seen: readonly CapturedPage[],
  { words, context }: { readonly words: string; readonly context: Case },
): string | null {
  const unseen = meant.find((list) => list.unseen !== null)?.unseen;
  if (unseen != null) return unseen;
  const different = meant.find(({ set }) => set.unreadRows > 0);
  if (different !== undefined)
    return `${different.set.unreadRows} rows of the list could not be read: they differ from the others.`;
  const rows = Math.max(...meant.map(({ set }) => set.rows.length));
  const shown = last.map((page) => ({ page, rows: findRows(page, meant, words, context) }));
  const names = meant.map(({ set }) => set.name);
  const total = findTotal(
    shown.map((each) =>
      withoutOtherCounts(each.page, { rows: each.rows, names: [...names, headingOf(each.page)], words }),
    ),
  );
  if (total !== null && total > meant.reduce((sum, { set }) => sum + set.rows.length, 0))
    return `The pages say that there are ${total}; ${rows} rows were read.`;
  const open = findUnread(last, seen);
  if (open !== undefined) return `The list at ${redactUrl(open.url)} continues on a page that was not read.`;
  // All next pages were read, or there would be an open one.
  const isContinued = ({ root, url }: CapturedPage) => findNextPage(root, url) !== null;
  const sign = shown
    .map(({ page, rows }) => findUnreadSign(page.root, rows, { isContinued: isContinued(page) }))
    .find((each) => each !== null);
  return sign == null ? null : `The list may not be complete. ${sign}`;
}

/** The rows of the meant lists in the last state of a page, with those of lists that are of the same kind. */
function findRows(
  page: CapturedPage,
  meant: readonly MergedPages[],
  words: string,
  context: Case,
): readonly ObservedNode[] {
  const lists = readLists([page]).filter(({ set }) => set.region === "main" && set.rows.length > 1);
  const own = findMeant(lists, [page], words, context);
  const isAlike = ({ set }: MergedPages) =>
    [...own, ...meant].some((one) => one.set.kind === set.kind && one.set.columns.join() === set.columns.join());
  return lists
    .filter((list) => own.includes(list) || isAlike(list))
    .flatMap(({ set }) => set.rows.map(({ node }) => node));
}
