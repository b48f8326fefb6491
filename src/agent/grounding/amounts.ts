import { findDates } from "./dates.ts";

/** A number as a page writes it. */
export interface Amount {
  readonly value: number;
  /** ISO code, or a sign that several currencies share ("$"). */
  readonly currency: string | null;
  /** "%", "kg", "stars", "items": the word behind the number, in lower case. */
  readonly unit: string | null;
  /** Word for word, with sign, currency and unit. */
  readonly quote: string;
  /** Where its digits end in the text. */
  readonly end: number;
  /** What "1.299" may mean as well: thousands are written with a dot by some, and decimals by others. */
  readonly otherValue: number | null;
}

const NUMBER = /\d{1,3}(?:[ \u00a0\u202f\u2009'’]\d{3})+(?:[.,]\d{1,2})?(?![\d.,]\d)|\d+(?:[.,]\d+)*/g;
const TIME = /\b\d{1,2}:\d{2}(?::\d{2})?\b/g;
/** Directly behind a number these are a unit; other letters make it a part of a name, such as "3D". */
const ATTACHED_UNIT =
  /^(?:%|°[CF]?|[kmcµ]?[gmlsWVΩ]|[KMGT]i?B|kWh?|mAh?|Hz|[kMG]Hz|lbs?|oz|ft|in|mi|h|hrs?|min|px|pt|x|bn?|[kKM])(?![A-Za-z0-9])/;
const MULTIPLIERS = new Map([
  ["k", 1e3],
  ["K", 1e3],
  ["M", 1e6],
  ["bn", 1e9],
  ["b", 1e9],
]);
const NO_UNIT = /^\s(?:out|of|with|and|or|to|for|from|in|on|at|per|each|incl|excl|plus|is|are|was)\b/i;
const FREE = /^(?:free|free of charge|gratis)$/i;
/** "4.5 out of 5", "4.5/5", "4.5 of 5 stars": the scale is no amount of its own. */
const ON_A_SCALE = /^\s*(?:out of|of|\/)\s*(?:5|10|100)\b/i;
const MAX_TEXT = 2_000;

/**
 * The one amount that a text states. Null when it states none, or several that differ; a single one with a currency
 * wins over bare numbers, one outside of brackets over others,
 * and a rating over its scale. "1.299" means 1299 with a currency and 1.299 without.
 */
export function parseAmount(text: string): Amount | null {
  if (FREE.test(text.trim())) {
    return { value: 0, currency: null, unit: null, quote: text.trim(), end: text.length, otherValue: null };
  }
  const amounts = parseAmounts(text);
  const [first] = amounts;
  if (first === undefined) return null;
  if (amounts.every(({ value, currency }) => value === first.value && currency === first.currency)) return first;
  const money = amounts.filter(({ currency }) => currency !== null);
  if (money.length === 1) return money[0] ?? null;
  if (money.length > 1) return null;
  const outside = amounts.filter(({ end }) => !/\([^()]*$/.test(text.slice(0, end)));
  if (outside.length === 1) return outside[0] ?? null;
  const rated = amounts.filter(({ end }) => ON_A_SCALE.test(text.slice(end)));
  return rated.length === 1 ? (rated[0] ?? null) : null;
}

/** Every amount in a text, in order. Dates, times and the digits of codes such as "T-10062" are none. */
export function parseAmounts(text: string): Amount[] {
  const blanked = blankOut(text.slice(0, MAX_TEXT));
  const amounts: Amount[] = [];
  for (const match of blanked.matchAll(NUMBER)) {
    amounts.push(...readNumbers(match[0], match.index, blanked));
  }
  return amounts;
}

/** Spaces keep every other position where it was. */
function blankOut(text: string): string {
  let blanked = text.replace(TIME, (time) => " ".repeat(time.length));
  for (const { quote } of findDates(text)) blanked = blanked.replace(quote, " ".repeat(quote.length));
  return blanked;
}

/** A space divides thousands only beside a currency or before decimals: "12 300" may be two numbers. */
function readNumbers(written: string, index: number, text: string): Amount[] {
  const isGrouped = /[ \u00a0\u2009]/.test(written) && !/[.,]\d+$/.test(written);
  const whole = readNumber(written, index, text);
  if (!isGrouped || (whole !== null && whole.currency !== null)) return whole === null ? [] : [whole];
  const parts: Amount[] = [];
  for (const match of written.matchAll(/\d+/g)) {
    const part = readNumber(match[0], index + match.index, text);
    if (part !== null) parts.push(part);
  }
  return parts;
}

function readNumber(written: string, index: number, text: string): Amount | null {
  const values = readDigits(written);
  const before = readBefore(text.slice(0, index));
  const end = index + written.length;
  const behind = readBehind(text.slice(end), before?.currency ?? null);
  if (values === null || before === null || behind === null) return null;
  const currency = before.currency ?? behind.currency;
  const [asDecimal, asThousands] = values;
  const isThousands = asThousands !== null && (asDecimal === null || currency !== null);
  const factor = (before.isNegative ? -1 : 1) * behind.factor;
  const scale = (value: number | null) => (value === null ? null : roundNoise(value * factor));
  const value = scale(isThousands ? asThousands : asDecimal);
  if (value === null) return null;
  return {
    value,
    currency,
    unit: behind.unit,
    quote: text.slice(index - before.length, end + behind.length).trim(),
    end,
    otherValue: scale(isThousands ? asDecimal : asThousands),
  };
}

/** As decimal and as thousands, where it can be read so; null for what is no number, such as "1.2.3". */
function readDigits(written: string): readonly [number | null, number | null] | null {
  const digits = written.replace(/[ \u00a0\u202f\u2009'’]/g, "");
  const marks = digits.replace(/\d/g, "");
  if (marks === "") return [Number(digits), null];
  const last = marks.at(-1) ?? ".";
  const at = digits.lastIndexOf(last);
  const [front, fraction] = [digits.slice(0, at), digits.slice(at + 1)];
  const asDecimal = Number(`${front.replace(/[.,]/g, "")}.${fraction}`);
  const asThousands = Number(digits.replace(/[.,]/g, ""));
  if (marks.length > 1) {
    const isMixed = new Set(marks).size > 1;
    const hasGroups = hasThousandGroups(isMixed ? front : digits);
    if (!hasGroups) return null;
    return isMixed ? [asDecimal, null] : [null, asThousands];
  }
  if (!hasThousandGroups(digits)) return [asDecimal, null];
  return last === "," ? [null, asThousands] : [asDecimal, asThousands];
}

function hasThousandGroups(digits: string): boolean {
  return /^[1-9]\d{0,2}(?:[.,]\d{3})+$/.test(digits);
}

interface Before {
  readonly currency: string | null;
  readonly isNegative: boolean;
  readonly length: number;
}

/** Null when the digits belong to a code. The sign stands on either side of the currency. */
function readBefore(text: string): Before | null {
  let rest = text;
  const inner = /[-−–+]$/.exec(rest)?.[0] ?? "";
  rest = rest.slice(0, rest.length - inner.length);
  const written = CURRENCY_BEFORE.exec(rest)?.[0] ?? "";
  const currency = toCurrency(written);
  if (currency !== null) rest = rest.slice(0, rest.length - written.length);
  const outer = currency === null ? "" : (/[-−–+]$/.exec(rest)?.[0] ?? "");
  rest = rest.slice(0, rest.length - outer.length);
  const sign = inner || outer;
  if (currency === null && /[\p{L}_#@]$/u.test(rest)) return null;
  if (currency === null && sign === "" && /[\d:][./]$|[\p{L}]\/$/u.test(text) && !/\d\/$/.test(text)) return null;
  // After a digit the dash stands for a range.
  if (sign !== "" && /[\d€£$]\s*$/.test(rest)) return { currency, isNegative: false, length: written.length };
  return { currency, isNegative: /[-−–]/.test(sign), length: text.length - rest.length };
}

interface Behind {
  readonly currency: string | null;
  readonly unit: string | null;
  readonly factor: number;
  readonly length: number;
}

function readBehind(text: string, known: string | null): Behind | null {
  if (known !== null) return { currency: known, unit: null, factor: 1, length: 0 };
  const written = CURRENCY_BEHIND.exec(text)?.[0] ?? "";
  const currency = toCurrency(written);
  if (currency !== null) return { currency, unit: null, factor: 1, length: written.length };
  return readAttached(text) ?? readSpaced(text);
}

/** "12kg", "1.2k reviews". */
function readAttached(text: string): Behind | null {
  const attached = ATTACHED_UNIT.exec(text)?.[0];
  if (attached === undefined) return null;
  const factor = MULTIPLIERS.get(attached);
  if (factor === undefined) return { currency: null, unit: attached.toLowerCase(), factor: 1, length: attached.length };
  const next = /^\s([\p{L}]{1,20})/u.exec(text.slice(attached.length));
  const length = attached.length + (next?.[0].length ?? 0);
  return { currency: null, unit: next?.[1]?.toLowerCase() ?? null, factor, length };
}

/** "12 kg". Null where letters make the number a part of a name. */
function readSpaced(text: string): Behind | null {
  if (/^(?:\p{L}|-\p{L}|_)/u.test(text) && !/^(?:st|nd|rd|th)\b/.test(text)) return null;
  const spaced = NO_UNIT.test(text) ? null : /^\s(%|[\p{L}]{1,20})/u.exec(text);
  return { currency: null, unit: spaced?.[1]?.toLowerCase() ?? null, factor: 1, length: spaced?.[0].length ?? 0 };
}

/** 1.1 * 1000 is 1100.0000000000002. */
function roundNoise(value: number): number {
  return Number(value.toPrecision(15));
}

/** Symbols that stand for one currency; those that several countries share stay as they are written. */
const BY_SIGN = new Map<string, string>([
  ["€", "EUR"],
  ["£", "GBP"],
  ["₹", "INR"],
  ["₩", "KRW"],
  ["₽", "RUB"],
  ["₺", "TRY"],
  ["₪", "ILS"],
  ["฿", "THB"],
  ["₫", "VND"],
  ["₴", "UAH"],
  ["zł", "PLN"],
  ["us$", "USD"],
  ["a$", "AUD"],
  ["au$", "AUD"],
  ["c$", "CAD"],
  ["ca$", "CAD"],
  ["nz$", "NZD"],
  ["hk$", "HKD"],
  ["s$", "SGD"],
  ["r$", "BRL"],
  ["euro", "EUR"],
  ["euros", "EUR"],
  ["pound", "GBP"],
  ["pounds", "GBP"],
  ["quid", "GBP"],
  ["yen", "JPY"],
  ["rupees", "INR"],
  ["dollar", "$"],
  ["dollars", "$"],
  ["$", "$"],
  ["¥", "¥"],
  ["kr", "kr"],
  ["kr.", "kr"],
]);

const CODES = new Set(
  (
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PEN PHP " +
    "PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR"
  ).split(" "),
);

const SHARED = new Map<string, ReadonlySet<string>>([
  ["$", new Set("ARS AUD CAD CLP COP HKD MXN NZD SGD TWD USD".split(" "))],
  ["¥", new Set(["CNY", "JPY"])],
  ["kr", new Set(["DKK", "ISK", "NOK", "SEK"])],
]);

/** Matches a currency at the end of what stands before a number. */
const CURRENCY_BEFORE = /(?:(?:US|AU|A|CA|C|NZ|HK|S|R)\$|[€£₹₩₽₺₪฿₫₴$¥]|\b[A-Z]{3}|\bkr\.?)\s?$/;

/** Matches a currency at the start of what stands behind a number. */
export const CURRENCY_BEHIND =
  /^\s?(?:[€£₹₩₽₺₪฿₫₴$¥]|zł|(?:kr\.?|[A-Z]{3})(?![A-Za-z])|(?:euros?|pounds?|quid|yen|rupees|dollars?)\b)/;

/** The ISO code, or the sign where it does not say which currency; null for what is none. */
export function toCurrency(written: string): string | null {
  const word = written.trim();
  return BY_SIGN.get(word.toLowerCase()) ?? (CODES.has(word) ? word : null);
}

/** Whether both may mean the same money: "$" may be any dollar. */
export function isSameCurrency(one: string, other: string): boolean {
  return one === other || SHARED.get(one)?.has(other) === true || SHARED.get(other)?.has(one) === true;
}
