import { estimateTokens } from "../../lib/estimate-tokens.ts";
import { findUngrounded } from "../extraction/find-ungrounded.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import type { CapturedPage } from "../grounding/captured-pages.ts";
import type { Leaf } from "../grounding/claim.ts";
import { readText } from "../grounding/page-text.ts";
import { findQuote, foldText } from "../grounding/quotes.ts";
import { type Case, findFreshPage } from "./case.ts";
import { toPageLines } from "./page-lines.ts";

/** Larger data is shown to the judge in part. */
const MAX_TOKENS = 8_000;
/** Of larger data the evidence may not show all, so that code compares it. */
const MAX_UNCOMPARED_TOKENS = 1_500;
/** Longer text has more tokens than that, and need not be counted. */
const MAX_CHARACTERS = 60_000;
const MAX_PART_TOKENS = 2_000;
const MAX_PART_CHARACTERS = 8_000;
/** How many of the first and of the last rows are shown, as many as fit. */
const ROWS_SHOWN: readonly number[] = [20, 10, 5, 2, 1];

/** The data of a claim as the judge is shown it: whole, or the first and last rows of its lists. */
export function describeData(data: unknown): { readonly text: string; readonly isLong: boolean } {
  const whole = JSON.stringify(data) ?? "null";
  const tokens = whole.length > MAX_CHARACTERS ? Infinity : estimateTokens(whole);
  if (tokens <= MAX_TOKENS) return { text: whole, isLong: tokens > MAX_UNCOMPARED_TOKENS };
  let text = "";
  for (const rows of ROWS_SHOWN) {
    text = JSON.stringify(shorten(data, rows));
    if (text.length <= MAX_CHARACTERS && estimateTokens(text) <= MAX_PART_TOKENS) return { text, isLong: true };
  }
  const cut = text.slice(0, MAX_PART_CHARACTERS).toWellFormed();
  return { text: `${cut}… ${text.length - cut.length} more characters`, isLong: true };
}

function shorten(data: unknown, rows: number): unknown {
  if (typeof data !== "object" || data === null) return data;
  if (!Array.isArray(data)) {
    return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, shorten(value, rows)]));
  }
  const left = data.length - 2 * rows;
  const shown = left <= 1 ? data : [...data.slice(0, rows), `… ${left} more, compared by code …`, ...data.slice(-rows)];
  return shown.map((each) => shorten(each, rows));
}

/** A row of a list: "/products/12". */
const ROW = /^(.*?)\/\d+(?=\/|$)/;
const MAX_ROW = 200;

interface DataRow {
  /** A JSON pointer. */
  readonly pointer: string;
  readonly leaves: readonly Leaf[];
}

const FOUND = "found word for word in one row of a fresh page";
/** The others, the most important first. */
const STATES = [
  "not found on their fresh page",
  "found on a fresh page, but not in one row of it",
  "from pages that were not loaded again",
] as const;
type RowState = typeof FOUND | (typeof STATES)[number];

/** Compares each row of the data with the fresh pages. First the counts, then the rows that were not found as they are. */
export function compareWithFreshPages({
  claim: { extraction },
  task,
  freshPages,
}: Pick<Case, "claim" | "task" | "freshPages">): string[] {
  if (extraction === null) return [];
  const pages = freshPages.flatMap(({ page }) => page ?? []);
  const unfound = new Set(findUngrounded(extraction, pages, task.outputSchema).map(({ pointer }) => rowOf(pointer)));
  const isInOneRow = createRowSearch(pages);
  const stateOf = ({ pointer, leaves }: DataRow): RowState => {
    if (!unfound.has(pointer)) return isInOneRow(leaves) ? FOUND : STATES[1];
    const isLoaded = leaves.every(({ url }) => findFreshPage(freshPages, url)?.page != null);
    return isLoaded ? STATES[0] : STATES[2];
  };
  const rows = [...Map.groupBy(extraction.leaves, ({ pointer }) => rowOf(pointer))].map(([pointer, leaves]) => {
    const values = JSON.stringify(leaves.map(({ value }) => value)).slice(0, MAX_ROW);
    return { list: ROW.exec(pointer)?.[1], state: stateOf({ pointer, leaves }), text: `${pointer} ${values}` };
  });
  const counts = [...Map.groupBy(rows, ({ list }) => list)].map(([list, own]) => {
    const states = [FOUND, ...STATES].flatMap((state) => {
      const { length } = own.filter((row) => row.state === state);
      return length === 0 ? [] : [`${length} ${state}`];
    });
    const what = list === undefined ? "values outside of lists" : `rows of ${list || "the list"}`;
    return `${own.length} ${what}: ${states.join(", ")}.`;
  });
  const others = STATES.flatMap((state) => rows.filter((row) => row.state === state));
  return [...counts, ...others.map(({ state, text }) => `${state}: ${text}`)];
}

function rowOf(pointer: string): string {
  return ROW.exec(pointer)?.[0] ?? pointer;
}

/** Whether a row or a line of a page has all of the quotes. They are indexed by their words: there may be thousands. */
function createRowSearch(pages: readonly CapturedPage[]): (leaves: readonly Leaf[]) => boolean {
  const texts = pages.flatMap(({ root, url }) => {
    const lists = readRecordSets(root, url).filter(({ kind }) => kind !== "labelled");
    const rows = lists.flatMap((set) => set.rows.map(({ node }) => readText(node)));
    return [...rows, ...toPageLines(root).map(({ text }) => text)];
  });
  const byWord = new Map<string, { text: string; folded: string }[]>();
  for (const text of new Set(texts)) {
    const folded = foldText(text);
    for (const word of wordsOf(folded)) {
      const known = byWord.get(word) ?? [];
      known.push({ text, folded });
      byWord.set(word, known);
    }
  }
  return (leaves) => {
    const quotes = leaves.flatMap(({ quote, value }) => (quote === null || isLink(value, pages) ? [] : [quote]));
    if (quotes.length < 2) return true;
    const wanted = quotes.map((quote) => ({ quote, folded: foldText(quote) }));
    const having = wanted.flatMap(({ folded }) => [...wordsOf(folded)].map((word) => byWord.get(word) ?? []));
    const [fewest = []] = having.toSorted((one, other) => one.length - other.length);
    return fewest.some(({ text, folded }) =>
      wanted.every((each) => folded.includes(each.folded) && findQuote(text, each.quote, folded) !== null),
    );
  };
}

function wordsOf(folded: string): ReadonlySet<string> {
  return new Set(folded.match(/[\p{L}\p{N}]+/gu));
}

function isLink(value: unknown, pages: readonly CapturedPage[]): boolean {
  return typeof value === "string" && pages.some(({ links }) => links.has(value));
}
