import type { ObservedNode } from "../../browser/observation/observation.ts";
import {
  collapseWhitespace,
  findDescendants,
  hasDescendant,
  isButton,
  readOwnText,
  readText,
} from "../grounding/page-text.ts";

/** One value of a record, with the place where it stands. */
export interface Cell {
  /** What it says: of a title, without the lines below it. */
  readonly text: string;
  /** The text of the page, word for word. */
  readonly quote: string;
  /** Everything that stands in the place, where the text is only its title. */
  readonly whole: string;
  /** Of a link inside. */
  readonly url: string | null;
  /** Of the link or the control inside. */
  readonly ref: string | null;
  readonly node: ObservedNode;
}

export interface Row {
  /** By column; a column that the row does not have is absent. */
  readonly cells: ReadonlyMap<string, Cell>;
  readonly node: ObservedNode;
  /** The page it stands on. */
  readonly pageUrl: string;
}

/** Where on the page something stands: what is in the main part is meant before what is around it. */
export type PageRegion = "main" | "around";

/** Records of one kind that a page shows together. */
export interface RecordSet {
  /** labelled: one record for each time that the labels start over, usually one. */
  readonly kind: "table" | "list" | "labelled";
  /** The caption, the label, or the heading above; may be empty. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The column that says which record it is: the row header, the heading or the link of a card. */
  readonly titleColumn: string | null;
  readonly rows: readonly Row[];
  readonly place: PageRegion;
  /** Rows that could not be told apart into columns, such as those with merged cells. */
  readonly unreadRows: number;
}

/** A label and what stands beside it. */
export interface LabelledValue {
  readonly label: string;
  readonly cell: Cell;
}

export function titleOf(row: Row, set: Pick<RecordSet, "titleColumn">): Cell | null {
  return set.titleColumn === null ? null : (row.cells.get(set.titleColumn) ?? null);
}

/**
 * A cell for everything that a node says. Buttons say what can be done, and only in a grid are they what is shown; a
 * table inside is read by itself.
 */
export function toCell(node: ObservedNode): Cell {
  const own = readOwnText(node);
  const isApart = hasDescendant(node, (inner) => isTable(inner) || (isButton(inner) && node.role === "cell"));
  const whole = own === "" && !isApart ? readText(node) : own;
  return toPart(node, whole, whole);
}

/** A cell for a part of what a node says. */
export function toPart(node: ObservedNode, text: string, whole = readText(node)): Cell {
  const link = findLink(node);
  return { text, quote: text, whole, url: link?.url ?? null, ref: link?.ref ?? node.ref, node };
}

/** The heading or the only link of a place is its title; what follows below it is not part of the name. */
export function toTitleCell(node: ObservedNode): Cell {
  const cell = toCell(node);
  const [heading] = findDescendants(node, ({ role }) => role === "heading");
  const links = findDescendants(node, isLink);
  const title = heading ?? (links.length === 1 ? links[0] : undefined);
  const text = title === undefined ? "" : collapseWhitespace(readText(title));
  if (text === "" || !cell.whole.includes(text)) return cell;
  return { ...cell, text, quote: text };
}

/** Of several that lead to different places none is the link of the cell. */
function findLink(node: ObservedNode): { url: string | null; ref: string | null } | null {
  if (isLink(node)) return node;
  const links = findDescendants(node, isLink);
  const [first] = links;
  if (first === undefined) return null;
  return links.every(({ url }) => url === first.url) ? first : null;
}

export function isLink(node: ObservedNode): boolean {
  return node.role === "link";
}

const TABLES = new Set(["table", "grid", "treegrid"]);
const CELLS = new Set(["cell", "gridcell", "columnheader", "rowheader"]);

export interface TableRow {
  readonly node: ObservedNode;
  readonly cells: readonly ObservedNode[];
}

interface TableRows {
  /** The last of the leading rows that are made of column headers; null when there is none. */
  readonly header: TableRow | null;
  readonly body: readonly TableRow[];
}

export function isTable(node: ObservedNode): boolean {
  return TABLES.has(node.role);
}

/** The rows of a table; those of a table inside of a cell belong to that one. */
export function findTableRows(table: ObservedNode): TableRows {
  const rows = findDescendants(table, (node) => node.role === "row" || isTable(node))
    .filter((node) => node.role === "row")
    .map((node) => ({ node, cells: findDescendants(node, (inner) => CELLS.has(inner.role) || isTable(inner)) }))
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
