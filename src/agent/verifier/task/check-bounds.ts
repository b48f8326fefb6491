import type { Check } from "../../errand.ts";
import { parseRowFilter } from "../../extraction/filters/parse-row-filter.ts";
import type { RowFilter } from "../../extraction/filters/row-filter.ts";
import { isSameCurrency } from "../../extraction/values/currency.ts";
import type { Case } from "./case.ts";
import { findListItems, findProperty, type ItemValue } from "./list-items.ts";

const AMOUNT = "(?:[€£$]\\s?)?\\d[\\d.,]*(?:\\s?(?:[€£$%]|[A-Za-z]{1,8}\\b))?";
const BOUND = new RegExp(
  `\\b(?:under|below|less than|cheaper than|at most|up to|over|above|more than|at least|between ${AMOUNT} and) ${AMOUNT}`,
  "gi",
);
const NEGATED = /\b(?:not|except|excluding|ignore|without|skip|no)\b[^.]{0,40}$/i;

type Amounts = Extract<RowFilter, { kind: "amount" }>;

/** A list that was asked for within bounds has nothing outside of them, where it is clear what they are about. */
export function checkBounds({ claim, task }: Case): Check[] {
  const matches = [...task.prompt.matchAll(BOUND)];
  const [only] = matches;
  const items = findListItems(claim);
  if (only === undefined || matches.length > 1 || items.length === 0) return [];
  const said = only[0].replace(/[.,]$/, "");
  const filter = parseRowFilter(said);
  if (filter?.kind !== "amount" || NEGATED.test(task.prompt.slice(0, only.index))) return [];
  const property =
    findProperty(items, (value) => isComparable(value, filter)) ??
    (filter.currency === null && filter.about === null
      ? findProperty(items, ({ value }) => typeof value === "number")
      : null);
  const outside =
    property === null ? undefined : items.find((item) => !isWithin(Number(item.get(property)?.value), filter));
  if (property === null || outside === undefined) return [];
  const evidence = `One has ${property || "the value"} ${String(outside.get(property)?.value)}.`;
  return [{ about: `Everything in the list is ${said}`, verdict: "contradicted", evidence }];
}

function isComparable({ amount }: ItemValue, { currency, about }: Amounts): boolean {
  if (amount === null) return false;
  if (currency !== null) return amount.currency !== null && isSameCurrency(currency, amount.currency);
  return about !== null && amount.unit === about;
}

function isWithin(value: number, { from, to }: Amounts): boolean {
  const isAbove = from === null || value > from.value || (from.isInclusive && value === from.value);
  return isAbove && (to === null || value < to.value || (to.isInclusive && value === to.value));
}
