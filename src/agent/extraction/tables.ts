import { type Box, EMPTY_NODE, type ObservedNode } from "../../browser/observation/observation.ts";
import { findDescendants, hasDescendant, readOwnText, readText } from "../grounding/page-text.ts";
import { isLabel, kindOfText } from "../grounding/short-texts.ts";
import {
  type BareRow,
  type BareSet,
  type Cell,
  isTable,
  type LabelledValue,
  toCell,
  toTitleCell,
} from "./record-set.ts";

interface TableReading {
  /** Null for a table that only lays out the page, or that consists of labels and values. */
  readonly set: BareSet | null;
  readonly labelled: readonly LabelledValue[];
}

const NOTHING: TableReading = { set: null, labelled: [] };

export function readTable(table: ObservedNode): TableReading {
  const { header, body } = findTableRows(table);
  if (header !== null) return readWithHeader(header, body);
  if (body.some(({ cells }) => cells.some((cell) => isTable(cell) || hasDescendant(cell, isTable)))) return NOTHING;
  const labelled = readPairs(body);
  if (labelled !== null) return { set: null, labelled };
  const width = findWidth(body);
  if (width === null) return NOTHING;
  const [first, ...rest] = body;
  if (first !== undefined && isUnmarkedHeader(first, rest)) return readWithHeader(first, rest);
  return { set: readWithoutHeader(body, width), labelled: [] };
}

function readWithHeader(header: TableRow, body: readonly TableRow[]): TableReading {
  const names = toUniqueNames(header.cells.map(readHeader));
  const titleIndex = findTitleIndex(body);
  const summing = findTotals(body);
  const toRow = ({ node }: TableRow, aligned: AlignedRow): BareRow => ({
    cells: toCells(aligned, names, titleIndex),
    node,
  });
  const rows: BareRow[] = [];
  const unread: TableRow[] = [];
  const records = body.filter((row) => !summing.includes(row));
  for (const [index, aligned] of alignRows(records, header.cells).entries()) {
    const row = records[index] as TableRow;
    if (aligned === null) unread.push(row);
    else rows.push(toRow(row, aligned));
  }
  const totals = summing.map((row) => toRow(row, alignTotal(row, header.cells, titleIndex)));
  const labelled = [...unread, ...summing].map(readSummary).filter((summary) => summary !== null);
  const titleColumn = names[titleIndex] ?? null;
  return { set: { kind: "table", columns: names, titleColumn, rows, totals, unreadRows: unread.length }, labelled };
}

/** Without the handle that makes the column wider. */
function readHeader(cell: ObservedNode): string {
  const children = cell.children.filter(({ role }) => role !== "presentation" && role !== "separator");
  return children.length === 0 ? readText(cell) : readText({ ...cell, children });
}

const TOTAL =
  /^(?:\p{L}+[ -])?(?:sub[ -]?)?(?:totals?|sum|summe|gesamt|(?:gesamt|zwischen)summe|totale|somme|suma)(?: (?:amount|due|price|cost|gross|net|(?:incl|excl)\S* \p{L}+))?[^\p{L}]*$/iu;
const SUBTOTAL = /sub|zwischen/i;
/** "Subtotal housing": whatever it sums up, it is no record. */
const NAMED_SUBTOTAL = /^(?:sub[ -]?total|zwischensumme)\b/i;

export function isTotalLabel(text: string): boolean {
  return TOTAL.test(text);
}

const MIN_RECORDS = 3;

/**
 * The rows that sum up others: subtotals anywhere, totals at the end with what stands between them, such as a tax. A row
 * called "Total" elsewhere is a record.
 */
