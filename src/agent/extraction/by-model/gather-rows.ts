import { parseAmount } from "../../grounding/amounts.ts";
import { type DayOrder, findDayOrder, parseDate } from "../../grounding/dates.ts";
import { mergePages } from "../merged-pages.ts";
import { findNextPage } from "../pagination.ts";
import type { RecordSet, Row } from "../record-set.ts";
import { evaluateCondition, type Mapping, readNumberOf } from "./mapping.ts";
import type { ReadPage } from "./read-page.ts";

/** Records of one page, with their column mapping. */
export interface MappedSet {
  readonly page: ReadPage;
  readonly set: RecordSet;
  readonly mapping: Mapping;
  /** The order of day and month in the mapped columns. */
  readonly orders: ReadonlyMap<string, DayOrder | null>;
}

export function toMappedSet(page: ReadPage, set: RecordSet, mapping: Mapping): MappedSet {
  const textsOf = (column: string) => set.rows.map(({ cells }) => cells.get(column)?.text ?? "");
  const columns = new Set(mapping.columns.values());
  const orders = new Map([...columns].map((column) => [column, findDayOrder(textsOf(column)) ?? page.order] as const));
  return { page, set, mapping, orders };
}

export interface MappedRow {
  readonly row: Row;
  readonly source: MappedSet;
}

export interface GatheredRows {
  /** Why the rows cannot be given as the task asks for them; null when they can. */
  readonly problem: string | null;
  /** Whether rows of pages that were not read yet may come before these. */
  readonly awaitsPages: boolean;
  /** Why the list may have rows that were not read, where they would be given too; null when it has not. */
  readonly unseen: string | null;
  readonly rows: readonly MappedRow[];
  /** Whether a row that was left out ranks equal to one that was taken. */
  readonly isTied: boolean;
  /** How many pages and rows, what was left out and why, for people. */
  readonly coverage: string;
}

/** The rows of all pages that are meant, without repetitions, in page order unless the task asks for another. */
export function gatherRows(sources: readonly [MappedSet, ...MappedSet[]], maxItems: number | null): GatheredRows {
  const sourceOf = new Map(sources.flatMap((source) => source.set.rows.map((row) => [row, source] as const)));
  const [first, ...others] = sources;
  const merged = mergePages([first.set, ...others.map(({ set }) => set)]);
  const all = merged.set.rows.flatMap((row) => {
    const source = sourceOf.get(row);
    return source === undefined ? [] : [{ row, source }];
  });
  const { fitting, unknown } = filter(all);
  const { order, limit } = first.mapping;
  const ordered = order === null ? { rows: fitting, unsaid: 0, problem: null } : sort(fitting, order.direction);
  const rows = ordered.rows.slice(0, Math.min(limit ?? Infinity, maxItems ?? Infinity));
  const isTied = hasEqualNext(ordered.rows, rows.length);
  const isUnclear = fitting.length === 0 && unknown > 0;
  const pages = new Set(sources.map(({ page }) => page.observation.url)).size;
  const notes = [
    `${count(all.length, "row")} on ${count(pages, "page")}`,
    ...note(merged.repeated, "shown again and counted once"),
    ...note(merged.set.unreadRows, "not read"),
    ...(merged.unseen === null ? [] : ["not all rows of the list were shown"]),
    ...(fitting.length < all.length ? [`${fitting.length} of them match (${describeWhere(first.mapping)})`] : []),
    ...note(unknown, "left out because they do not have the value"),
    ...describeOrder(first.mapping),
    ...note(ordered.unsaid, "of them without it, put last"),
    ...(rows.length < fitting.length ? [`the first ${rows.length} taken`] : []),
    ...(isTied ? ["the next one ranks equal to the last of them"] : []),
  ];
  return {
    problem: ordered.problem ?? (isUnclear ? `No row is known to match, and ${unknown} do not have the value.` : null),
    awaitsPages:
      order !== null &&
      limit !== null &&
      (hasMore(sources) || merged.unseen !== null) &&
      !isSortedAlready(fitting, ordered.rows),
    unseen: rows.length < Math.min(limit ?? Infinity, maxItems ?? Infinity) ? merged.unseen : null,
    rows,
    isTied,
    coverage: notes.join(", "),
  };
}

