import { isSamePage } from "../../captured-pages.ts";
import type { Check } from "../../errand.ts";
import type { Leaf } from "../../extraction/fact.ts";
import { readRecordSets } from "../../extraction/records/read-record-sets.ts";
import { readText } from "../../extraction/records/read-text.ts";
import type { RecordSet, Row } from "../../extraction/records/record-set.ts";
import { findVerbatim } from "../../planner/model/find-verbatim.ts";
import type { Case } from "./case.ts";

const ABOUT = "The values of each record belong together";
const ITEM = /^(?<record>.*\/\d+)\/(?<property>[^/]+)$/;

interface Item {
  readonly pointer: string;
  readonly parts: readonly { readonly property: string; readonly quote: string }[];
}

/** The values of one item of a list stand in one row of the page, each under its own heading. */
export function checkRecords({ claim, captured, looks }: Case): Check[] {
  const leaves = claim.extraction?.leaves ?? [];
  const pages = [...captured.list(), ...looks.flatMap(({ page }) => (page === null ? [] : [page]))];
  for (const [url, ofPage] of Map.groupBy(leaves, (leaf) => leaf.url)) {
    const items = toItems(ofPage);
    if (items.length === 0) continue;
    const shown = pages.filter((page) => isSamePage(page.url, url));
    const sets = shown.flatMap(({ root }) => readRecordSets(root, url)).filter(isList);
    const fault = findFirst(items, (item) => findFault(item, sets));
    if (fault !== null) return [{ about: ABOUT, verdict: "contradicted", evidence: fault }];
  }
  return [];
}

function toItems(leaves: readonly Leaf[]): Item[] {
  const parts = leaves.flatMap(({ pointer, quote, value }) => {
    const { record, property } = ITEM.exec(pointer)?.groups ?? {};
    if (record === undefined || property === undefined || quote === null || value === null) return [];
    return [{ record, property, quote }];
  });
  return [...Map.groupBy(parts, ({ record }) => record)]
    .map(([pointer, group]) => ({ pointer, parts: group }))
    .filter((item) => item.parts.length > 1);
}

function isList({ kind, rows }: RecordSet): boolean {
  return kind !== "labelled" && rows.length > 1;
}

function findFirst<T>(things: readonly T[], find: (thing: T) => string | null): string | null {
  for (const thing of things) {
    const found = find(thing);
    if (found !== null) return found;
  }
  return null;
}

/** Null too where no list of the page has all the values: then they come from elsewhere. */
function findFault({ pointer, parts }: Item, sets: readonly RecordSet[]): string | null {
  const having = sets.filter(({ rows }) => parts.every(({ quote }) => rows.some((row) => says(row, quote))));
  if (having.length === 0) return null;
  const together = having.flatMap(({ rows }) => rows.filter((row) => parts.every(({ quote }) => says(row, quote))));
  if (together.length === 0) {
    const quotes = parts.map(({ quote }) => `"${quote.slice(0, 40)}"`).join(" and ");
    return `${pointer}: ${quotes} stand in different rows of the page.`;
  }
  return findFirst(parts, (part) => {
    const misplaced = together.map((row) => columnOf(part, row));
    const [column] = misplaced;
    const isWrong = misplaced.every((each) => each !== null);
    return isWrong && column != null
      ? `${pointer}: "${part.quote.slice(0, 40)}" is not the ${part.property}, but the ${column}.`
      : null;
  });
}

function says({ node, cells }: Row, quote: string): boolean {
  return (
    [readText(node), ...[...cells.values()].map(({ whole }) => whole)].some(
      (text) => findVerbatim(text, quote) !== null,
    ) || [...cells.values()].some(({ url }) => url === quote)
  );
}

/** The heading under which it stands, where that is another than the one of its name. */
function columnOf({ property, quote }: Item["parts"][number], { cells }: Row): string | null {
  const own = [...cells].find(([column]) => fold(column) === fold(property))?.[1];
  if (own === undefined || own.url === quote || findVerbatim(own.whole, quote) !== null) return null;
  return [...cells].find(([, cell]) => findVerbatim(cell.whole, quote) !== null)?.[0] ?? null;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