function findTotals(body: readonly TableRow[]): TableRow[] {
  const width = Math.max(0, ...body.map(({ cells }) => cells.length));
  const end = 1 + body.findLastIndex((row) => !isTotalRow(row) && !isMergedAmount(row, width));
  const firstTotal = body.findIndex((row, index) => index >= end && isTotalRow(row));
  const lastRecord = (firstTotal === -1 ? body.length : firstTotal) - 1;
  if (lastRecord === -1) return [];
  if (isUnnamedTotal(body)) return body.slice(-1);
  const isSubtotal = ({ cells }: TableRow) => SUBTOTAL.test(readText(cells[0] ?? EMPTY_NODE));
  return body.filter(
    (row, index) =>
      NAMED_SUBTOTAL.test(readText(row.cells[0] ?? EMPTY_NODE)) ||
      index > lastRecord ||
      (isTotalRow(row) && isSubtotal(row)),
  );
}

/** A label over several columns, and one amount. */
function isMergedAmount({ cells }: TableRow, width: number): boolean {
  const [label = "", amount = "", ...others] = cells.map(readText).filter((text) => text !== "");
  return (
    cells.length < width && isLabel(label) && others.length === 0 && /\d/.test(amount) && !/\p{L}{4}/u.test(amount)
  );
}

/** A label, and nothing but amounts beside it. */
function isTotalRow({ cells }: TableRow): boolean {
  const [label = "", ...others] = cells.map(readText).filter((text) => text !== "");
  return (
    isTotalLabel(label) && others.some((text) => /\d/.test(text)) && !others.some((text) => /\p{L}{4}/u.test(text))
  );
}

/** Only the last row has no name, and it has nothing but amounts. */
function isUnnamedTotal(body: readonly TableRow[]): boolean {
  const names = body.map(({ cells }) => readText(cells[0] ?? EMPTY_NODE));
  const [last, ...amounts] = body.at(-1)?.cells.map(readText) ?? [];
  if (last !== "" || names.indexOf("") !== names.length - 1 || names.length <= MIN_RECORDS) return false;
  return amounts.some((text) => /\d/.test(text)) && !amounts.some((text) => /\p{L}{4}/u.test(text));
}

/** The label of a total often spans several columns. */
function alignTotal(
  { cells }: TableRow,
  header: readonly ObservedNode[],
  titleIndex: number,
): readonly (ObservedNode | null)[] {
  if (cells.length === header.length) return cells;
  const columns = header.map(({ box }) => box);
  const [label, ...others] = cells.filter((cell) => readText(cell) !== "");
  const places = others.map((cell) => findColumn(cell.box, columns));
  return header.map((_, index) => (index === titleIndex ? (label ?? null) : (others[places.indexOf(index)] ?? null)));
}

function readWithoutHeader(body: readonly TableRow[], width: number): BareSet | null {
  const titleIndex = findTitleIndex(body);
  const summing = findTotals(body);
  const names = toUniqueNames(nameByContent(body, width, titleIndex));
  const toRow = ({ node, cells }: TableRow) => ({ cells: toCells(cells, names, titleIndex), node });
  const rows = body.filter((row) => row.cells.length === width && !summing.includes(row)).map(toRow);
  const totals = summing.map(toRow);
  if (rows.every(({ cells }) => [...cells.values()].every(({ text }) => text === ""))) return null;
  const titleColumn = names[titleIndex] ?? null;
  const unreadRows = body.length - rows.length - totals.length;
  return { kind: "table", columns: names, titleColumn, rows, totals, unreadRows };
}

/** The row header; without one, the first column with words. */
function findTitleIndex(body: readonly TableRow[]): number {
  const sample = body.slice(0, 10);
  for (const { cells } of sample) {
    const at = cells.findIndex(({ role }) => role === "rowheader");
    if (at !== -1) return at;
  }
  const cells = sample.find((row) => row.cells.length > 1)?.cells ?? [];
  return Math.max(
    0,
    cells.findIndex((cell) => /\p{L}/u.test(readOwnText(cell))),
  );
}

