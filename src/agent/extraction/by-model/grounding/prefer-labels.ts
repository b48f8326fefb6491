import { readText } from "../../records/read-text.ts";
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
  const search = findByLabel(indexLabels(page.sets), wanted, shape, path.slice(0, -1));
  if (search.kind !== "found" || search.leaf.value === value) return null;
  const isProse = search.leaf.quote.length > quote.length + PROSE;
  return isProse ? null : search.leaf.quote;
}
