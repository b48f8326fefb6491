import { findDayOrder } from "../grounding/dates.ts";
import { type FoundValue, readLeaf, toFound } from "./read-value.ts";
import type { RecordSet } from "./record-set.ts";
import type { ScalarShape } from "./schema-shape.ts";
import { toKey, type Wanted } from "./wanted-value.ts";

type LabelSearch =
  | { readonly kind: "found"; readonly leaf: FoundValue }
  | { readonly kind: "none" }
  | { readonly kind: "unclear"; readonly values: readonly string[] };

/** A label of the page, and where it is. */
interface KnownLabel {
  readonly set: RecordSet;
  readonly column: string;
}

/** By the key of the label. */
type LabelIndex = ReadonlyMap<string, readonly KnownLabel[]>;

/** The labels of values, and the columns of tables with one row. */
export function indexLabels(sets: readonly RecordSet[]): LabelIndex {
  const labels = sets
    .filter(({ kind, rows }) => kind === "labelled" || rows.length === 1)
    .flatMap((set) => set.columns.map((column) => ({ set, column })));
  return Map.groupBy(labels, ({ column }) => toKey(column));
}

/**
 * The value with this label. Labels under a heading named like the object around it come first, then those in the main part of
 * the page. Labels that say different things are unclear.
 */
export function findByLabel(
  index: LabelIndex,
  wanted: Wanted,
  shape: ScalarShape,
  parents: readonly string[],
): LabelSearch {
  const around = toKey(parents.at(-1) ?? "");
  const named = [...wanted.keys].flatMap((key) => index.get(key) ?? []);
  // The heading of a page is its title.
  const labels = named.length === 0 && wanted.isTitle ? (index.get("title") ?? []) : named;
  const levels = [
    labels.filter(({ set }) => around !== "" && toKey(set.name) === around),
    labels.filter(({ set }) => set.region === "main" && set.kind === "labelled"),
    labels.filter(({ set }) => set.region === "main"),
    labels,
  ];
  for (const level of levels) {
    const leaves = level.flatMap((label) => readLabel(label, wanted, shape));
    const [first] = leaves;
    const values = [...new Set(leaves.map(({ value }) => String(value)))];
    if (first !== undefined) return values.length > 1 ? { kind: "unclear", values } : { kind: "found", leaf: first };
  }
  return { kind: "none" };
}

function readLabel({ set, column }: KnownLabel, wanted: Wanted, shape: ScalarShape): FoundValue[] {
  const cells = set.rows.flatMap((row) => {
    const cell = row.cells.get(column);
    return cell === undefined ? [] : [{ cell, row }];
  });
  const order = findDayOrder(cells.map(({ cell }) => cell.text));
  return cells.flatMap(({ cell, row }) => {
    const leaf = readLeaf(cell, shape, wanted, order);
    return leaf === null ? [] : [toFound(leaf, cell, row)];
  });
}
