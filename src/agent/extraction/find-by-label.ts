import { findDayOrder } from "../grounding/dates.ts";
import { type AskedValue, type FoundValue, findValue } from "./read-value.ts";
import type { RecordSet } from "./record-set.ts";
import { toKey } from "./wanted-value.ts";

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
export function findByLabel(index: LabelIndex, asked: AskedValue, parents: readonly string[]): LabelSearch {
  const { wanted } = asked;
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
    const leaves = level.flatMap((label) => readLabel(label, asked));
    const [first] = leaves;
    const values = [...new Set(leaves.map(({ value }) => String(value)))];
    if (first !== undefined) return values.length > 1 ? { kind: "unclear", values } : { kind: "found", leaf: first };
  }
  return { kind: "none" };
}

function readLabel({ set: { rows }, column }: KnownLabel, asked: AskedValue): FoundValue[] {
  const order = findDayOrder(rows.flatMap(({ cells }) => cells.get(column)?.text ?? []));
  return rows.flatMap((row) => findValue(row.cells.get(column), row, asked, order, column) ?? []);
}
