import type { ObservedNode } from "../../../../browser/observation/observed-node.ts";
import { readText } from "../../records/read-text.ts";
import type { OfferedRecords, ReadPage } from "../page/read-page.ts";

/** Which rows of each table or list hold a quote that stands nowhere else on the page. */
export type RowsOf = ReadonlyMap<OfferedRecords, ReadonlySet<number>>;

/** Tells in which rows of the page's tables and lists a quote stands. */
export function createRowFinder({ offers, observation }: ReadPage): (quote: string) => RowsOf {
  const several = offers.filter(({ set }) => set.rows.length > 1);
  const texts = new Map(several.map((offer) => [offer, offer.set.rows.map(({ node }) => readText(node))]));
  const inRows = new Set(several.flatMap(({ set }) => set.rows.map(({ node }) => node)));
  const outside = readOutside(observation.root, inRows);
  return (quote) => {
    if (outside.includes(quote)) return new Map();
    const found = [...texts].map(([offer, rows]) => [offer, findIndexes(rows, quote)] as const);
    return new Map(found.filter(([, rows]) => rows.size > 0));
  };
}

/** The table or list of whose rows these quotes take different ones; null when they can all stand in one row. */
export function findMixed(quotes: readonly RowsOf[]): OfferedRecords | null {
  const rowsOf = new Map<OfferedRecords, ReadonlySet<number>>();
  for (const quote of quotes) {
    // A list in a list: what stands in both is bound to neither.
    if (quote.size !== 1) continue;
    for (const [offer, rows] of quote) {
      const known = rowsOf.get(offer);
      const shared = known === undefined ? rows : new Set([...rows].filter((row) => known.has(row)));
      if (shared.size === 0) return offer;
      rowsOf.set(offer, shared);
    }
  }
  return null;
}

function findIndexes(rows: readonly string[], quote: string): ReadonlySet<number> {
  return new Set(rows.flatMap((row, index) => (row.includes(quote) ? [index] : [])));
}

function readOutside(node: ObservedNode, rows: ReadonlySet<ObservedNode>): string {
  if (rows.has(node)) return "";
  if (node.children.length === 0) return readText(node);
  return node.children
    .map((child) => readOutside(child, rows))
    .filter(Boolean)
    .join(" ");
}
