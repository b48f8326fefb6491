import { type Box, textOf } from "./observation.ts";
import type { DraftNode } from "./snapshot.ts";

/**
 * Labels the fields that the page gives no name: by their placeholder, by the text beside them, or by their column and row.
 * Everything that shows a field, acts on it or cites it uses this label.
 */
export function labelFields(root: DraftNode): void {
  const visit = (node: DraftNode, ancestors: readonly DraftNode[]) => {
    if (node.name === "" && isField(node)) node.label = findLabel(node, ancestors) || null;
    for (const child of node.children) visit(child, [node, ...ancestors]);
  };
  visit(root, []);
}

const CHECKABLE: ReadonlySet<string> = new Set(["checkbox", "radio", "switch"]);
const FIELDS: ReadonlySet<string> = new Set([
  ...CHECKABLE,
  "combobox",
  "listbox",
  "searchbox",
  "slider",
  "spinbutton",
  "textbox",
]);
const CELLS: ReadonlySet<string> = new Set(["cell", "gridcell", "rowheader", "columnheader"]);
const TABLES: ReadonlySet<string> = new Set(["table", "grid", "treegrid"]);
/** The text beside a field does not lie outside of these. */
const BOUNDARIES: ReadonlySet<string> = new Set([
  ...CELLS,
  ...TABLES,
  "article",
  "dialog",
  "form",
  "iframe",
  "listitem",
  "main",
  "region",
  "row",
]);
const MAX_LABEL_CHARS = 80;

function isField({ role, field }: DraftNode): boolean {
  return FIELDS.has(role) || (field !== null && role === "generic");
}

/** The ancestors start with the parent. */
function findLabel(node: DraftNode, ancestors: readonly DraftNode[]): string {
  const beside = toLabel(node.field?.placeholder ?? "") || findTextBeside(node, ancestors);
  const cellAt = ancestors.findIndex(({ role }) => CELLS.has(role));
  const [cell, row] = [ancestors[cellAt], ancestors[cellAt + 1]];
  if (cell === undefined || row?.role !== "row") return beside;
  const table = ancestors.slice(cellAt).find(({ role }) => TABLES.has(role));
  const column = beside || (table === undefined ? "" : findColumnName(cell, row, table));
  return [column, findRowName(cell, row)].filter(Boolean).join(", ");
}

/** A box is followed by its label, any other field is preceded by it. */
function findTextBeside(node: DraftNode, ancestors: readonly DraftNode[]): string {
  const steps = CHECKABLE.has(node.role) ? [1, -1] : [-1];
  for (const step of steps) {
    const text = findTextTowards(step, node, ancestors);
    if (text !== "") return text;
  }
  return "";
}

function findTextTowards(step: number, node: DraftNode, ancestors: readonly DraftNode[]): string {
  let inner = node;
  for (const parent of ancestors) {
    const at = parent.children.indexOf(inner);
    const nearest = step > 0 ? parent.children.slice(at + 1) : parent.children.slice(0, at).toReversed();
    const beside = nearest.find((one) => hasTarget(one) || textOf(one) !== "");
    // The text beyond another target belongs to that one.
    if (beside !== undefined) return hasTarget(beside) ? "" : toLabel(textOf(beside));
    if (BOUNDARIES.has(parent.role)) return "";
    inner = parent;
  }
  return "";
}

function hasTarget(node: DraftNode): boolean {
  return node.ref !== null || node.value !== null || node.role === "iframe" || node.children.some(hasTarget);
}

/** Without the marks at its end. Empty for a text that is too long to be a label. */
function toLabel(text: string): string {
  const label = text.replace(/[\s:*]+$/, "");
  return label.length <= MAX_LABEL_CHARS ? label : "";
}

/** The header above the cell, by position; without positions, the one with the same index. */
function findColumnName(cell: DraftNode, row: DraftNode, table: DraftNode): string {
  const header = findRows(table).find(({ children }) => children.some(({ role }) => role === "columnheader"));
  if (header === undefined || header === row) return "";
  const { box } = cell;
  const above = box === null ? undefined : header.children.find((one) => one.box !== null && isAbove(one.box, box));
  const named = above ?? header.children[row.children.indexOf(cell)];
  return named === undefined ? "" : toLabel(textOf(named));
}

function findRows(node: DraftNode): DraftNode[] {
  return node.children.flatMap((child) =>
    child.role === "row" ? [child] : TABLES.has(child.role) ? [] : findRows(child),
  );
}

function isAbove(header: Box, cell: Box): boolean {
  const middle = cell.x + cell.width / 2;
  return header.x <= middle && middle < header.x + header.width;
}

/** The row header, else the first other cell with words. */
function findRowName(cell: DraftNode, row: DraftNode): string {
  const others = row.children.filter((one) => one !== cell && CELLS.has(one.role));
  const named = others.find(({ role }) => role === "rowheader") ?? others.find((one) => /\p{L}/u.test(textOf(one)));
  return named === undefined ? "" : toLabel(textOf(named));
}
