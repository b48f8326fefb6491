import type { Row } from "../records/record-set.ts";
import { matches } from "./matches.ts";
import type { RowFilter } from "./row-filter.ts";

/**
 * A word of the filter that may stand anywhere in a row, as "delivered", and stands in none: the site may say it in other
 * words, so that neither "none" nor "all the others" is known.
 */
export function findUnusedWord(rows: readonly Row[], filter: RowFilter): string | null {
  if (filter.kind === "all") {
    return filter.filters.map((part) => findUnusedWord(rows, part)).find((word) => word !== null) ?? null;
  }
  if (filter.kind === "not") return findUnusedWord(rows, filter.filter);
  const isWord = filter.kind === "text" && filter.about === null && filter.comparison === "equals";
  return isWord && rows.length > 0 && !rows.some((row) => matches(row, filter)) ? filter.text : null;
}
