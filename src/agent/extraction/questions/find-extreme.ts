import { parseAmount } from "../../grounding/amounts.ts";
import { findDayOrder, parseDate } from "../../grounding/dates.ts";
import { kindOfText } from "../../grounding/short-texts.ts";
import { findColumn } from "../columns.ts";
import type { RecordSet, Row } from "../record-set.ts";
import type { Order } from "./question.ts";

export type Extreme =
  | { readonly kind: "rows"; readonly rows: readonly Row[]; readonly column: string }
  | { readonly kind: "missing"; readonly reason: string };

/** Words of a column that says when something came to be, rather than when it will end. */
const BEGINNINGS = [
  "date",
  "placed",
  "ordered",
  "created",
  "posted",
  "published",
  "received",
  "added",
  "updated",
  "sent",
];

/** The rows with the least or the most of something; several when they are equal. */
export function findExtreme(set: RecordSet, by: string, direction: "least" | "most"): Extreme {
  const column = findComparable(set, by);
  if (column === null) return { kind: "missing", reason: `No single column of "${set.name}" says the ${by}.` };
  const values = readComparable(set.rows, column);
  if (typeof values === "string") return { kind: "missing", reason: values };
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { kind: "missing", reason: `The column "${column}" holds nothing to compare.` };
  const best = known.reduce((one, other) => ((direction === "least" ? other < one : other > one) ? other : one));
  return { kind: "rows", rows: set.rows.filter((_, index) => values[index] === best), column };
}

/** All rows by it, the least or the most first; rows that do not say it come last. */
export function sortRows(set: RecordSet, { by, direction }: Order): Extreme {
  const column = findComparable(set, by);
  if (column === null) return { kind: "missing", reason: `No single column of "${set.name}" says the ${by}.` };
  const values = readComparable(set.rows, column);
  if (typeof values === "string") return { kind: "missing", reason: values };
  const last = direction === "least" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  const ranked = set.rows.map((row, index) => ({ row, value: values[index] ?? last }));
  ranked.sort((one, other) => (direction === "least" ? one.value - other.value : other.value - one.value) || 0);
  return { kind: "rows", rows: ranked.map(({ row }) => row), column };
}

function findComparable({ columns, rows }: RecordSet, by: string): string | null {
  if (by !== "date") return findColumn(columns, by) ?? findFormed(columns, rows, by);
  const dated = columns.filter((column) => rows.some(({ cells }) => parseDate(cells.get(column)?.text ?? "") !== null));
  if (dated.length === 1) return dated[0] ?? null;
  const beginnings = dated.filter((column) => BEGINNINGS.some((word) => findColumn([column], word) !== null));
  return beginnings.length === 1 ? (beginnings[0] ?? null) : null;
}

function findFormed(columns: readonly string[], rows: readonly Row[], form: string): string | null {
  const sample = rows.slice(0, 20);
  const fitting = columns.filter((column) =>
    sample.some(({ cells }) => kindOfText(cells.get(column)?.text ?? "") === form),
  );
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** A sentence when they cannot be compared: what one row says is not readable, or is in another currency. */
function readComparable(rows: readonly Row[], column: string): (number | null)[] | string {
  const texts = rows.map(({ cells }) => cells.get(column)?.text ?? "");
  const order = findDayOrder(texts);
  const isDated = texts.some((text) => parseDate(text, order) !== null);
  const currencies = new Set<string>();
  const values: (number | null)[] = [];
  for (const text of texts) {
    const date = isDated ? parseDate(text, order) : null;
    const amount = isDated ? null : parseAmount(text);
    if (amount?.currency != null) currencies.add(amount.currency);
    const value = date === null ? (amount?.value ?? null) : Date.parse(`${date.day}T${date.time ?? "00:00:00"}Z`);
    if (value === null && text !== "") return `"${text.slice(0, 60)}" in the column "${column}" cannot be compared.`;
    values.push(value);
  }
  return currencies.size > 1 ? `The column "${column}" has several currencies.` : values;
}
