import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { findInner, readText } from "./read-text.ts";

const TABLES = new Set(["table", "grid", "treegrid"]);
const CELLS = new Set(["cell", "gridcell", "columnheader", "rowheader"]);

export interface TableRow {
  readonly node: ObservedNode;
  readonly cells: readonly ObservedNode[];
}

export interface TableRows {
  /** The last of the leading rows that are made of column headers; null when there is none. */
  readonly header: TableRow | null;
  readonly body: readonly TableRow[];
}

export function isTable(node: ObservedNode): boolean {
  return TABLES.has(node.role);
}

/** The rows of a table; those of a table inside of a cell belong to that one. */
export function findTableRows(table: ObservedNode): TableRows {
  const rows = findInner(table, (node) => node.role === "row" || isTable(node))
    .filter((node) => node.role === "row")
    .map((node) => ({ node, cells: findInner(node, (inner) => CELLS.has(inner.role) || isTable(inner)) }))
    .filter(({ cells }) => cells.length > 0);
  const isHeader = rows.map(isHeaderRow);
  const body = rows.filter((_, index) => !isHeader[index]);
  // Of stacked header rows the lowest names the columns; the ones above it only group them.
  const leading = isHeader.indexOf(false) === -1 ? rows.length : isHeader.indexOf(false);
  const header = rows[leading === 0 ? isHeader.indexOf(true) : leading - 1] ?? null;
  return { header, body };
}

/** The corner above the row headers is often an empty cell. */
function isHeaderRow({ cells }: TableRow): boolean {
  const others = cells.filter(({ role }) => role !== "columnheader");
  return others.length < cells.length && others.every((cell) => readText(cell) === "");
}