function toCells(
  aligned: readonly (ObservedNode | null)[],
  names: readonly string[],
  titleIndex: number,
): ReadonlyMap<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const [index, node] of aligned.entries()) {
    const name = names[index];
    if (node !== null && name !== undefined) cells.set(name, index === titleIndex ? toTitleCell(node) : toCell(node));
  }
  return cells;
}

/** "Total | €84.90" under merged columns is not a record, but a labelled value. */
function readSummary({ cells }: TableRow): LabelledValue | null {
  const [label, value, ...more] = cells.filter((cell) => readText(cell) !== "");
  if (label === undefined || value === undefined || more.length > 1) return null;
  const text = readText(label).replace(/:$/, "");
  return isLabel(text) ? { label: text, cell: toCell(value) } : null;
}

/** A table of two columns whose first holds only labels; null for any other. */
function readPairs(body: readonly TableRow[]): LabelledValue[] | null {
  const pairs: LabelledValue[] = [];
  for (const { cells } of body) {
    const [label, value] = cells;
    if (cells.length !== 2 || label === undefined || value === undefined) return null;
    const text = readText(label).replace(/\s*:$/, "");
    if (label.role !== "rowheader" && !isLabel(text)) return null;
    pairs.push({ label: text, cell: toCell(value) });
  }
  const labels = new Set(pairs.map(({ label }) => label));
  const isMarked = body.every(
    ({ cells }) => cells[0]?.role === "rowheader" || /:$/.test(readText(cells[0] ?? EMPTY_NODE)),
  );
  return pairs.length > 0 && (isMarked || labels.size === pairs.length) ? pairs : null;
}

/** The number of cells of most rows; null for a table without records. */
function findWidth(body: readonly TableRow[]): number | null {
  const counts = new Map<number, number>();
  for (const { cells } of body) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [width, times] = [...counts].sort((one, other) => other[1] - one[1])[0] ?? [0, 0];
  return width >= 2 && times >= 2 ? width : null;
}

/** A first row of words above numbers, prices or dates is the header, even if it is not marked as one. */
function isUnmarkedHeader(first: TableRow, rest: readonly TableRow[]): boolean {
  const names = first.cells.map(readText);
  if (rest.length === 0 || new Set(names).size < names.length || !names.every((name) => isLabel(name))) return false;
  const sample = rest.slice(0, 20).filter(({ cells }) => cells.length === first.cells.length);
  return names.some(
    (_, index) => sample.length > 0 && sample.every(({ cells }) => /\d/.test(readText(cells[index] ?? EMPTY_NODE))),
  );
}

function nameByContent(body: readonly TableRow[], width: number, titleIndex: number): string[] {
  const sample = body.slice(0, 20).filter(({ cells }) => cells.length === width);
  return Array.from({ length: width }, (_, index) => {
    if (index === titleIndex) return "title";
    const kinds = new Set(sample.map(({ cells }) => kindOfText(readText(cells[index] ?? EMPTY_NODE))));
    const [kind = "text"] = kinds;
    return kinds.size === 1 && kind !== "text" ? kind : "";
  });
}

type AlignedRow = readonly (ObservedNode | null)[];

/**
 * The cell of each column of each row; null where they cannot be assigned. The tree does not say how many columns a cell
 * spans, but the boxes do: a cell belongs to the column above it, and a cell of an earlier row that reaches down belongs to
 * this row too.
 */
function alignRows(rows: readonly TableRow[], header: readonly ObservedNode[]): (AlignedRow | null)[] {
  const columns = header.map(({ box }) => box);
  /** The last cell seen in each column. */
  let above: AlignedRow = [];
  return rows.map((row) => {
    const aligned = alignRow(row, columns, above);
    above = aligned ?? above;
    return aligned;
  });
}

