import { readText } from "../../records/read-text.ts";
import type { Cell, RecordSet } from "../../records/record-set.ts";
import { findByLabel, indexLabels } from "../../schema/fill-from-labels.ts";
import type { ValueSlot } from "../form/form.ts";
import type { ReadPage } from "../page/read-page.ts";
import { findSpot } from "./find-place.ts";

/** A quote in a text that is this much longer stands in running text. */
const PROSE = 40;

/**
 * A value that stands beside its label is worth more than what running text, such as a review, says about it. Answers the
 * labelled value that contradicts one from prose; null when none does.
 */
export function findContradiction(
  value: unknown,
  quote: string,
  { wanted, shape, path }: ValueSlot,
  page: ReadPage,
): string | null {
  if (typeof value !== "number" && typeof value !== "boolean" && shape.format === null && shape.values === null) {
    return null;
  }
  const spot = findSpot(quote, page);
  if (spot === null || readText(spot.node).length <= quote.length + PROSE) return null;
  const search = findByLabel(indexLabels(page.sets.map(withoutProse)), wanted, shape, path.slice(0, -1));
  return search.kind === "found" && search.leaf.value !== value ? search.leaf.quote : null;
}

/** Sentences name values too: "the price is 0". They are no labels. */
function withoutProse(set: RecordSet): RecordSet {
  if (set.kind !== "labelled") return set;
  const isPlain = ([, { text, whole }]: [string, Cell]) => whole.length <= text.length + PROSE;
  return { ...set, rows: set.rows.map((row) => ({ ...row, cells: new Map([...row.cells].filter(isPlain)) })) };
}
