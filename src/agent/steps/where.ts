import { compareCell, isDay, isSameText, stemUnit } from "../extraction/compare-cells.ts";
import type { RecordSet, Row } from "../extraction/record-set.ts";
import { type Amount, parseAmount } from "../grounding/amounts.ts";
import { type DayOrder, findDates, findDayOrder, parseDate } from "../grounding/dates.ts";
import { fold, stemNoun } from "../grounding/names.ts";
import { kindOfText, parseBoolean } from "../grounding/short-texts.ts";
import { readQuantity } from "../grounding/units.ts";
import { findColumn } from "./lists.ts";
import { describeValue, quoteNames, shorten } from "./names.ts";
import { isOtherAmount, isOtherDay } from "./other-values.ts";
import { Stop } from "./run.ts";
import { isStatusOf } from "./states.ts";
import { AMOUNT_TESTS, type CollectStep, type Comparison } from "./step.ts";

/**
 * Keeps the rows for which every comparison is certain. One row that cannot be compared makes the whole list unknown.
 * `columns` are those that the rows were chosen by, where an empty cell would leave it open.
 */
export function filterRows(
  set: RecordSet,
  where: readonly Comparison[],
): { rows: readonly Row[]; columns: readonly string[] } {
  let rows: readonly Row[] = set.rows;
  const columns: string[] = [];
  for (const comparison of where) {
    const column = chooseColumn(set, comparison);
    const textOf = (row: Row) => textIn(row, column);
    const texts = set.rows.map(textOf);
    const order = findDayOrder(texts);
    const verdicts = new Map(set.rows.map((row) => [row, compareAll(textOf(row), comparison, order)]));
    const unclear = rows.find((row) => verdicts.get(row) === null);
    if (unclear !== undefined) {
      const said = textOf(unclear) === "" ? "nothing" : `"${shorten(textOf(unclear), 60)}"`;
      const wanted = describeWanted(comparison);
      throw unknown(`One row says ${said} in the column "${column}", which cannot be compared with ${wanted}.`);
    }
    demandOneKind(texts, column, comparison);
    const kept = rows.filter((row) => verdicts.get(row) === true);
    const isSaid = verdicts.values().some((verdict) => verdict === true);
    if (isUnknownWord(comparison) && kept.length === 0 && rows.length > 0 && !isSaid) {
      const word = shorten(String(comparison.is));
      throw unknown(`No row of the ${texts.length} says "${word}". The site may use another word for it.`);
    }
    rows = kept;
    if (compareAll("", comparison, order) === null) columns.push(column);
  }
  return { rows, columns };
}

/** Nobody can say which rows are meant. */
function unknown(reason: string): Stop {
  return new Stop("goal_unreachable", "UNKNOWN_ROWS", reason);
}

/** A word, which the site may say in another way, and not a number or a date. */
function isUnknownWord({ is }: Comparison): boolean {
  return typeof is === "string" && parseAmount(is) === null && findDates(is).length === 0;
}

/** A number without a currency cannot be compared with several of them. The same for units. */
function demandOneKind(texts: readonly string[], column: string, comparison: Comparison): void {
  const wanted = AMOUNT_TESTS.flatMap((test) => {
    const value = comparison[test];
    return value === undefined || isDay(value) ? [] : [parseAmount(String(value))];
  });
  const amounts = texts.map(parseAmount).filter((amount) => amount !== null);
  const isBare = (key: "currency" | "unit") => wanted.some((amount) => amount !== null && amount[key] === null);
  if (isBare("currency") && countKinds(amounts, "currency") > 1)
    throw unknown(`The column "${column}" has amounts in several currencies. Say which one is meant.`);
  if (isBare("unit") && countKinds(amounts, "unit") > 1)
    throw unknown(`The column "${column}" has numbers in several units. Say which one is meant.`);
  const unlike = wanted.length === 0 ? null : findUnlike(texts);
  if (unlike !== null) throw unknown(`In the column "${column}", ${unlike} cannot be compared.`);
}

/** Nothing is the same in every unit. */
function countKinds(amounts: readonly Amount[], key: "currency" | "unit"): number {
  const kinds = amounts.filter(({ value }) => value !== 0).map((amount) => amount[key] ?? "");
  return new Set(kinds.map(stemUnit)).size;
}

function textIn({ cells }: Row, column: string): string {
  return cells.get(column)?.text ?? "";
}

/** The named column; without a name, the only one whose cells are of the kind that is compared, or that has the value. */
function chooseColumn(set: RecordSet, comparison: Comparison): string {
  const { column: name } = comparison;
  const shown = quoteNames(set.columns);
  if (name !== undefined) {
    const title = /^(?:name|title)$/i.test(name) ? set.titleColumn : null;
    const column = findColumn(set.columns, name) ?? title ?? columnOfKind(set, name);
    if (column !== null) return column;
    throw unknown(`The list has no single column "${shorten(name)}". It has: ${shown}.`);
  }
  const fitting = columnsWith(set, (text) => suits(text, comparison));
  const [first, ...others] = fitting;
  const wanted = describeWanted(comparison);
  if (first !== undefined && others.length === 0) {
    if (!isOfOther(first, set, comparison)) return first;
    throw unknown(`Only the column "${first}" can be compared with ${wanted}. Name it if it is meant.`);
  }
  throw unknown(
    first === undefined
      ? `No column can be compared with ${wanted}. The list has: ${shown}.`
      : `Several columns can be compared with ${wanted}: ${quoteNames(fitting)}. Name one.`,
  );
}

