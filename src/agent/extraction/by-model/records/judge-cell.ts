import type { Cell } from "../../records/record-set.ts";
import { readQuantity } from "../../units/read-quantity.ts";
import { type Amount, parseAmount } from "../../values/amount.ts";
import { parseBoolean } from "../../values/boolean.ts";
import { isSameCurrency } from "../../values/currency.ts";
import { type DayOrder, parseDate } from "../../values/date.ts";
import type { Comparison } from "../answer.ts";

/** A condition on one column, as code applies it. */
export interface CellCondition {
  readonly column: string;
  readonly is: Comparison;
  readonly value: string;
  readonly order: DayOrder | null;
}

/** Null when the cell does not say: what is not known to be under €20 is not known to be over it either. */
export function judgeCell(cell: Cell | undefined, { is, value, order }: CellCondition): boolean | null {
  if (cell === undefined || (cell.text === "" && cell.whole === "")) return null;
  switch (is) {
    case "is_true":
    case "is_false": {
      const answer = parseBoolean(cell.text) ?? parseBoolean(cell.quote);
      return answer === null ? null : answer === (is === "is_true");
    }
    case "before":
    case "after":
      return compareDays(cell, value, order, (day, bound) => (is === "before" ? day <= bound : day >= bound));
    case "below":
    case "at_most":
    case "above":
    case "at_least":
      return compareAmounts(cell, value, is);
    default:
      return compareTexts(cell, value, is);
  }
}

export function readNumberOf(text: string): number | null {
  return readQuantity(text, null)[0] ?? null;
}

function compareDays(
  { text }: Cell,
  value: string,
  order: DayOrder | null,
  holds: (day: string, bound: string) => boolean,
): boolean | null {
  const [day, bound] = [parseDate(text, order)?.day, parseDate(value)?.day];
  return day === undefined || bound === undefined ? null : holds(day, bound);
}

function compareAmounts({ text }: Cell, value: string, is: Comparison): boolean | null {
  const [amount, bound] = [readNumberOf(text), readNumberOf(value)];
  if (amount === null || bound === null || !isSameMoney(parseAmount(text), parseAmount(value))) return null;
  if (amount === bound) return is === "at_most" || is === "at_least";
  return amount < bound === (is === "below" || is === "at_most");
}

function isSameMoney(one: Amount | null, other: Amount | null): boolean {
  if (one?.currency == null || other?.currency == null) return true;
  return isSameCurrency(one.currency, other.currency);
}

function compareTexts({ text, whole }: Cell, value: string, is: Comparison): boolean | null {
  const [own, all, wanted] = [fold(text), fold(whole), fold(value)];
  if (wanted === "") return null;
  switch (is) {
    case "contains":
      return own.includes(wanted) || all.includes(wanted);
    case "starts_with":
      return own.startsWith(wanted);
    case "ends_with":
      return own.endsWith(wanted);
    default: {
      const isEqual = own === wanted || all === wanted || isSameNumber(text, value);
      return is === "equals" ? isEqual : !isEqual;
    }
  }
}

function isSameNumber(text: string, value: string): boolean {
  const number = readNumberOf(text);
  return number !== null && /\d/.test(value) && parseAmount(text)?.quote === text && number === readNumberOf(value);
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
