import type { Check } from "../../errand.ts";
import { parseRowFilter } from "../../extraction/filters/parse-row-filter.ts";
import type { RowFilter } from "../../extraction/filters/row-filter.ts";
import { isSameCurrency } from "../../extraction/values/currency.ts";
import type { Case } from "./case.ts";
import { findListItems, findProperty, type ItemValue } from "./list-items.ts";

const UNIT = "(?:[€£$%]|(?!(?:and|or|in|on|from|with|that|which|by)\\b)[A-Za-z]{1,8}\\b)";
const AMOUNT = `(?:[€£$]\\s?\\d[\\d.,]*|\\d[\\d.,]*(?:\\s?${UNIT})?)`;
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
  const [before, after] = [task.prompt.slice(0, only.index), task.prompt.slice(only.index + only[0].length)];
  if (filter?.kind !== "amount" || NEGATED.test(before) || isOfSomethingElse(after)) return [];
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

/** "Find a hotel under €100 and list its rooms": then the list is not of what is bounded. */
function isOfSomethingElse(after: string): boolean {
  const asks = /\b(?:list|give|tell|show|extract|return|get|report|open|click)\b/i.test(after);
  return asks && !/\b(?:them|their|those|these|they)\b/i.test(after);
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
