import { foldVisible } from "../../browser/observation/visible-text.ts";
import { type MergedPages, readMerged } from "../extraction/merged-pages.ts";
import { findNextPage, findStatusLines } from "../extraction/pagination.ts";
import { parseAmount } from "../grounding/amounts.ts";
import { type CapturedPage, isSamePage } from "../grounding/captured-pages.ts";

/** The tables and lists of some pages, each over all of the pages. Text that only labels values is not among them. */
export function readLists(pages: readonly CapturedPage[]): MergedPages[] {
  return readMerged(pages).filter(({ set }) => set.kind !== "labelled");
}

const ROWS =
  "results?|items?|entries|records?|rows?|matches|hits|products?|orders?|articles?|invoices?|users?|members?|customers?|messages?|pages?|posts?|issues?|tasks?|files?|documents?|events?|contacts?|transactions?|listings?|jobs?|books?|tickets?|notes?|people|persons?|plants?|total";
const OF = /\b(?:(\d[\d.,]*)\s*(?:-|–|—|to)\s*)?(\d[\d.,]*)\s+(?:out )?of\s+(?:about |over |more than )?(\d[\d.,]*)\b/i;
const COUNTED = new RegExp(
  `^(?:(?:found|showing|displaying|total(?: of)?|all):? )?(\\d[\\d.,]*) (?:${ROWS})(?: (?:found|in total|total|listed))?[.:]?$`,
  "i",
);
const LABELLED = new RegExp(`^(?:total|results|number of (?:${ROWS})|(?:${ROWS}) found):? (\\d[\\d.,]*)$`, "i");

/** How many rows the pages say there are in all; null when none of them says so. A page number or a step is no total. */
export function findTotal(pages: readonly CapturedPage[]): number | null {
  const totals = pages.flatMap(({ root }) => findStatusLines(root).flatMap(readTotal));
  return totals.length === 0 ? null : Math.max(...totals);
}

function readTotal(line: string): number[] {
  const of = OF.exec(line);
  const isPage = of !== null && /\b(?:page|step|slide|rated?|score|stars?)\s*:?\s*$/i.test(line.slice(0, of.index));
  const isRating = of !== null && /^\s*(?:stars?|points?|steps?|pages?)\b/i.test(line.slice(of.index + of[0].length));
  const written = isPage || isRating ? undefined : (of?.[3] ?? COUNTED.exec(line)?.[1] ?? LABELLED.exec(line)?.[1]);
  const value = written === undefined ? null : (parseAmount(written)?.value ?? null);
  return value !== null && Number.isInteger(value) ? [value] : [];
}

/** A page of which another one is the continuation, and that one was not read. */
export function findUnread(pages: readonly CapturedPage[], read: readonly CapturedPage[]): CapturedPage | undefined {
  return pages.find(({ root, url }) => {
    const next = findNextPage(root, url);
    if (next === null) return false;
    return next.url === null || !read.some((page) => next.url !== null && isSamePage(page.url, next.url));
  });
}

/** The list of this name: the only one that is called so, or the only one of the pages. */
export function findList(lists: readonly MergedPages[], name: string, rows: number): MergedPages | null {
  const called = lists.filter(({ set }) => foldVisible(set.name) === foldVisible(name));
  const meant = called.length > 0 ? called : lists;
  const fitting = meant.filter(({ set }) => set.rows.length === rows);
  const [only, ...others] = fitting.length > 0 ? fitting : meant;
  return only !== undefined && (others.length === 0 || fitting.length > 0) ? only : null;
}

const WHOLE = /\b(?:all|every|each|complete|entire|whole)\b/i;
/** "The number of products", and not "the phone number of the shop". */
const COUNT =
  /\bhow many\b|\bcount\b|(?<!\b(?:phone|fax|order|account|invoice|model|part|serial|tracking|room) )\bnumber of (?:(?:the|all|my|these|those) )?(?:[\w-]+ )?(?:people|[\w-]*[^\Wsui]s)\b/i;
const PART =
  /\bon (?:this|the first|page)\b|\bfirst (?:page|\d+|two|three|four|five|ten)\b|\b(?:top|latest|newest|last|cheapest) (?:\d+|two|three|four|five|ten)\b/i;

/** Whether a task asks for all rows of a list. */
export function asksForWhole(words: string): boolean {
  return WHOLE.test(words);
}

/** Whether it asks for their number. */
export function asksForCount(words: string): boolean {
  return COUNT.test(words);
}

/** Whether it asks only for those of one page, or for some of them. */
export function asksForPart(words: string): boolean {
  return PART.test(words);
}

const NAMED_PART = /(?<!\p{L})(\p{L}{3,})[ \u00a0]((?!I\b)[A-Z]{1,2}|\d{1,4})(?![\p{L}\p{N}])/gu;
const NO_KIND = /^(?:and|or|the|for|with|are|was|were|did|does|can|has|have|had|but|any|all|how|many|who|when|what)$/;
const SEVERAL = /^\s?(?:,|\/|-|–|and\b|or\b|to\b)\s?(?:[A-Z]{1,2}|\d{1,4})\b/;

/** The parts of a whole that a text names, by their kind: "pier B", "hall 3". With an empty one where it names several. */
export function findParts(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { 0: whole, 1: name = "", 2: part = "", index } of text.matchAll(NAMED_PART)) {
    const kind = name.toLowerCase();
    if (NO_KIND.test(kind)) continue;
    const known = found.get(kind) ?? new Set();
    found.set(kind, known.add(part));
    if (SEVERAL.test(text.slice(index + whole.length))) known.add("");
  }
  return found;
}
