import { type Amount, parseAmount } from "../values/amount.ts";
import { CURRENCY_BEHIND, isSameCurrency } from "../values/currency.ts";
import { findUnit, type Unit } from "./unit.ts";
import type { WantedUnit } from "./wanted-unit.ts";

/** Money may be shortened with a letter; elsewhere "m" is a metre. */
const SHORT_FACTOR = /^\s?(k|m|mn|mio|bn|b)(?![\p{L}\d])/iu;
const LONG_FACTOR = /^\s?(thousand|million|mio|billion|trillion)s?(?![\p{L}\d])/iu;
const FACTORS: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
  trillion: 1e12,
};

/**
 * The number that a text states, in the unit that is wanted; several where its digits can be read in two ways, none where
 * the text states none or states it in something else. `label` names the text and may say its unit: "Weight (kg)".
 */
export function readQuantity(text: string, wanted: WantedUnit, label: WantedUnit = null): number[] {
  const amount = parseAmount(text);
  if (amount === null) return [];
  const factor = readFactor(text, amount);
  const values = [amount.value, ...(amount.otherValue === null ? [] : [amount.otherValue])].map(
    (value) => value * factor,
  );
  return values.flatMap((value) => convert(value, amount, factor, wanted, label)).map(roundNoise);
}

function convert(value: number, amount: Amount, factor: number, wanted: WantedUnit, label: WantedUnit): number[] {
  if (wanted === null) return [value];
  if (wanted.kind === "currency") {
    return amount.currency === null || isSameCurrency(amount.currency, wanted.currency) ? [value] : [];
  }
  const { unit } = wanted;
  if (unit.dimension === "count") return [toMultiple(value, factor, unit, label)];
  const stated = findStatedUnit(amount, label);
  if (stated !== null) return stated.dimension === unit.dimension ? [(value * stated.factor) / unit.factor] : [];
  // A bare "12" may be euros or cents; "12.50" is no number of cents.
  if (unit.dimension === "money") return Number.isInteger(value) ? [] : [value / unit.factor];
  return [value];
}

/** "3.2 million" and "3,200,000" are both 3.2 in millions; so is "3.2" below a heading that says so. */
function toMultiple(value: number, factor: number, unit: Unit, label: WantedUnit): number {
  const isStated = factor === 1 && label?.kind === "unit" && label.unit.dimension === "count";
  if (isStated) return (value * label.unit.factor) / unit.factor;
  return factor > 1 || Math.abs(value) >= unit.factor ? value / unit.factor : value;
}

function findStatedUnit({ unit, currency }: Amount, label: WantedUnit): Unit | null {
  if (currency !== null) return { dimension: "money", factor: 1 };
  const own = unit === null ? null : findUnit(unit);
  if (own !== null) return own;
  if (label === null) return null;
  return label.kind === "unit" ? label.unit : { dimension: "money", factor: 1 };
}

/** What parseAmount has not multiplied by already: words, and letters behind money. */
function readFactor(text: string, { end, currency }: Amount): number {
  const behind = text.slice(end);
  const isCurrencyBefore = currency !== null && !CURRENCY_BEHIND.test(behind);
  const word = LONG_FACTOR.exec(behind)?.[1] ?? (isCurrencyBefore ? SHORT_FACTOR.exec(behind)?.[1] : undefined);
  return word === undefined ? 1 : (FACTORS[word.toLowerCase()] ?? 1);
}

function roundNoise(value: number): number {
  return Number(value.toPrecision(12));
}
