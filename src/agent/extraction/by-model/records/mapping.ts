import type { Task } from "../../../planner/planner.ts";
import type { RecordSet } from "../../records/record-set.ts";
import { parseDate } from "../../values/date.ts";
import type { AnsweredCondition, AnsweredRecords } from "../answer.ts";
import type { ValueSlot } from "../form/form.ts";
import type { OfferedRecords } from "../page/read-page.ts";
import { isAskedFor, namesNumber } from "./asked-for.ts";
import { readNumberOf } from "./judge-cell.ts";

/** Which columns of some records say what, and which of the rows are meant. Fit to be used on the next page as well. */
export interface Mapping {
  readonly set: Pick<RecordSet, "kind" | "name" | "place" | "columns">;
  /** Columns by the id of the value. */
  readonly columns: ReadonlyMap<string, string>;
  readonly where: readonly (Omit<AnsweredCondition, "value"> & { readonly value: string })[];
  readonly order: { readonly column: string; readonly direction: "ascending" | "descending" } | null;
  readonly limit: number | null;
}

export type MappingReading =
  | { readonly kind: "mapping"; readonly mapping: Mapping; readonly offer: OfferedRecords }
  | { readonly kind: "refused"; readonly reason: string };

const RELATIVE =
  /\b(?:today|yesterday|tomorrow|now|ago|since|until|last|this|next|past|recent\w*|week|month|year|day)s?\b/i;
const NEEDS_VALUE: ReadonlySet<string> = new Set(["is_true", "is_false"]);

/** Columns and records must exist, and every row that is left out must be left out by the task's own words. */
export function readMapping(
  answer: AnsweredRecords,
  offers: readonly OfferedRecords[],
  slots: readonly ValueSlot[],
  task: Task,
): MappingReading {
  const offer = offers.find(({ id }) => id === answer.records);
  if (offer === undefined) return refuse(`the page has no records "${answer.records}"`);
  const toColumn = (id: string) => offer.columns.get(id) ?? null;
  const columns = new Map<string, string>();
  for (const { leaf, column } of answer.columns) {
    const title = toColumn(column);
    if (!slots.some(({ id }) => id === leaf)) return refuse(`"${leaf}" is no value of "${answer.target}"`);
    if (title === null) return refuse(`${offer.id} has no column "${column}"`);
    columns.set(leaf, title);
  }
  if (columns.size === 0) return refuse(`no column of ${offer.id} is named`);
  const reason = findUnasked(answer, offer, task);
  if (reason !== null) return refuse(reason);
  const where = (answer.where ?? []).map((condition) => ({
    ...condition,
    value: condition.value ?? "",
    column: toColumn(condition.column) ?? "",
  }));
  const order =
    answer.order === undefined
      ? null
      : { column: toColumn(answer.order.column) ?? "", direction: answer.order.direction };
  return {
    kind: "mapping",
    offer,
    mapping: { set: offer.set, columns, where, order, limit: answer.limit?.count ?? null },
  };
}

/** Whether a set of another page is more of the same. */
export function continues(mapping: Mapping, set: RecordSet): boolean {
  const { kind, place, columns, name } = mapping.set;
  if (set.kind !== kind || set.place !== place) return false;
  if (kind === "table") return JSON.stringify(set.columns) === JSON.stringify(columns);
  const mapped = [...mapping.columns.values()];
  const there = mapped.filter((column) => set.columns.includes(column)).length;
  // Columns of cards come and go with what the cards say; the name of a list may number the page.
  return maskNumbers(set.name) === maskNumbers(name) && there * 2 > mapped.length;
}

function findUnasked({ where = [], order, limit }: AnsweredRecords, offer: OfferedRecords, task: Task): string | null {
  for (const condition of where) {
    const reason = findProblem(condition, offer, task);
    if (reason !== null) return reason;
  }
  if (order !== undefined && !offer.columns.has(order.column)) return `${offer.id} has no column "${order.column}"`;
  if (order !== undefined && !isAskedFor(order.asked, task)) return unasked("order", order.asked);
  if (limit === undefined) return null;
  const isNamed = limit.count === 1 || namesNumber(limit.asked, limit.count);
  return isNamed && isAskedFor(limit.asked, task) ? null : unasked(`limit of ${limit.count}`, limit.asked);
}

function findProblem(condition: AnsweredCondition, offer: OfferedRecords, task: Task): string | null {
  const { column, is, value = "", asked } = condition;
  const title = offer.columns.get(column);
  if (title === undefined) return `${offer.id} has no column "${column}"`;
  if (value.trim() === "" && !NEEDS_VALUE.has(is)) return `the condition on ${column} compares with nothing`;
  if (!isAskedFor(asked, task)) return unasked("condition", asked);
  return isSaid(condition, value, offer, title) ? null : `"${asked}" does not say "${value}"`;
}

/** The task names what is compared with; a word may also be one that the column itself has for it. */
function isSaid({ is, asked }: AnsweredCondition, value: string, { set }: OfferedRecords, column: string): boolean {
  switch (is) {
    case "is_true":
    case "is_false":
      return true;
    case "before":
    case "after":
      return parseDate(value) !== null && (RELATIVE.test(asked) || /\d/.test(asked));
    case "below":
    case "at_most":
    case "above":
    case "at_least": {
      const number = readNumberOf(value);
      return number !== null && (namesNumber(asked, number) || readNumberOf(asked) === number);
    }
    default:
      return fold(asked).includes(fold(value)) || set.rows.some(({ cells }) => says(cells.get(column)?.whole, value));
  }
}

function says(text: string | undefined, value: string): boolean {
  return text !== undefined && fold(text).includes(fold(value));
}

function unasked(what: string, asked: string): string {
  return `the task does not ask for the ${what}: "${asked.slice(0, 80)}" are not its words`;
}

function refuse(reason: string): MappingReading {
  return { kind: "refused", reason };
}

function maskNumbers(text: string): string {
  return text.replace(/\d+/g, "#");
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
