import type { Box, ObservedNode } from "../../../browser/observation/observed-node.ts";
import type { TableRow } from "./table-rows.ts";

/**
 * The cell of each column, or null when they cannot be told: the tree does not say how many columns a cell spans.
 * Boxes do: a cell belongs to the column it stands under, and one from above that reaches down belongs to this row too.
 */
type AlignedRow = readonly (ObservedNode | null)[] | null;

export interface RowAligner {
  align(row: TableRow): AlignedRow;
}

export function createRowAligner(header: readonly ObservedNode[]): RowAligner {
  const columns = header.map(({ box }) => box);
  /** For each column the cell that was last seen in it. */
  const above: (ObservedNode | null)[] = header.map(() => null);
  return {
    align(row) {
      if (row.cells.length === header.length && !isMisplaced(row.cells, columns)) {
        for (const [index, cell] of row.cells.entries()) above[index] = cell;
        return row.cells;
      }
      const places = row.cells.map((cell) => findColumn(cell.box, columns));
      if (places.some((place) => place === null) || new Set(places).size < places.length) return null;
      return columns.map((_, index) => {
        const at = places.indexOf(index);
        const cell = at === -1 ? reachDown(above[index] ?? null, row) : (row.cells[at] ?? null);
        above[index] = cell;
        return cell;
      });
    },
  };
}

/** As many cells as columns, but shifted: one of them comes from the row above and another spans two columns. */
function isMisplaced(cells: readonly ObservedNode[], columns: readonly (Box | null)[]): boolean {
  return cells.some((cell, index) => {
    const place = findColumn(cell.box, columns);
    return place !== null && place !== index;
  });
}

/** The only column that the box stands under. Zero-sized boxes stand under none. */
function findColumn(box: Box | null, columns: readonly (Box | null)[]): number | null {
  if (box === null || box.width <= 0) return null;
  const under: number[] = [];
  for (const [index, column] of columns.entries()) {
    if (column === null || column.width <= 0) return null;
    const shared = Math.min(box.x + box.width, column.x + column.width) - Math.max(box.x, column.x);
    if (shared > Math.min(box.width, column.width) / 2) under.push(index);
  }
  return under.length === 1 ? (under[0] ?? null) : null;
}

function reachDown(cell: ObservedNode | null, row: TableRow): ObservedNode | null {
  const middle = row.node.box === null ? null : row.node.box.y + row.node.box.height / 2;
  if (cell?.box == null || middle === null) return null;
  return cell.box.y + cell.box.height > middle ? cell : null;
}
