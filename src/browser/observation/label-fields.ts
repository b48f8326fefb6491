import type { DraftNode } from "./draft.ts";
import { type Box, textOf } from "./observation.ts";

/**
 * Labels the fields that the page gives no name: by their placeholder, by the text beside them, or by their column and row.
 * Everything that shows a field, acts on it or cites it uses this label.
 */
export function labelFields(root: DraftNode): void {
  const headers: HeaderRows = new Map();
  const path: Step[] = [];
  const visit = (node: DraftNode) => {
    if (node.name === "" && isField(node)) node.label = findLabel(node, path.toReversed(), headers) || node.label;
    for (const [at, child] of node.children.entries()) {
      path.push({ parent: node, at });
      visit(child);
      path.pop();
    }
  };
  visit(root);
}

/** One step from a node to its parent. */
interface Step {
  readonly parent: DraftNode;
  /** The index of the node among its children. */
  readonly at: number;
}

/** The header row of each table; null for one without. */
type HeaderRows = Map<DraftNode, DraftNode | null>;

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

/** The path starts with the parent. */
function findLabel(node: DraftNode, path: readonly Step[], headers: HeaderRows): string {
  const beside = toLabel(node.field?.placeholder ?? "") || findTextBeside(node, path);
  const cellAt = path.findIndex(({ parent }) => CELLS.has(parent.role));
  const [cell, row] = [path[cellAt]?.parent, path[cellAt + 1]?.parent];
  if (cell === undefined || row?.role !== "row") return beside;
  const table = path.slice(cellAt).find(({ parent }) => TABLES.has(parent.role))?.parent;
  const column = beside || (table === undefined ? "" : findColumnName(cell, row, findHeader(table, headers)));
  return [column, findRowName(cell, row)].filter(Boolean).join(", ");
}

/** A box is followed by its label, any other field is preceded by it. */
function findTextBeside(node: DraftNode, path: readonly Step[]): string {
  const directions = CHECKABLE.has(node.role) ? [1, -1] : [-1];
  for (const direction of directions) {
    const text = findTextTowards(direction, node, path);
    if (text !== "") return text;
  }
  return "";
}

function findTextTowards(direction: number, { field }: DraftNode, path: readonly Step[]): string {
  const isText = field?.type === "contenteditable" || field?.type === "textarea";
  const isPassed = (node: DraftNode) => (hasTarget(node) ? isText && isToolbar(node) : textOf(node) === "");
  for (const { parent, at } of path) {
    let distance = direction;
    for (let next = parent.children[at + distance]; next !== undefined && isPassed(next); ) {
      distance += direction;
      next = parent.children[at + distance];
    }
    const beside = parent.children[at + distance];
    // The text beyond another target belongs to that one.
    if (beside !== undefined) return hasTarget(beside) ? "" : toLabel(textOf(beside));
    if (BOUNDARIES.has(parent.role)) return "";
  }
  return "";
}

const MIN_TOOLS = 3;

/** The buttons and lists of an editor, between it and its label. */
function isToolbar(node: DraftNode): boolean {
  if (node.role === "toolbar") return true;
  const targets = targetsIn(node);
  const buttons = targets.filter(({ role }) => role === "button" || role === "generic");
  return buttons.length >= MIN_TOOLS && targets.every(({ role }) => !FIELDS.has(role) || role === "combobox");
}

function targetsIn(node: DraftNode): DraftNode[] {
  return node.ref !== null || node.value !== null ? [node] : node.children.flatMap(targetsIn);
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
function findColumnName(cell: DraftNode, row: DraftNode, header: DraftNode | null): string {
  if (header === null || header === row) return "";
  const { box } = cell;
  const above = box === null ? undefined : header.children.find((one) => one.box !== null && isAbove(one.box, box));
  const named = above ?? header.children[row.children.indexOf(cell)];
  return named === undefined ? "" : toLabel(textOf(named));
}

function findHeader(table: DraftNode, headers: HeaderRows): DraftNode | null {
  const known = headers.get(table);
  if (known !== undefined) return known;
  const header = findRows(table).find(({ children }) => children.some(({ role }) => role === "columnheader")) ?? null;
  headers.set(table, header);
  return header;
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