const SWITCHED = /^(?:on|off|(?:en|dis)abled|(?:in)?active)$/i;
/** Names for what a list does not name. */
const UNNAMED = /^(?:column|text|availability)(?: \d+)?$/i;

/** By its name, the only fitting column is about something else: "Shipping" of an amount, "Two-factor" of active users. */
function isOfOther(column: string, { name, titleColumn }: RecordSet, comparison: Comparison): boolean {
  const [value = ""] = valuesOf(comparison);
  if (isDay(value)) return isOtherDay(column);
  if (isMoney(value)) return isOtherAmount(column);
  const word = String(value);
  if (!SWITCHED.test(word) || UNNAMED.test(column) || stemNoun(column) === stemNoun(word)) return false;
  return !isStatusOf(column, word, [name, titleColumn ?? ""]);
}

/** "price" where no column has the name: the only column that holds money. The same for dates, ratings and stock. */
function columnOfKind(set: RecordSet, name: string): string | null {
  const kind = KINDS.get(name.toLowerCase());
  const [only, ...others] = kind === undefined ? [] : columnsWith(set, kind.holds);
  return only === undefined || others.length > 0 || kind?.isOther(only) === true ? null : only;
}

function columnsWith({ columns, rows }: RecordSet, isMeant: Kind["holds"]): string[] {
  return columns.filter((column) => rows.some((row) => isMeant(textIn(row, column), column)));
}

interface Kind {
  holds(text: string, column: string): boolean;
  /** By its name, the column is about something else. */
  isOther(column: string): boolean;
}

const KINDS = new Map<string, Kind>([
  // A line with a day as well, "Placed: 2 May · Total: €32", is not a price.
  [
    "price",
    { holds: (text) => parseAmount(text)?.currency != null && findDates(text).length === 0, isOther: isOtherAmount },
  ],
  ["date", { holds: (text) => findDates(text).length === 1, isOther: isOtherDay }],
  // "Vegan: Yes" says nothing about the stock.
  ["in stock", { holds: isStock, isOther: () => false }],
]);

function isStock(text: string, column: string): boolean {
  return kindOfText(text) === "availability" || (/\b(?:stock|availab)/i.test(column) && parseBoolean(text) !== null);
}

function suits(text: string, comparison: Comparison): boolean {
  const value = valuesOf(comparison)[0];
  if (value === undefined || text === "") return false;
  if (isDay(value)) return findDates(text).length === 1;
  if ((comparison.is !== undefined || comparison.is_not !== undefined) && !isMoney(value))
    return typeof value === "boolean" ? parseBoolean(text) !== null : isSameText(text, String(value)) !== false;
  if (comparison.contains !== undefined || comparison.does_not_contain !== undefined)
    return fold(text).includes(fold(String(value)));
  const wanted = typeof value === "number" ? null : parseAmount(String(value));
  const amount = parseAmount(text);
  if (amount === null || findDates(text).length > 0) return false;
  return wanted?.currency == null || amount.currency !== null;
}

function valuesOf({ column: _column, ...comparison }: Comparison) {
  return Object.values(comparison).filter((value) => value !== undefined);
}

function describeWanted(comparison: Comparison): string {
  return valuesOf(comparison).map(describeValue).join(" and ");
}

/** Null: the cell does not say. */
function compareAll(text: string, { column: _column, ...tests }: Comparison, order: DayOrder | null): boolean | null {
  const verdicts = Object.entries(tests).map(([test, value]) =>
    value === undefined ? true : compareOne(text, test, value, order),
  );
  if (verdicts.includes(false)) return false;
  return verdicts.includes(null) ? null : true;
}

/** "EUR 9" is "€9.00", which are not the same words. Of "2000 g" beside "2 kg", and of "2" beside "2 kg", nobody can say it. */
function compareOne(text: string, test: string, value: string | number | boolean, order: DayOrder | null) {
  if (test !== "is" && test !== "is_not") return compareCell(text, test, value, order);
  if (isMeasure(value)) {
    const verdicts = ["at_least", "at_most"].map((bound) => compareCell(text, bound, value, order));
    return verdicts.includes(null) ? null : verdicts.every((verdict) => verdict === true) === (test === "is");
  }
  const verdict = compareCell(text, test, value, order);
  const [said, wanted] = [parseAmount(text), typeof value === "boolean" ? null : parseAmount(String(value))];
  const isBare = wanted?.quote === String(value) && said !== null && said.unit !== null && said.value === wanted.value;
  return isBare && verdict === (test === "is_not") ? null : verdict;
}

