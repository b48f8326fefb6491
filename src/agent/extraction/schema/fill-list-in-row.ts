import { findColumn } from "../filters/find-column.ts";
import { toCell, toPart } from "../records/cell.ts";
import { findListItems } from "../records/read-list.ts";
import { findInner } from "../records/read-text.ts";
import type { Cell, Row } from "../records/record-set.ts";
import { absent, type Draft, type Outcome, pointTo } from "./draft.ts";
import { readLeaf } from "./read-leaf.ts";
import type { ScalarShape } from "./shape.ts";
import type { Wanted } from "./wanted.ts";

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
  const [list, second] = findInner(cell?.node ?? row.node, ({ role }) => role === "list");
  if (list !== undefined && second === undefined) return findListItems(list).map(toCell);
  if (cell === undefined || cell.text === "") return null;
  return cell.text
    .split(/\s*[,;·|]\s+/)
    .filter(Boolean)
    .map((text) => toPart(cell.node, text));
}
