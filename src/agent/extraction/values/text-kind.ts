import { parseAmount, parseAmounts } from "./amount.ts";
import { parseBoolean } from "./boolean.ts";
import { findDates } from "./date.ts";

/** What a short text without a label says by its form alone. */
export type TextKind = "price" | "rating" | "date" | "availability" | "text";

const RATING = /(?:★|⭐|\bstars?\b|\brated\b|\d\s*(?:out of|\/)\s*(?:5|10)\b)/i;
const STOCK = /\b(?:in stock|out of stock|sold out|unavailable|not available|available|left)\b/i;
const MAX_WORDS_AROUND = 4;

export function kindOfText(text: string): TextKind {
  if (text.length > 80) return "text";
  if (RATING.test(text) && parseAmounts(text).length > 0) return "rating";
  if (STOCK.test(text) && parseBoolean(text) !== null) return "availability";
  const dates = findDates(text);
  const [date] = dates;
  if (date !== undefined) return dates.length === 1 && isMostly(text, date.quote) ? "date" : "text";
  const amount = parseAmount(text);
  if (amount !== null && amount.currency !== null && isMostly(text, amount.quote)) return "price";
  return "text";
}

function isMostly(text: string, quote: string): boolean {
  return text.replace(quote, " ").split(/\s+/).filter(Boolean).length <= MAX_WORDS_AROUND;
}
