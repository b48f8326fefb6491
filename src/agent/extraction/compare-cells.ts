import { type Amount, isSameCurrency, parseAmount } from "../grounding/amounts.ts";
import { type DayOrder, parseDate } from "../grounding/dates.ts";
import { fold, stemNoun } from "../grounding/names.ts";
import { parseBoolean } from "../grounding/short-texts.ts";
import { readQuantity } from "../grounding/units.ts";

/** By whether the cell is less (-1), the same (0) or more (1). */
const ORDER_TESTS: Readonly<Record<string, (sign: number) => boolean>> = {
  before: (sign) => sign < 0,
  less_than: (sign) => sign < 0,
  to: (sign) => sign <= 0,
  at_most: (sign) => sign <= 0,
  after: (sign) => sign > 0,
  more_than: (sign) => sign > 0,
  from: (sign) => sign >= 0,
  at_least: (sign) => sign >= 0,
  is: (sign) => sign === 0,
  is_not: (sign) => sign !== 0,
};
const TEXT_TESTS: Readonly<Record<string, (said: string, wanted: string) => boolean>> = {
  contains: (said, wanted) => said.includes(wanted),
  does_not_contain: (said, wanted) => !said.includes(wanted),
  starts_with: (said, wanted) => said.startsWith(wanted),
  ends_with: (said, wanted) => said.endsWith(wanted),
};
const AMOUNT_TESTS = new Set(["less_than", "at_most", "more_than", "at_least"]);

/**
 * Whether the text of a cell passes a test: a number, an amount or a date is compared as such, anything else as words. Null
 * when the cell does not say: a price that is not known to be under €20 is not known to be over it either.
 */
export function compareCell(
  text: string,
  test: string,
  value: string | number | boolean,
  order: DayOrder | null,
): boolean | null {
  if (typeof value === "boolean") {
    const said = parseBoolean(text);
    return said === null ? null : (said === value) === (test === "is");
  }
  const isOrdered = ORDER_TESTS[test];
  if (isDay(value) && isOrdered !== undefined) {
    const day = parseDate(text, order)?.day ?? null;
    const wanted = parseDate(String(value))?.day ?? "";
    return day === null ? null : isOrdered(day < wanted ? -1 : Number(day > wanted));
  }
  if (AMOUNT_TESTS.has(test) && isOrdered !== undefined) return compareAmounts(text, isOrdered, value);
  return compareTexts(text, test, String(value));
}

function compareTexts(text: string, test: string, value: string): boolean | null {
  if (test === "is") return isSameText(text, value);
  if (test !== "is_not") return TEXT_TESTS[test]?.(fold(text), fold(value)) ?? null;
  const isSame = text === "" ? null : isSameText(text, value);
  return isSame === null ? null : !isSame;
}

/** A text that is a date and nothing else. */
export function isDay(value: string | number | boolean): boolean {
  return typeof value === "string" && parseDate(value)?.quote === value;
}

function compareAmounts(text: string, isOrdered: (sign: number) => boolean, value: string | number): boolean | null {
  const [amount, bound] = [parseAmount(text), parseAmount(String(value))];
  const wanted = typeof value === "number" ? value : readQuantity(value, null)[0];
  if (amount === null || bound === null || wanted === undefined || isOfAnotherKind(amount, bound)) return null;
  // "1.299" may be read in two ways: only what holds for both is certain.
  const [verdict, other = verdict] = readQuantity(text, null).map((read) => isOrdered(read - wanted));
  return verdict === other ? (verdict ?? null) : null;
}

/** Pounds are not compared with euros, nor grams with kilograms. */
function isOfAnotherKind(amount: Amount, { currency, unit }: Amount): boolean {
  if (amount.currency !== null && currency !== null && !isSameCurrency(amount.currency, currency)) return true;
  return amount.unit !== null && unit !== null && stemUnit(amount.unit) !== stemUnit(unit);
}

/** "%" and "¢" have no letters that could be compared. */
export function stemUnit(unit: string): string {
  return /\p{L}{2}/u.test(unit) ? stemNoun(unit) : unit;
}

const MARK = /^[✓✔☑✅✗✘☐❌✖]\s+/u;

/** "✓ Yes" says the same twice; "✗ Yes" does not. */
function withoutMark(text: string): string {
  const word = text.replace(MARK, "");
  return word !== text && parseBoolean(word) === parseBoolean(text) ? word : text;
}

/** The same words, or the same number: "12" is "12.00" and "€12". Null for a number that may be the same. */
export function isSameText(text: string, value: string): boolean | null {
  if (fold(text) === fold(value) || fold(withoutMark(text)) === fold(value)) return true;
  const [said, wanted] = [parseAmount(text), parseAmount(value)];
  const isNumber = said !== null && wanted !== null && /^[^\p{L}]*$/u.test(text) && /^[^\p{L}]*$/u.test(value);
  if (!isNumber || (said.currency !== wanted.currency && wanted.currency !== null)) return false;
  if (said.value === wanted.value) return true;
  return said.otherValue === wanted.value || wanted.otherValue === said.value ? null : false;
}
