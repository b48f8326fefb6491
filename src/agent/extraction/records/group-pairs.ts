import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import type { Cell, LabelledValue, Place, RecordSet, Row } from "./record-set.ts";

/** Labelled values that stand under one heading. */
export interface PairGroup {
  readonly name: string;
  readonly place: Place;
  readonly pairs: LabelledValue[];
}

/** Where a label comes again, the next record begins: nothing is overwritten. */
export function toRecordSet({ name, place, pairs }: PairGroup, node: ObservedNode, pageUrl: string): RecordSet {
  const rows: Row[] = [];
  let cells = new Map<string, Cell>();
  for (const { label, cell } of pairs) {
    if (cells.size === 0 || cells.has(label)) {
      cells = new Map();
      rows.push({ cells, node, pageUrl });
    }
    cells.set(label, cell);
  }
  const columns = [...new Set(pairs.map(({ label }) => label))];
  return { kind: "labelled", name, columns, titleColumn: null, rows, place, unreadRows: 0 };
}
