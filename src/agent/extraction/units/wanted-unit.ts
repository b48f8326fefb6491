import { toCurrency } from "../values/currency.ts";
import { findUnit, type Unit } from "./unit.ts";

/** The unit that a property or a column asks its numbers to be in; null where it says none. */
export type WantedUnit =
  | { readonly kind: "unit"; readonly unit: Unit }
  | { readonly kind: "currency"; readonly currency: string }
  | null;

const IN = /\b(?:in|as)\s+(?:(?:an?|the|whole|integer|full)\s+|number of\s+)*(minor units|[\p{L}%¢]+)(?![\p{L}-])/giu;
const BRACKETED = /[([]\s*(?:in\s+)?([\p{L}%¢€£$]+)\s*[)\]]\s*$/u;
const CURRENCIES: Readonly<Record<string, string>> = { euro: "EUR", euros: "EUR", dollars: "$", yen: "JPY" };
/** Short ones are words of their own more often than units: "check_in", "price_min", "plan_b". */
const UNCLEAR: ReadonlySet<string> = new Set(["p", "ratio", "second", "min", "day"]);

/** "price_cents", "weightKg", "Weight (kg)"; and "the price, in cents" as a description. */
export function findWantedUnit(name: string, description = ""): WantedUnit {
  const bracketed = BRACKETED.exec(name)?.[1];
  const words = splitName(name);
  const last = words.length > 1 ? words.at(-1) : undefined;
  const candidates = [bracketed, last !== undefined && !UNCLEAR.has(last) ? last : undefined];
  for (const match of description.slice(0, 1_000).matchAll(IN)) candidates.push(match[1]);
  for (const candidate of candidates) {
    const wanted = candidate === undefined ? null : toWanted(candidate);
    if (wanted !== null) return wanted;
  }
  return null;
}

function splitName(name: string): string[] {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}%¢]+/u)
    .filter(Boolean);
}

function toWanted(word: string): WantedUnit {
  const lower = word.toLowerCase();
  const unit = lower === "minor units" ? findUnit("cents") : findUnit(lower);
  if (unit !== null) return { kind: "unit", unit };
  const currency = CURRENCIES[lower] ?? (lower.length <= 3 ? toCurrency(word.toUpperCase()) : null);
  return currency === null ? null : { kind: "currency", currency };
}
