import type { Extraction, Leaf } from "../grounding/claim.ts";
import { findDescendants } from "../grounding/page-text.ts";
import { findListItems } from "./cards.ts";
import { findColumn } from "./columns.ts";
import { readLeaf } from "./read-value.ts";
import { type Cell, type Row, toCell, toPart } from "./record-set.ts";
import type { ScalarShape } from "./schema-shape.ts";
import type { Wanted } from "./wanted-value.ts";

/** What has been found so far, and what has not. */
export class Draft {
  readonly leaves: Leaf[] = [];
  readonly missing: Extraction["missing"][number][] = [];
  /** Pointers of what the schema does not require and the page does not say. */
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

  /** To take back what an attempt has found that leads to nothing. */
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
  | { readonly kind: "absent"; readonly reason: string };

export function absent(reason: string): Outcome {
  return { kind: "absent", reason };
}

/** A JSON pointer one step further. */
export function pointTo(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

/** An own property whatever it is called: "__proto__" must not reach the prototype. */
export function setOwn(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The column that is called so, at its commas; or the only list that stands in the record. */
export function fillListInRow(row: Row, wanted: Wanted, shape: ScalarShape, pointer: string, draft: Draft): Outcome {
  const cells = findCells(row, wanted);
  if (cells === null) return absent("The record holds no such list.");
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
  const column = findColumn(row.cells.keys(), wanted.name);
  const cell = column === null ? undefined : row.cells.get(column);
  const [list, second] = findDescendants(cell?.node ?? row.node, ({ role }) => role === "list");
  if (list !== undefined && second === undefined) return findListItems(list).map(toCell);
  if (cell === undefined || cell.text === "") return null;
  return cell.text
    .split(/\s*[,;·|]\s+/)
    .filter(Boolean)
    .map((text) => toPart(cell.node, text));
}

const MAX_NAMES = 10;

/** One line for each property that was left out: "weight was not found", "colour was not found in 3 of 12". */
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

/** How many items the only list on the way to a property has; null when there is none, or lists in lists. */
function countRows(pattern: string, data: unknown): number | null {
  const [path = "", ...inner] = pattern.split("/*");
  if (inner.length !== 1) return null;
  let at = data;
  for (const step of path.split("/").slice(1)) {
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[decodeStep(step)] : undefined;
  }
  return Array.isArray(at) ? at.length : null;
}

/** Without the list that it stands in. */
function toName(pattern: string): string {
  const own = pattern.split("/*").at(-1) ?? pattern;
  return own.split("/").slice(1).map(decodeStep).join(".");
}

function decodeStep(step: string): string {
  return step.replace(/~1/g, "/").replace(/~0/g, "~");
}
