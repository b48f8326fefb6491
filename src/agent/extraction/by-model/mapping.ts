import { parseAmount, parseAmounts } from "../../grounding/amounts.ts";
import type { Task } from "../../grounding/claim.ts";
import { type DayOrder, parseDate } from "../../grounding/dates.ts";
import { parseNumberWord } from "../../grounding/english-words.ts";
import { fold } from "../../grounding/names.ts";
import { findOccurrences } from "../../grounding/quotes.ts";
import { readQuantity } from "../../grounding/units.ts";
import { compareCell } from "../compare-cells.ts";
import type { Cell, RecordSet } from "../record-set.ts";
import type { ValueSlot } from "./form.ts";
import type { AnsweredCondition, AnsweredRecords, Comparison } from "./page-answer.ts";
import type { OfferedRecords } from "./read-page.ts";

/** Which columns of some records have which values, and which rows are meant. It works on the next page too. */
export interface Mapping {
  readonly set: Pick<RecordSet, "kind" | "name" | "region" | "columns">;
  /** Columns by the id of the value slot. */
  readonly columns: ReadonlyMap<string, string>;
  readonly where: readonly (Omit<AnsweredCondition, "value"> & { readonly value: string })[];
  readonly order: { readonly column: string; readonly direction: "ascending" | "descending" } | null;
  readonly limit: number | null;
}

type MappingReading =
  | { readonly kind: "mapping"; readonly mapping: Mapping; readonly offer: OfferedRecords }
  | { readonly kind: "refused"; readonly reason: string };

const RELATIVE =
  /\b(?:today|yesterday|tomorrow|now|ago|since|until|last|this|next|past|recent\w*|week|month|year|day)s?\b/i;
const NEEDS_VALUE: ReadonlySet<string> = new Set(["is_true", "is_false"]);

/** Columns and records must exist, and rows may only be left out where the task's own words say so. */
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
    if (!slots.some(({ id }) => id === leaf)) return refuse(`"${leaf}" is not a value of "${answer.target}"`);
    if (title === null) return refuse(`${offer.id} has no column "${column}"`);
    columns.set(leaf, title);
  }
  if (columns.size === 0) return refuse(`no column of ${offer.id} is given`);
  const reason = findUnrequested(answer, offer, task);
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

/** Whether a set of another page continues this one. */
export function continues(mapping: Mapping, set: RecordSet): boolean {
  const { kind, region, columns, name } = mapping.set;
  if (set.kind !== kind || set.region !== region) return false;
  if (kind === "table") return JSON.stringify(set.columns) === JSON.stringify(columns);
  const mapped = [...mapping.columns.values()];
  const there = mapped.filter((column) => set.columns.includes(column)).length;
  // The columns of cards vary from page to page, and the name of a list may contain the page number.
  return maskNumbers(set.name) === maskNumbers(name) && there * 2 > mapped.length;
}

function findUnrequested(
  { where = [], order, limit }: AnsweredRecords,
  offer: OfferedRecords,
  task: Task,
): string | null {
  for (const condition of where) {
    const reason = findProblem(condition, offer, task);
    if (reason !== null) return reason;
  }
  if (order !== undefined && !offer.columns.has(order.column)) return `${offer.id} has no column "${order.column}"`;
  if (order !== undefined && !isInTask(order.asked, task)) return notInTask("order", order.asked);
  if (limit === undefined) return null;
  const isNamed = limit.count === 1 || namesNumber(limit.asked, limit.count);
  return isNamed && isInTask(limit.asked, task) ? null : notInTask(`limit of ${limit.count}`, limit.asked);
}

function findProblem(condition: AnsweredCondition, offer: OfferedRecords, task: Task): string | null {
  const { column, is, value = "", asked } = condition;
  const title = offer.columns.get(column);
  if (title === undefined) return `${offer.id} has no column "${column}"`;
  if (value.trim() === "" && !NEEDS_VALUE.has(is)) return `the condition on ${column} compares with nothing`;
  if (!isInTask(asked, task)) return notInTask("condition", asked);
  return isSaid(condition, value, offer, title) ? null : `"${asked}" does not say "${value}"`;
}

/** The task must name the value that is compared with. A word may also be one that the column uses for it. */
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

function notInTask(what: string, asked: string): string {
  return `the task does not ask for the ${what}: it does not contain "${asked.slice(0, 80)}"`;
}

function refuse(reason: string): MappingReading {
  return { kind: "refused", reason };
}

function maskNumbers(text: string): string {
  return text.replace(/\d+/g, "#");
}

/** The comparisons of a model, as code names them. Both days of a period belong to it. */
const TESTS: Readonly<Record<Exclude<Comparison, "is_true" | "is_false">, string>> = {
  equals: "is",
  differs: "is_not",
  contains: "contains",
  starts_with: "starts_with",
  ends_with: "ends_with",
  below: "less_than",
  at_most: "at_most",
  above: "more_than",
  at_least: "at_least",
  before: "to",
  after: "from",
};

/** Null when the cell does not say. */
export function evaluateCondition(
  cell: Cell | undefined,
  { is, value }: Pick<Mapping["where"][number], "is" | "value">,
  order: DayOrder | null,
): boolean | null {
  if (cell === undefined || (cell.text === "" && cell.whole === "")) return null;
  const { text, quote, whole } = cell;
  if (is === "is_true" || is === "is_false")
    return compareCell(text, "is", is === "is_true", order) ?? compareCell(quote, "is", is === "is_true", order);
  const said = compareCell(text, TESTS[is], value, order);
  // The text may be only the title of what the cell says.
  if (said === false && (is === "contains" || is === "equals")) return compareCell(whole, TESTS[is], value, order);
  return said === true && is === "differs" ? compareCell(whole, TESTS[is], value, order) : said;
}

export function readNumberOf(text: string): number | null {
  return readQuantity(text, null)[0] ?? null;
}

/** Whether the caller's own words ask for it: no page and no model may leave rows out on its own. */
function isInTask(words: string, { prompt, outputSchema }: Task): boolean {
  const said = `${prompt} ${stringsOf(outputSchema).join(" ")}`.replace(/\s+/g, " ");
  return /[\p{L}\p{N}]/u.test(words) && findOccurrences(said, words).length > 0;
}

/** Whether the words contain this number, in digits or as a word. */
function namesNumber(words: string, wanted: number): boolean {
  const inDigits = [parseAmount(words), ...parseAmounts(words)].some((amount) => amount?.value === wanted);
  const said = words.split(/[^\p{L}\d]+/u);
  return inDigits || said.some((word) => parseNumberWord(word) === wanted || word === String(wanted));
}

/** Every string in the schema. */
function stringsOf(schema: unknown): string[] {
  const strings: string[] = [];
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === "string") strings.push(part);
    else if (typeof part === "object" && part !== null) waiting.push(...Object.values(part));
  }
  return strings.toReversed();
}