function isMoney(value: string | number | boolean): boolean {
  return isMeasure(value) && parseAmount(String(value))?.currency != null;
}

/** An amount and nothing else, with its currency or unit. */
function isMeasure(value: string | number | boolean): boolean {
  const amount = typeof value === "string" ? parseAmount(value) : null;
  return amount !== null && amount.quote === value && (amount.currency !== null || amount.unit !== null);
}

/** The column that a list is ordered by; null when it is not clear which. */
export function findOrderColumn(set: RecordSet, by: string): string | null {
  return findColumn(set.columns, by) ?? columnOfKind(set, by);
}

/** The rows in order, and how many share the first place. A cell that cannot be compared makes the order unknown. */
export function orderRows(
  set: RecordSet,
  rows: readonly Row[],
  { by, direction }: NonNullable<CollectStep["order"]>,
): { rows: readonly Row[]; ties: number } {
  const column = findOrderColumn(set, by);
  if (column === null)
    throw unknown(`The list has no single column for "${shorten(by)}". It has: ${quoteNames(set.columns)}.`);
  const values = readComparable(
    rows.map((row) => textIn(row, column)),
    column,
  );
  const sign = direction === "ascending" ? 1 : -1;
  const sortBy = (keys: readonly number[]) =>
    keys.map((_, index) => index).sort((one, other) => sign * ((keys[one] ?? 0) - (keys[other] ?? 0)));
  const [indexes, others] = [sortBy(values.map(([value]) => value)), sortBy(values.map(([, other]) => other))];
  if (indexes.join() !== others.join())
    throw unknown(`Numbers of the column "${column}" can be read in two ways, such as 1.299.`);
  const ties = values.filter(([value]) => value === values[indexes[0] ?? 0]?.[0]).length;
  return { rows: indexes.map((index) => rows[index] as Row), ties };
}

/** What an amount is of, beside its currency and unit: with or without tax, for how many, how long, on which scale. */
const TERMS: readonly RegExp[] = [
  /\b(?:incl?|including|with)\b\.?\s*(?:vat|tax|gst|mwst|btw)|\bgross\b/i,
  /(?:\b(?:excl?|excluding|without|plus|before)\b\.?|\+)\s*(?:vat|tax|gst|mwst|btw)|\bnet\b/i,
  /\b\d+\s*(?:for|x|×)\s*(?=\p{Sc}|\d)|\bfor \d+\b/iu,
  /(?:\/|\bper\b|\ba\b)\s*\p{L}+|\beach\b/iu,
  /(?:out of|of|\/)\s*(?:5|10|100)\b/i,
  /\b(?:from|starting|up to|was|now|rrp|save)\b/i,
];

/** Two texts whose amounts mean different things: "€10 incl. VAT" and "€9 excl. VAT", "9/10" and "4.6". Null when none do. */
function findUnlike(texts: readonly string[]): string | null {
  const termsOf = (text: string) =>
    [isInBrackets(text), ...TERMS.map((term) => fold(term.exec(text)?.[0] ?? "").replace(/\s+/g, ""))].join("|");
  const said = texts.filter((text) => /\d/.test(text));
  const [first] = said;
  const other = said.find((text) => termsOf(text) !== termsOf(first ?? ""));
  return first === undefined || other === undefined ? null : `"${shorten(other, 40)}" beside "${shorten(first, 40)}"`;
}

/** "(12)" may be minus 12 beside numbers that are not in brackets. */
function isInBrackets(text: string): boolean {
  return /^\([^()]*\)$/.test(text.trim()) && (parseAmount(text)?.value ?? 0) > 0;
}

/** Each text as a number, in both ways that it can be read: all as dates, or all as amounts of one kind. */
function readComparable(texts: readonly string[], column: string): (readonly [number, number])[] {
  const refuse = (what: string) => unknown(`In the column "${column}", ${what} cannot be compared with the others.`);
  const order = findDayOrder(texts);
  const hasDates = texts.some((text) => parseDate(text, order) !== null);
  const mixed = !hasDates ? undefined : texts.find((text) => parseAmount(text)?.currency != null);
  if (mixed !== undefined) throw refuse(`"${shorten(mixed, 60)}", which may be meant as a day or as an amount,`);
  if (!hasDates) {
    const amounts = texts.map(parseAmount).filter((amount) => amount !== null);
    if (countKinds(amounts, "currency") > 1) throw refuse("an amount in another currency");
    if (countKinds(amounts, "unit") > 1) throw refuse("a number in another unit");
    const unlike = findUnlike(texts);
    if (unlike !== null) throw refuse(unlike);
  }
  return texts.map((text) => {
    const [value, other = value] = hasDates ? toMoment(text, order) : readQuantity(text, null);
    if (value === undefined || other === undefined)
      throw refuse(text === "" ? "an empty cell" : `"${shorten(text, 60)}"`);
    return [value, other];
  });
}

function toMoment(text: string, order: DayOrder | null): number[] {
  const date = parseDate(text, order);
  return date === null ? [] : [Date.parse(`${date.day}T${date.time ?? "00:00:00"}${date.offset ?? "Z"}`)];
}
