import type { Cell, Row } from "../records/record-set.ts";
import { parseAmount } from "../values/amount.ts";
import { parseBoolean } from "../values/boolean.ts";
import { isSameCurrency } from "../values/currency.ts";
import { findDates, findDayOrder, parseDate } from "../values/date.ts";
import { kindOfText } from "../values/text-kind.ts";
import { findColumn, findColumnByForm } from "./find-column.ts";
import type { Bound, RowFilter } from "./row-filter.ts";

/** Whether a record is meant for certain. */
export function matches(row: Row, filter: RowFilter): boolean {
  return judge(row, filter) === true;
}

/** Null when the record does not say: what is not known to be under £20 is not known to be over it either. */
export function judge(row: Row, filter: RowFilter): boolean | null {
  switch (filter.kind) {
    case "all":
      return judgeAll(filter.filters.map((part) => judge(row, part)));
    case "not": {
      const verdict = judge(row, filter.filter);
      return verdict === null ? null : !verdict;
    }
    case "amount":
      return judgeAmount(row, filter);
    case "date":
      return judgeDate(row, filter);
    case "flag":
      return judgeFlag(row, filter);
    case "text":
      return judgeText(row, filter);
  }
}

function judgeAll(verdicts: readonly (boolean | null)[]): boolean | null {
  if (verdicts.includes(false)) return false;
  return verdicts.includes(null) ? null : true;
}

function judgeAmount(row: Row, filter: RowFilter & { kind: "amount" }): boolean | null {
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

/** Without a name, money means the price. */
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

function judgeDate(row: Row, { about, from, to }: RowFilter & { kind: "date" }): boolean | null {
  const column = about === null ? findOnlyDate(row) : findColumn(row.cells.keys(), about);
  const text = column === null ? "" : (row.cells.get(column)?.text ?? "");
  const day = parseDate(text, findDayOrder([text]))?.day;
  if (day === undefined) return null;
  return (from === null || day >= from) && (to === null || day <= to);
}

/** The only cell with a date, or the one that is called so. */
function findOnlyDate(row: Row): string | null {
  const dated = [...row.cells].filter(([, cell]) => findDates(cell.text).length === 1).map(([column]) => column);
  return dated.length === 1 ? (dated[0] ?? null) : findColumn(dated, "date");
}

/** A column that is called so and says yes or no; or a cell that says it in its own words, such as "In stock". */
function judgeFlag(row: Row, { about, expected }: RowFilter & { kind: "flag" }): boolean | null {
  const column =
    findColumn(row.cells.keys(), about) ?? (about === "in stock" ? findColumnByForm(row, "availability") : null);
  const answer = column === null ? null : parseBoolean(row.cells.get(column)?.text ?? "");
  return answer === null ? null : answer === expected;
}

function judgeText(row: Row, { about, comparison, text }: RowFilter & { kind: "text" }): boolean | null {
  if (about === null) return [...row.cells.values()].some((cell) => says(cell, comparison, text));
  const column = findColumn(row.cells.keys(), about) ?? titleFor(row, about);
  const cell = column === null ? undefined : row.cells.get(column);
  return cell === undefined ? null : says(cell, comparison, text);
}

/** A name is what the first cell of words says. */
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