function alignRow(row: TableRow, columns: readonly (Box | null)[], above: AlignedRow): AlignedRow | null {
  const { cells } = row;
  if (cells.length === columns.length && !isMisplaced(cells, columns)) return cells;
  const places = cells.map((cell) => findColumn(cell.box, columns));
  if (places.some((place) => place === null) || new Set(places).size < places.length) return null;
  return columns.map((_, index) => cells[places.indexOf(index)] ?? reachDown(above[index] ?? null, row));
}

/** As many cells as columns, but shifted: one comes from the row above and another spans two columns. */
function isMisplaced(cells: readonly ObservedNode[], columns: readonly (Box | null)[]): boolean {
  return cells.some((cell, index) => {
    const place = findColumn(cell.box, columns);
    return place !== null && place !== index;
  });
}

/** The only column above the box. Null for boxes without a width. */
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

/** Makes names unique: a second "Total" becomes "Total 2", and an empty one "column 3". */
function toUniqueNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name, index) => {
    const plain = name === "" ? `column ${index + 1}` : name;
    const times = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, times);
    return times === 1 ? plain : `${plain} ${times}`;
  });
}

const CELLS = new Set(["cell", "gridcell", "columnheader", "rowheader"]);

interface TableRow {
  readonly node: ObservedNode;
  readonly cells: readonly ObservedNode[];
}

interface TableRows {
  /** The leading rows of column headers as one; null when there is none. */
  readonly header: TableRow | null;
  readonly body: readonly TableRow[];
}

/** The rows of a table, without those of a table inside a cell. */
function findTableRows(table: ObservedNode): TableRows {
  const rows = findDescendants(table, (node) => node.role === "row" || isTable(node))
    .filter((node) => node.role === "row")
    .map((node) => ({ node, cells: findDescendants(node, (inner) => CELLS.has(inner.role) || isTable(inner)) }))
    .filter(({ cells }) => cells.length > 0);
  const isHeader = rows.map(isHeaderRow);
  const body = rows.filter((_, index) => !isHeader[index]);
  const leading = isHeader.indexOf(false) === -1 ? rows.length : isHeader.indexOf(false);
  const header = rows[leading === 0 ? isHeader.indexOf(true) : leading - 1] ?? null;
  return { header: stackHeaders(rows.slice(0, leading)) ?? header, body };
}

/**
 * Several header rows as one: a column for each header that has no other below it, called by the groups above it and its own
 * name ("2026 Total"). Null for a single row, and where the boxes do not tell; then the lowest row names the columns.
 */
function stackHeaders(rows: readonly TableRow[]): TableRow | null {
  const cells = rows.flatMap(({ cells: own }, level) => own.map((node) => ({ node, level, box: node.box })));
  if (rows.length < 2 || cells.some(({ box }) => box === null || box.width <= 0)) return null;
  const isAbove = (one: Box | null, other: Box | null) => {
    const middle = (other?.x ?? 0) + (other?.width ?? 0) / 2;
    return one !== null && one.x < middle && middle < one.x + one.width;
  };
  const lowest = cells.filter(
    ({ level, box }) => !cells.some((other) => other.level > level && isAbove(box, other.box)),
  );
  const columns = lowest.toSorted((one, other) => (one.box?.x ?? 0) - (other.box?.x ?? 0));
  const named = columns.map(({ node, level, box }): ObservedNode => {
    const groups = cells.filter((other) => other.level < level && isAbove(other.box, box));
    // A header above all columns is the title of the table.
    const own = groups.filter((group) => columns.some((column) => !isAbove(group.box, column.box)));
    const texts = [...own.map((group) => readText(group.node)), readText(node)].filter((text) => text !== "");
    return { ...node, name: [...new Set(texts)].join(" "), children: [] };
  });
  return { node: rows[0]?.node ?? EMPTY_NODE, cells: named };
}

/** The corner above the row headers is often an empty cell. */
function isHeaderRow({ cells }: TableRow): boolean {
  const others = cells.filter(({ role }) => role !== "columnheader");
  return others.length < cells.length && others.every((cell) => readText(cell) === "");
}
