import type { Extraction, Leaf } from "../grounding/claim.ts";
import { findDescendants } from "../grounding/page-text.ts";
import { findListItems } from "./cards.ts";
import { readLeaf } from "./read-value.ts";
import { type Cell, type Row, toCell, toPart } from "./record-set.ts";
import { parsePointer, pointTo, type ScalarShape } from "./schema-shape.ts";
import { toKey, type Wanted } from "./wanted-value.ts";

/** What has been found so far for a schema, and what has not. */
export class Draft {
  readonly leaves: Leaf[] = [];
  readonly missing: Extraction["missing"][number][] = [];
  /** Pointers of values that the schema does not require and the page does not have. */
  readonly leftOut: string[] = [];
  /** How complete the lists are, in words. */
  readonly notes: string[] = [];

  addLeaf(leaf: Leaf): void {
    this.leaves.push(leaf);
  }

  addMissing(pointer: string, reason: string): void {
    this.missing.push({ pointer, reason });
  }

  addLeftOut(pointer: string): void {
    this.leftOut.push(pointer);
  }

  /** Returns a function that takes back everything added since. */
  mark(): () => void {
    const [leaves, missing, notes] = [this.leaves.length, this.missing.length, this.notes.length];
    const leftOut = this.leftOut.length;
    return () => {
      this.leftOut.length = leftOut;
      this.leaves.length = leaves;
      this.missing.length = missing;
      this.notes.length = notes;
    };
  }
}

export type Outcome =
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "absent";
      readonly reason: string;
      /** The page just does not have it: there is nothing to explain. */
      readonly isPlain: boolean;
    };

export function absent(reason: string, { isPlain = false } = {}): Outcome {
  return { kind: "absent", reason, isPlain };
}

/** Sets an own property whatever its name: "__proto__" must not reach the prototype. */
export function setOwn(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** A list inside a record: the column with that name, split at commas, or the only list in the record. */
export function fillListInRow(row: Row, wanted: Wanted, shape: ScalarShape, pointer: string, draft: Draft): Outcome {
  const cells = findCells(row, wanted);
  if (cells === null) return absent("The record has no such list.");
  const values: unknown[] = [];
  for (const cell of cells) {
    const leaf = readLeaf(cell, shape, wanted, null);
    if (leaf === null) continue;
    draft.addLeaf({ pointer: pointTo(pointer, values.length), ...leaf, url: row.pageUrl });
    values.push(leaf.value);
  }
  return { kind: "value", value: values };
}

function findCells(row: Row, wanted: Wanted): Cell[] | null {
  const [, cell] = [...row.cells].find(([column]) => toKey(column) === toKey(wanted.name)) ?? [];
  const [list, second] = findDescendants(cell?.node ?? row.node, ({ role }) => role === "list");
  if (list !== undefined && second === undefined) return findListItems(list).map(toCell);
  if (cell === undefined || cell.text === "") return null;
  return cell.text
    .split(/\s*[,;·|]\s+/)
    .filter(Boolean)
    .map((text) => toPart(cell.node, text));
}

const MAX_NAMES = 10;

/** One line for each property that was left out: "weight was not found", "color was not found in 3 of 12". */
export function describeLeftOut(pointers: readonly string[], data: unknown): string[] {
  const counts = new Map<string, number>();
  for (const pointer of pointers) {
    const pattern = pointer.replace(/\/\d+(?=\/)/g, "/*");
    counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  const lines = [...counts].map(([pattern, count]) => {
    const rows = countRows(pattern, data);
    const isEverywhere = rows === null || count >= rows;
    return `${toName(pattern)} was not found${isEverywhere ? "" : ` in ${count} of ${rows}`}`;
  });
  const more = lines.length - MAX_NAMES;
  return more > 0 ? [...lines.slice(0, MAX_NAMES), `${more} other properties were not found`] : lines;
}

/** The length of the only list that contains a property; null when there is none, or a list in a list. */
function countRows(pattern: string, data: unknown): number | null {
  const [path = "", ...inner] = pattern.split("/*");
  if (inner.length !== 1) return null;
  let at = data;
  for (const step of parsePointer(path)) {
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[step] : undefined;
  }
  return Array.isArray(at) ? at.length : null;
}

/** Without the list around it. */
function toName(pattern: string): string {
  return parsePointer(pattern.split("/*").at(-1) ?? pattern).join(".");
}
