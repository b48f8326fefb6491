import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { parseAmount } from "./amounts.ts";
import { type DayOrder, findDates } from "./dates.ts";
import { isNegatedBy } from "./english-words.ts";
import { findQuote, foldText, indexOfWhole } from "./quotes.ts";
import { parseBoolean } from "./short-texts.ts";
import { readQuantity } from "./units.ts";

const NO_ORDERS: ReadonlySet<DayOrder> = new Set();

/**
 * Whether a quote states a value, without knowing what the value is for. `orders` are the day orders that the page is known
 * to use: without one, "03/04/2026" states no day. A URL is never stated by a text, only by a link.
 */
export function quoteStates(value: unknown, quote: string, orders: ReadonlySet<DayOrder> = NO_ORDERS): boolean {
  switch (typeof value) {
    case "number":
      return readQuantity(quote, null).includes(value);
    case "boolean":
      return parseBoolean(quote) === value || foldWords(quote) === String(value);
    case "string":
      return statesText(value, quote) || statesDay(value, quote, orders) || parseAmount(quote)?.currency === value;
    default:
      return false;
  }
}

/** The same for a fact: a number or a day may be written in another way, any other value must be in the quote. */
export function quoteStatesFact(
  value: string | number | boolean,
  quote: string,
  orders: ReadonlySet<DayOrder> = NO_ORDERS,
): boolean {
  if (typeof value !== "string") return quoteStates(value, quote, orders);
  if (findQuote(quote, value) !== null) return includesUnnegated(quote, value);
  const number = /^-?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : null;
  const isReadable = number !== null || !/\d/.test(value) || /^\d{4}-\d{2}-\d{2}/.test(value);
  return isReadable && quoteStates(number ?? value, quote, orders);
}

/** Whole words, not negated. Values of an enum are written differently: "on_its_way" for "On its way". */
function statesText(value: string, quote: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || value.trim() === "") return false;
  const [text, part] = [normalizeForms(quote), normalizeForms(value)];
  if (includesUnnegated(text, part)) return true;
  return /^\p{L}/u.test(part) && includesUnnegated(foldWords(text), foldWords(part));
}

function statesDay(value: string, quote: string, orders: ReadonlySet<DayOrder>): boolean {
  if (!/^\d{4}-\d{2}-\d{2}(?:T.+)?$/.test(value)) return false;
  const dates = [...findDates(quote), ...[...orders].flatMap((order) => findDates(quote, order))];
  return dates.some(({ day, time, offset }) => value === day || value === `${day}T${time}${offset}`);
}

/** "Shipped" is not what "Not shipped" says. */
function includesUnnegated(text: string, part: string): boolean {
  const [folded, wanted] = [foldText(text), foldText(collapseWhitespace(part))];
  for (let at = indexOfWhole(text, wanted, 0, folded); at !== -1; at = indexOfWhole(text, wanted, at + 1, folded)) {
    const before = /(\S+)\s$/.exec(text.slice(Math.max(0, at - 40), at))?.[1] ?? "";
    if (!isNegatedBy(before, part)) return true;
  }
  return false;
}

/** Compatibility forms are made plain ("１２", "ﬁ"), but not fractions and raised digits: "10²" is not 102. */
function normalizeForms(text: string): string {
  return text.replace(/\P{No}+/gu, (part) => part.normalize("NFKC"));
}

function foldWords(text: string): string {
  return collapseWhitespace(normalizeForms(text).toLowerCase().replace(/[_-]+/g, " "));
}