function hasMore(sources: readonly MappedSet[]): boolean {
  const last = sources.at(-1)?.page.observation;
  return last !== undefined && findNextPage(last.root, last.url) !== null;
}

/** If the site itself shows them in this order, the first rows of the first page are the first of all. */
function isSortedAlready(shown: readonly MappedRow[], sorted: readonly MappedRow[]): boolean {
  return shown.length >= 3 && shown.every((row, index) => row === sorted[index]);
}

function filter(all: readonly MappedRow[]): { fitting: MappedRow[]; unknown: number } {
  const orders = new Map<string, DayOrder | null>();
  const texts = Map.groupBy(
    all.flatMap(({ row }) => [...row.cells]),
    ([column]) => column,
  );
  for (const [column, cells] of texts) orders.set(column, findDayOrder(cells.map(([, { text }]) => text)));
  let unknown = 0;
  const fitting = all.filter(({ row, source }) => {
    const verdicts = source.mapping.where.map((condition) =>
      evaluateCondition(row.cells.get(condition.column), condition, orders.get(condition.column) ?? null),
    );
    if (!verdicts.includes(false) && verdicts.includes(null)) unknown += 1;
    return verdicts.every((verdict) => verdict === true);
  });
  return { fitting, unknown };
}

interface Sorted {
  readonly rows: readonly MappedRow[];
  /** How many rows lack the value they are ordered by. */
  readonly unsaid: number;
  readonly problem: string | null;
}

/** By amount if all texts are amounts, by day if all are days, else alphabetically. */
function sort(rows: readonly MappedRow[], direction: "ascending" | "descending"): Sorted {
  const texts = rows.map(textToSort);
  const said = texts.filter((text) => text !== "");
  const days = findDayOrder(said);
  const readings: ((text: string) => number | string | null)[] = [
    readNumberOf,
    (text) => parseDate(text, days)?.day ?? null,
  ];
  const read =
    readings.find((reading) => said.every((text) => reading(text) !== null)) ?? ((text) => text.toLowerCase());
  const keyed = rows.map((row, index) => ({ row, key: texts[index] === "" ? null : read(texts[index] ?? "") }));
  const sign = direction === "ascending" ? 1 : -1;
  const sorted = keyed.toSorted((one, other) => {
    if (one.key === null || other.key === null) return Number(one.key === null) - Number(other.key === null);
    return sign * (one.key < other.key ? -1 : Number(one.key > other.key));
  });
  const currencies = new Set(said.map((text) => parseAmount(text)?.currency).filter((currency) => currency != null));
  const problem = currencies.size > 1 ? "The rows cannot be ordered: their amounts are in several currencies." : null;
  return { rows: sorted.map(({ row }) => row), unsaid: rows.length - said.length, problem };
}

function textToSort({ row, source }: MappedRow): string {
  return row.cells.get(source.mapping.order?.column ?? "")?.text ?? "";
}

/** A cut between equal rows is arbitrary. */
function hasEqualNext(rows: readonly MappedRow[], taken: number): boolean {
  const [last, next] = [rows[taken - 1], rows[taken]];
  if (last === undefined || next === undefined || last.source.mapping.order === null) return false;
  return textToSort(last) === textToSort(next);
}

function note(number: number, about: string): string[] {
  return number > 0 ? [`${number} ${about}`] : [];
}

function describeOrder({ order }: Mapping): string[] {
  return order === null ? [] : [`ordered by ${JSON.stringify(order.column)}, ${order.direction}`];
}

function describeWhere({ where }: Mapping): string {
  return where
    .map(({ column, is, value }) => [JSON.stringify(column), is.replace(/_/g, " "), value].filter(Boolean).join(" "))
    .join(" and ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
