import { type Amount, CURRENCY_BEHIND, isSameCurrency, parseAmount, roundNoise, toCurrency } from "./amounts.ts";

/** What a number counts. Numbers of one dimension can be converted into each other. */
export interface Unit {
  readonly dimension: "money" | "ratio" | "count" | "mass" | "length" | "time" | "calendar" | "data" | "volume";
  /** How many of the dimension's base it is. */
  readonly factor: number;
}

const UNITS = new Map<string, Unit>(
  [
    ["money 0.01", "cents cent pence ¢ p"],
    ["ratio 0.01", "% percent pct percentage"],
    ["ratio 0.001", "‰"],
    ["ratio 1", "fraction ratio"],
    ["count 1e3", "thousand thousands"],
    ["count 1e6", "million millions mio mn"],
    ["count 1e9", "billion billions bn"],
    ["mass 1e-6", "mg milligram milligrams"],
    ["mass 1e-3", "g gram grams"],
    ["mass 1", "kg kilo kilos kilogram kilograms"],
    ["mass 1e3", "tonne tonnes"],
    ["mass 0.45359237", "lb lbs"],
    ["mass 0.028349523125", "oz ounce ounces"],
    ["length 1e-3", "mm millimeter millimeters millimetre millimetres"],
    ["length 1e-2", "cm centimeter centimeters centimetre centimetres"],
    ["length 1", "m meter meters metre metres"],
    ["length 1e3", "km kilometer kilometers kilometre kilometres"],
    ["length 0.0254", "inch inches"],
    ["length 0.3048", "ft foot feet"],
    ["length 1609.344", "mi mile miles"],
    ["time 1e-3", "ms millisecond milliseconds"],
    ["time 1", "s sec secs second seconds"],
    ["time 60", "min mins minute minutes"],
    ["time 3600", "h hr hrs hour hours"],
    ["time 86400", "day days"],
    ["time 604800", "week weeks"],
    // A month has no fixed number of days.
    ["calendar 1", "month months"],
    ["calendar 12", "year years"],
    ["data 1", "byte bytes"],
    ["data 1024", "kib"],
    ["data 1048576", "mib"],
    ["data 1073741824", "gib"],
    ["data 1099511627776", "tib"],
    ["data 1e3", "kb kilobyte kilobytes"],
    ["data 1e6", "mb megabyte megabytes"],
    ["data 1e9", "gb gigabyte gigabytes"],
    ["data 1e12", "tb terabyte terabytes"],
    ["volume 1e-3", "ml milliliter milliliters millilitre millilitres"],
    ["volume 1e-2", "cl"],
    ["volume 1", "l liter liters litre litres"],
  ].flatMap(([about = "", words = ""]) => {
    const [dimension = "", factor = ""] = about.split(" ");
    const unit = { dimension: dimension as Unit["dimension"], factor: Number(factor) };
    return words.split(" ").map((word) => [word, unit] as const);
  }),
);

export function findUnit(word: string): Unit | null {
  return UNITS.get(word.toLowerCase()) ?? null;
}

/** The unit that the name of a property or a column asks for; null where it names none. */
export type WantedUnit =
  | { readonly kind: "unit"; readonly unit: Unit }
  | { readonly kind: "currency"; readonly currency: string }
  | null;

const IN = /\b(?:in|as)\s+(?:(?:an?|the|whole|integer|full)\s+|number of\s+)*(minor units|[\p{L}%¢]+)(?![\p{L}-])/giu;
const BRACKETED = /[([]\s*(?:in\s+)?([\p{L}%¢€£$]+)\s*[)\]]\s*$/u;
const CURRENCIES: Readonly<Record<string, string>> = { euro: "EUR", euros: "EUR", dollars: "$", yen: "JPY" };
/** More often words of their own than units: "check_in", "price_min", "plan_b". */
const UNCLEAR: ReadonlySet<string> = new Set(["p", "ratio", "second", "min", "day", "month", "year"]);

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
 * The number that a text states, in the wanted unit; two numbers where its digits can be read in two ways, none where the
 * text states no number or states it in another dimension. `label` is the text's own label and may name a unit: "Weight (kg)".
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
  // A bare "12" may be euros or cents; "12.50" cannot be cents.
  if (unit.dimension === "money") return Number.isInteger(value) ? [] : [value / unit.factor];
  return [value];
}

/** "3.2 million" and "3,200,000" are both 3.2 in millions; so is "3.2" under a heading that says millions. */
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

/** What parseAmount has not multiplied by yet: words, and letters after money. */
function readFactor(text: string, { end, currency }: Amount): number {
  const behind = text.slice(end);
  const isCurrencyBefore = currency !== null && !CURRENCY_BEHIND.test(behind);
  const word = LONG_FACTOR.exec(behind)?.[1] ?? (isCurrencyBefore ? SHORT_FACTOR.exec(behind)?.[1] : undefined);
  return word === undefined ? 1 : (FACTORS[word.toLowerCase()] ?? 1);
}
