import { isSameCurrency, parseAmount } from "../grounding/amounts.ts";
import { findDates, findDayOrder, parseDate } from "../grounding/dates.ts";
import { kindOfText, parseBoolean } from "../grounding/short-texts.ts";
import { findColumn, findColumnByForm } from "./columns.ts";
import type { Cell, Row } from "./record-set.ts";
import type { Bound, RowFilter } from "./row-filter.ts";

/** Whether a record certainly matches. */
export function matchesFilter(row: Row, filter: RowFilter): boolean {
  return evaluateFilter(row, filter) === true;
}

/** Null when the record does not say: a price that is not known to be under £20 is not known to be over it either. */
export function evaluateFilter(row: Row, filter: RowFilter): boolean | null {
  switch (filter.kind) {
    case "all":
      return evaluateAll(filter.filters.map((part) => evaluateFilter(row, part)));
    case "not": {
      const verdict = evaluateFilter(row, filter.filter);
      return verdict === null ? null : !verdict;
    }
    case "amount":
      return evaluateAmount(row, filter);
    case "date":
      return evaluateDate(row, filter);
    case "flag":
      return evaluateFlag(row, filter);
    case "text":
      return evaluateText(row, filter);
  }
}

function evaluateAll(verdicts: readonly (boolean | null)[]): boolean | null {
  if (verdicts.includes(false)) return false;
  return verdicts.includes(null) ? null : true;
}

function evaluateAmount(row: Row, filter: RowFilter & { kind: "amount" }): boolean | null {
  const form = filter.about === "rating" ? "rating" : "price";
  const column =
    (filter.about === null ? null : findColumn(row.cells.keys(), filter.about)) ?? findForm(row, filter, form);
  const amount = column === null ? null : parseAmount(row.cells.get(column)?.text ?? "");
  if (amount === null) return null;
  const isComparable =
    filter.currency === null || amount.currency === null || isSameCurrency(filter.currency, amount.currency);
  if (!isComparable) return null;
  return isAbove(amount.value, filter.from) && isBelow(amount.value, filter.to);
}

/** An amount of money without a name means the price. */
function findForm(row: Row, { about }: { about: string | null }, form: "price" | "rating"): string | null {
  if (about !== null && about !== "price" && about !== "rating") return null;
  return (form === "price" ? findColumn(row.cells.keys(), "price") : null) ?? findColumnByForm(row, form);
}

function isAbove(value: number, bound: Bound | null): boolean {
  return bound === null || value > bound.value || (bound.isInclusive && value === bound.value);
}

function isBelow(value: number, bound: Bound | null): boolean {
  return bound === null || value < bound.value || (bound.isInclusive && value === bound.value);
}

function evaluateDate(row: Row, { about, from, to }: RowFilter & { kind: "date" }): boolean | null {
  const column = about === null ? findOnlyDate(row) : findColumn(row.cells.keys(), about);
  const text = column === null ? "" : (row.cells.get(column)?.text ?? "");
  const day = parseDate(text, findDayOrder([text]))?.day;
  if (day === undefined) return null;
  return (from === null || day >= from) && (to === null || day <= to);
}

/** The only cell with a date, or the one named so. */
function findOnlyDate(row: Row): string | null {
  const dated = [...row.cells].filter(([, cell]) => findDates(cell.text).length === 1).map(([column]) => column);
  return dated.length === 1 ? (dated[0] ?? null) : findColumn(dated, "date");
}

/** A column of that name that says yes or no, or a cell such as "In stock". */
function evaluateFlag(row: Row, { about, expected }: RowFilter & { kind: "flag" }): boolean | null {
  const column =
    findColumn(row.cells.keys(), about) ?? (about === "in stock" ? findColumnByForm(row, "availability") : null);
  const answer = column === null ? null : parseBoolean(row.cells.get(column)?.text ?? "");
  return answer === null ? null : answer === expected;
}

function evaluateText(row: Row, { about, comparison, text }: RowFilter & { kind: "text" }): boolean | null {
  if (about === null) return [...row.cells.values()].some((cell) => says(cell, comparison, text));
  const column = findColumn(row.cells.keys(), about) ?? titleFor(row, about);
  const cell = column === null ? undefined : row.cells.get(column);
  return cell === undefined ? null : says(cell, comparison, text);
}

/** The name of a record is its first cell with words. */
function titleFor(row: Row, about: string): string | null {
  if (!/^(?:name|title|product)$/i.test(about)) return null;
  const [first] = [...row.cells].find(([, cell]) => /\p{L}/u.test(cell.text) && kindOfText(cell.text) === "text") ?? [];
  return first ?? null;
}

function says(cell: Cell, comparison: (RowFilter & { kind: "text" })["comparison"], wanted: string): boolean {
  const [text, part] = [fold(cell.text), fold(wanted)];
  switch (comparison) {
    case "contains":
      return text.includes(part) || fold(cell.whole).includes(part);
    case "equals":
      return text === part || fold(cell.whole) === part;
    case "starts":
      return text.startsWith(part);
    case "ends":
      return text.endsWith(part);
  }
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

/**
 * A word of the filter, such as "delivered", that no row has. The site may use another word for it, so that neither "none"
 * nor "all the others" is a safe answer.
 */
export function findUnusedWord(rows: readonly Row[], filter: RowFilter): string | null {
  if (filter.kind === "all") {
    return filter.filters.map((part) => findUnusedWord(rows, part)).find((word) => word !== null) ?? null;
  }
  if (filter.kind === "not") return findUnusedWord(rows, filter.filter);
  const isWord = filter.kind === "text" && filter.about === null && filter.comparison === "equals";
  return isWord && rows.length > 0 && !rows.some((row) => matchesFilter(row, filter)) ? filter.text : null;
}
