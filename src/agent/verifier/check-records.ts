import { readRecordSets } from "../extraction/read-record-sets.ts";
import type { RecordSet, Row } from "../extraction/record-set.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import type { Leaf } from "../grounding/claim.ts";
import { readText } from "../grounding/page-text.ts";
import { findQuote } from "../grounding/quotes.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";

const ABOUT = "The values of each record belong together";
/** More are not compared, so that a huge list does not block the process. */
const MAX_ITEMS = 2_000;
const ITEM = /^(?<record>.*\/\d+)\/(?<property>[^/]+)$/;

interface Item {
  readonly pointer: string;
  readonly parts: readonly { readonly property: string; readonly quote: string }[];
}

/** A row with its texts, prepared for many searches. */
interface PreparedRow {
  readonly row: Row;
  readonly texts: readonly string[];
  /** All of them, folded: a quote that is not in it is in none of them. */
  readonly folded: string;
}

type PreparedSet = readonly PreparedRow[];

/** The values of one list item are in one row of the page, each under its own heading. */
export function checkRecords({ claim, captured, freshPages }: Case): Check[] {
  const leaves = claim.extraction?.leaves ?? [];
  const pages = [...captured.list(), ...freshPages.flatMap(({ page }) => (page === null ? [] : [page]))];
  let left = 0;
  for (const [url, ofPage] of Map.groupBy(leaves, (leaf) => leaf.url)) {
    const items = toItems(ofPage);
    if (items.length === 0) continue;
    left += Math.max(0, items.length - MAX_ITEMS);
    const shown = new Map(pages.filter((page) => isSamePage(page.url, url)).map((page) => [page.text, page]));
    const sets = prepareSets([...shown.values()].flatMap(({ root }) => readRecordSets(root, url)).filter(isList));
    const fault = findFirst(items.slice(0, MAX_ITEMS), (item) => findFault(item, sets));
    if (fault !== null) return [{ about: ABOUT, verdict: "contradicted", evidence: fault }];
  }
  if (left === 0) return [];
  const evidence = `Only the first ${MAX_ITEMS} records of each page were compared with its rows; ${left} more were not.`;
  return [{ about: ABOUT, verdict: "satisfied", evidence }];
}

/** A row that adds up the others is no record: no item of a list comes from one. */
export function checkTotalRows({ claim, captured }: Case): Check[] {
  for (const [url, leaves] of Map.groupBy(claim.extraction?.leaves ?? [], (leaf) => leaf.url)) {
    const pages = captured.list().filter((page) => isSamePage(page.url, url));
    const sets = pages.flatMap(({ root }) => readRecordSets(root, url)).filter(({ kind }) => kind !== "labelled");
    const adding = sets.flatMap(({ totals }) => totals.map(prepareRow));
    if (adding.length === 0) continue;
    const others = sets.flatMap(({ rows }) => rows.map(prepareRow));
    const item = groupItems(leaves).find(({ parts }) => {
      const quotes = parts.map(({ quote }) => ({ quote, folded: fold(quote) }));
      const saysAll = (row: PreparedRow) => quotes.every((each) => says(row, each));
      return adding.some(saysAll) && !others.some(saysAll);
    });
    if (item === undefined) continue;
    const evidence = `${item.pointer} is the row "${item.parts
      .map(({ quote }) => quote)
      .join(" ")
      .slice(0, 80)}", which adds up the others.`;
    return [{ about: "Every record is a record", verdict: "contradicted", evidence }];
  }
  return [];
}

/** Without duplicates: a fresh browser mostly shows what the run has seen. */
function prepareSets(sets: readonly RecordSet[]): PreparedSet[] {
  const prepared = sets.map(({ rows }) => rows.map(prepareRow));
  return [...new Map(prepared.map((rows) => [rows.map(({ folded }) => folded).join("\n"), rows])).values()];
}

function prepareRow(row: Row): PreparedRow {
  const cells = [...row.cells.values()];
  const texts = [...new Set([readText(row.node), ...cells.map(({ whole }) => whole)])];
  const urls = cells.flatMap(({ url }) => url ?? []);
  return { row, texts, folded: [...texts, ...urls].map(fold).join(" ") };
}

function toItems(leaves: readonly Leaf[]): Item[] {
  return groupItems(leaves).filter((item) => item.parts.length > 1);
}

function groupItems(leaves: readonly Leaf[]): Item[] {
  const parts = leaves.flatMap(({ pointer, quote, value }) => {
    const { record, property } = ITEM.exec(pointer)?.groups ?? {};
    if (record === undefined || property === undefined || quote === null || value === null) return [];
    return [{ record, property, quote }];
  });
  return [...Map.groupBy(parts, ({ record }) => record)].map(([pointer, group]) => ({ pointer, parts: group }));
}

function isList({ kind, rows }: RecordSet): boolean {
  return kind !== "labelled" && rows.length > 1;
}

function findFirst<T>(all: readonly T[], find: (one: T) => string | null): string | null {
  for (const one of all) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
}

/** Null as well where no list of the page has all the values: then they come from elsewhere. */
function findFault({ pointer, parts }: Item, sets: readonly PreparedSet[]): string | null {
  const quotes = parts.map(({ quote }) => ({ quote, folded: fold(quote) }));
  const saysAll = (prepared: PreparedRow) => quotes.every((each) => says(prepared, each));
  const isInOrder = (prepared: PreparedRow) =>
    saysAll(prepared) && parts.every((part) => columnOf(part, prepared.row) === null);
  // Usually an item is in the row with the same number.
  const own = sets.map((rows) => rows[Number(pointer.split("/").at(-1))]);
  if (own.some((prepared) => prepared !== undefined && isInOrder(prepared))) return null;
  const having = sets.filter((rows) => quotes.every((each) => rows.some((prepared) => says(prepared, each))));
  if (having.length === 0) return null;
  const together = having.flatMap((rows) => rows.filter(saysAll));
  if (together.length === 0) {
    return `${pointer}: ${parts.map(({ quote }) => `"${quote.slice(0, 40)}"`).join(" and ")} are in different rows of the page.`;
  }
  return findFirst(parts, (part) => {
    const misplaced = together.map(({ row }) => columnOf(part, row));
    const [column] = misplaced;
    const isWrong = misplaced.every((each) => each !== null);
    return isWrong && column != null
      ? `${pointer}: "${part.quote.slice(0, 40)}" is not the ${part.property}, but the ${column}.`
      : null;
  });
}

function says({ row, texts, folded: all }: PreparedRow, { quote, folded }: { quote: string; folded: string }): boolean {
  if (!all.includes(folded)) return false;
  return (
    texts.some((text) => findQuote(text, quote) !== null) || [...row.cells.values()].some(({ url }) => url === quote)
  );
}

/** The heading above the quote, where it is not the one of its property. */
function columnOf({ property, quote }: Item["parts"][number], { cells }: Row): string | null {
  const own = [...cells].find(([column]) => fold(column) === fold(property))?.[1];
  if (own === undefined || own.url === quote || findQuote(own.whole, quote) !== null) return null;
  return [...cells].find(([, cell]) => findQuote(cell.whole, quote) !== null)?.[0] ?? null;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
