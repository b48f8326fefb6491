import type { LeafPlace } from "../../fact.ts";
import type { Cell } from "../../records/record-set.ts";
import type { PageAnswer } from "../answer.ts";
import type { ListSlot, ValueSlot } from "../form/form.ts";
import type { ReadPage } from "../page/read-page.ts";
import type { MappedRow } from "../records/gather-rows.ts";
import type { RowsOf } from "./find-mixed-rows.ts";
import { findSpot, placeOf } from "./find-place.ts";
import { groundAnswer } from "./ground-answer.ts";
import { findContradiction } from "./prefer-labels.ts";
import { readValue } from "./read-value.ts";

export interface FoundValue {
  readonly value: string | number | boolean;
  readonly quote: string;
  readonly url: string;
  readonly place: LeafPlace;
}

/** By the id of the value. */
export type FoundItem = ReadonlyMap<string, FoundValue>;

/** One value as the model says it. */
export type Answered = PageAnswer["values"][number];

/** What a row says about a value, read by code. */
export function readRow({ row, source }: MappedRow, slot: ValueSlot): FoundValue | null {
  const column = source.mapping.columns.get(slot.id);
  const cell = column === undefined ? undefined : row.cells.get(column);
  if (column === undefined || cell === undefined) return null;
  const read = readValue(cell, slot, source.orders.get(column) ?? null, column);
  return read === null ? null : { ...read, url: row.pageUrl, place: placeOf(boxOf(cell, row.node.box), source.page) };
}

function boxOf({ node }: Cell, row: LeafPlace["box"]): LeafPlace["box"] {
  return node.box ?? row;
}

/** A found value, null when the model says that there is none, or why it is not taken. */
export function ground(answer: Answered, slot: ValueSlot, page: ReadPage): FoundValue | string | null {
  const { value, quote = null, ref = null } = answer;
  const grounding = groundAnswer({ value, quote, ref }, slot, page);
  if (grounding.kind === "none") return null;
  if (grounding.kind === "ungrounded") return grounding.reason;
  const better = findContradiction(grounding.value, grounding.quote, slot, page);
  if (better !== null) return `the page says "${better.slice(0, 80)}" beside its label, and not only in running text`;
  const box = page.byRef.get(ref ?? "")?.box ?? findSpot(grounding.quote, page)?.box ?? null;
  return { value: grounding.value, quote: grounding.quote, url: page.observation.url, place: placeOf(box, page) };
}

export function takeItem(
  parts: readonly Answered[],
  { slots }: ListSlot,
  page: ReadPage,
  rowsOf: (quote: string) => RowsOf,
): FoundItem | string {
  const item = new Map<string, FoundValue>();
  for (const part of parts) {
    const slot = slots.find(({ id }) => id === part.leaf);
    const found = slot === undefined ? null : ground(part, slot, page);
    if (typeof found === "string") return `${part.leaf}: ${found}`;
    if (found === null) continue;
    const [offer] = rowsOf(found.quote).keys();
    if (offer !== undefined && offer.set.place === "main") {
      return `it stands in ${offer.id}: name the columns of ${offer.id}, and code reads all its rows`;
    }
    item.set(part.leaf, found);
  }
  return item.size === 0 ? "nothing of it is said" : item;
}
