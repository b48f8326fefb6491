import { findDates } from "./dates.ts";

/** A number as a page writes it. */
export interface Amount {
  readonly value: number;
  /** ISO code, or a sign that several currencies share ("$"). */
  readonly currency: string | null;
  /** "%", "kg", "stars", "items": the word after the number, in lower case. */
  readonly unit: string | null;
  /** As written, with sign, currency and unit. */
  readonly quote: string;
  /** Where its digits end in the text. */
  readonly end: number;
  /** What "1.299" may also mean: some write thousands with a dot, others decimals. */
  readonly otherValue: number | null;
}

const NUMBER = /\d{1,3}(?:[ \u00a0\u202f\u2009'’]\d{3})+(?:[.,]\d{1,2})?(?![\d.,]\d)|\d+(?:[.,]\d+)*/g;
const TIME = /\b\d{1,2}:\d{2}(?::\d{2})?\b/g;
/** These are a unit when they follow a number directly; other letters make the number part of a name, such as "3D". */
const ATTACHED_UNIT =
  /^(?:[kmcµ]?[gmlsWVΩ]|[KMGT]i?B|kWh?|mAh?|Hz|[kMG]Hz|lbs?|oz|ft|in|mi|h|hrs?|min|px|pt|x|bn?|[kKM])(?![A-Za-z0-9])/;
/** With or without a space before them. "¢" is no currency of its own. */
const SYMBOL_UNIT = /^\s?([%‰℃℉′″\p{Sc}])/u;
const DEGREES =
  /^\s?(?:°|degrees?\b|deg\b\.?)(?:\s?(?:(c)(?:elsius)?|(f)(?:ahrenheit)?|(k)(?:elvin)?)(?![\p{L}\d]))?/iu;
const MULTIPLIERS = new Map([
  ["k", 1e3],
  ["K", 1e3],
  ["M", 1e6],
  ["bn", 1e9],
  ["b", 1e9],
]);
const NO_UNIT = /^\s(?:out|of|with|and|or|to|for|from|in|on|at|per|each|incl|excl|plus|is|are|was)\b/i;
const FREE = /^(?:free|free of charge|gratis)$/i;
/** "4.5 out of 5", "4.5/5", "4.5 of 5 stars": the scale is not an amount of its own. */
const ON_A_SCALE = /^\s*(?:out of|of|\/)\s*(?:5|10|100)\b/i;
/** ".50" with nothing before the point that it could belong to. */
const POINT_BEFORE = /(?:^|[^\p{L}\p{N}.,])[.,]$/u;
const MAX_TEXT = 2_000;

/**
 * The one amount that a text states. Null when it states none, several that differ, or one that cannot be read for certain.
 * A single amount with a currency wins over bare numbers, one outside of brackets over others, and a rating over its scale.
 * "1.299" means 1299 with a currency and 1.299 without.
 */
export function parseAmount(text: string): Amount | null {
  if (FREE.test(text.trim())) {
    return { value: 0, currency: null, unit: null, quote: text.trim(), end: text.length, otherValue: null };
  }
  const bracketed = readBracketed(text);
  if (bracketed !== null) return bracketed;
  const readings = readAmounts(text);
  const amounts = readings.filter((reading) => reading !== "unclear number" && reading !== "unclear money");
  const isMoneyUnclear = readings.includes("unclear money");
  const isMoney = amounts.some(({ currency }) => currency !== null);
  if (isMoneyUnclear || (!isMoney && readings.includes("unclear number"))) return null;
  return withDetachedMinus(chooseAmount(amounts, text), text);
}

const BRACKETED = /^([^()\d]{0,4})\(([^()]{1,40})\)([^()\d]{0,4})$/;

/** "(150.00)" and "€ (5)" are how books write minus. A bare "(12)" may also count something. */
function readBracketed(text: string): Amount | null {
  const [quote = "", before = "", inner = "", behind = ""] = BRACKETED.exec(text.trim()) ?? [];
  const written = `${before}${inner}${behind}`.trim();
  const amount = quote === "" ? null : parseAmount(written);
  if (amount === null || amount.quote !== written || amount.unit !== null || amount.value === 0) return null;
  if (amount.currency === null && !/[.,]\d{2}\s*$/.test(inner)) return null;
  const otherValue = amount.otherValue === null ? null : -Math.abs(amount.otherValue);
  return { ...amount, value: -Math.abs(amount.value), otherValue, quote, end: text.length };
}

/** Every amount in a text, in order. Dates, times and the digits of codes such as "T-10062" are not amounts. */
export function parseAmounts(text: string): Amount[] {
  return readAmounts(text).filter((reading) => reading !== "unclear number" && reading !== "unclear money");
}

/** Unclear is a number that is there but could be read wrongly: "1½", "5.00-", digits of two scripts in one. */
type Reading = Amount | "unclear number" | "unclear money";

function readAmounts(text: string): Reading[] {
  const searched = text.slice(0, MAX_TEXT);
  if (!/\d/.test(searched)) return [];
  const blanked = blankOut(searched);
  const readings = [...blanked.matchAll(NUMBER)].flatMap((match) => readNumbers(match[0], match.index, blanked));
  return readings.filter((reading) => reading !== null);
}

function chooseAmount(amounts: readonly Amount[], text: string): Amount | null {
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

/** Banks write "- 5,00 €". Without a currency the dash may be a bullet, and after the amount it may be anything. */
function withDetachedMinus(amount: Amount | null, text: string): Amount | null {
  if (amount === null || !/^[-−–]$/.test(text.replace(amount.quote, "").trim())) return amount;
  if (amount.currency === null || !/^[-−–]/.test(text.trim()) || amount.value < 0) return null;
  const { value, otherValue } = amount;
  return { ...amount, value: -value, otherValue: otherValue === null ? null : -otherValue, quote: text.trim() };
}

/** Spaces keep every other position where it was. */
function blankOut(text: string): string {
  let blanked = text.replace(TIME, (time) => " ".repeat(time.length));
  for (const { quote } of findDates(text)) blanked = blanked.replace(quote, " ".repeat(quote.length));
  return blanked;
}

/** A space separates thousands only next to a currency or before decimals: "12 300" may be two numbers. */
function readNumbers(written: string, index: number, text: string): (Reading | null)[] {
  const isGrouped = /[ \u00a0\u2009]/.test(written) && !/[.,]\d+$/.test(written);
  const whole = readNumber(written, index, text);
  if (!isGrouped || (whole !== null && (typeof whole === "string" || whole.currency !== null))) return [whole];
  return [...written.matchAll(/\d+/g)].map((match) => readNumber(match[0], index + match.index, text));
}

/** Null for digits that are not a number, such as those of a code. */
function readNumber(written: string, index: number, text: string): Reading | null {
  const isFraction = POINT_BEFORE.test(text.slice(Math.max(0, index - 2), index));
  const start = isFraction ? index - 1 : index;
  const end = index + written.length;
  const before = readBefore(text.slice(0, start));
  const behind = readBehind(text.slice(end), before?.currency ?? null);
  if (before === null || behind === null) return null;
  const currency = before.currency ?? behind.currency;
  const unclear = currency === null ? "unclear number" : "unclear money";
  const isSigned = hasOtherSign(written, text.slice(0, start - before.length), text.slice(end), currency);
  if (isJoined(text, start, end) || isSigned) return unclear;
  const values = isFraction ? readFraction(written) : readDigits(written);
  // "1.2.3" is a version; next to a currency it is an amount with unknown grouping.
  if (values === null) return currency === null ? null : unclear;
  const amount = toAmount(values, { before, behind, currency });
  if (amount === null || (Number.isInteger(amount.value) && !Number.isSafeInteger(amount.value))) return unclear;
  return { ...amount, quote: text.slice(start - before.length, end + behind.length).trim(), end };
}

type Values = readonly [number | null, number | null];

function toAmount(
  [asDecimal, asThousands]: Values,
  { before, behind, currency }: { before: Before; behind: Behind; currency: string | null },
): Omit<Amount, "quote" | "end"> | null {
  const isThousands = asThousands !== null && (asDecimal === null || currency !== null);
  const factor = (before.isNegative ? -1 : 1) * behind.factor;
  const scale = (value: number | null) => (value === null ? null : roundNoise(value * factor));
  const value = scale(isThousands ? asThousands : asDecimal);
  return value === null
    ? null
    : { value, currency, unit: behind.unit, otherValue: scale(isThousands ? asDecimal : asThousands) };
}

/** Whether more of the number is next to it: digits of another script, a fraction, cents in an element of their own. */
function isJoined(text: string, start: number, end: number): boolean {
  const [before, behind] = [text.slice(Math.max(0, start - 20), start), text.slice(end, end + 20)];
  const continuesBefore = /(?:(?!\d)\p{N}|\p{N}[\p{Cf}\p{Co}]+)$/u.test(before);
  const isDetachedFraction = /^[.,]/.test(text.slice(start)) && /\d\s$/.test(before);
  const continuesBehind = /^(?![¹²³⁰⁴-⁹])\p{N}|^[\p{Cf}\p{Co}]+\p{N}|^\s[.,]\d/u.test(behind);
  return continuesBefore || isDetachedFraction || continuesBehind;
}

/** "5.00-" is how some books write minus, and "10²" is a power; after decimals or money a raised digit is a footnote. */
function hasOtherSign(written: string, before: string, behind: string, currency: string | null): boolean {
  if (isBooked(before, behind)) return true;
  const hasDecimals = /[.,]\d{2}$/.test(written);
  if (/^[-−–](?=\s|$)/.test(behind)) return hasDecimals;
  return /^[¹²³⁰⁴-⁹]/.test(behind) && !hasDecimals && currency === null;
}

/** "150.00 DR" and "€90 Cr": debit and credit, of which either may be the minus. */
function isBooked(before: string, behind: string): boolean {
  const isBehind = /^\s?(?:\p{Sc}|[A-Z]{3})?\s?(?:DR|CR|Dr|Cr)(?![\p{L}\d])/u.test(behind);
  return isBehind || /(?<![\p{L}\d])(?:DR|CR|Dr|Cr)\.?\s?$/u.test(before.slice(-6));
}

function readFraction(written: string): readonly [number, null] | null {
  return /^\d+$/.test(written) ? [Number(`0.${written}`), null] : null;
}

/**
 * The value as a decimal number and as a number with grouped thousands, where it can be read so. Null for what is not a
 * number, such as "1.2.3".
 */
export function readDigits(written: string): Values | null {
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

/** Null when the digits belong to a code. The sign is on either side of the currency. */
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
  // After a digit the dash means a range.
  if (sign !== "" && /[\d€£$]\s*$/.test(rest)) return { currency, isNegative: false, length: written.length };
  const word = sign === "" ? (/(?<!\d\s*)\bminus\s$/i.exec(rest)?.[0] ?? "") : "";
  const isNegative = word !== "" || /[-−–]/.test(sign);
  return { currency, isNegative, length: text.length - rest.length + word.length };
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
  return readSymbol(text) ?? readAttached(text) ?? readSpaced(text);
}

/** "5%", "17 °C", "17 degrees C". */
function readSymbol(text: string): Behind | null {
  const [degrees, ...scales] = DEGREES.exec(text) ?? [];
  const [symbol, sign = ""] = SYMBOL_UNIT.exec(text) ?? [];
  const unit = degrees === undefined ? sign.normalize("NFKC") : `°${scales.join("")}`;
  const { length } = degrees ?? symbol ?? "";
  return length === 0 ? null : { currency: null, unit: unit.toLowerCase(), factor: 1, length };
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

/** "12 kg". Null where letters make the number part of a name. */
function readSpaced(text: string): Behind | null {
  if (/^(?:\p{L}|-\p{L}|_)/u.test(text) && !/^(?:st|nd|rd|th)\b/.test(text)) return null;
  const spaced = NO_UNIT.test(text) ? null : /^\s([\p{L}]{1,20})/u.exec(text);
  return { currency: null, unit: spaced?.[1]?.toLowerCase() ?? null, factor: 1, length: spaced?.[0].length ?? 0 };
}

/** 1.1 * 1000 is 1100.0000000000002. Whole numbers have no such noise, and more digits than can be rounded. */
export function roundNoise(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

/** Signs of one currency map to its code; those that several countries share stay as they are. */
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

/** Matches a currency at the end of the text before a number. */
const CURRENCY_BEFORE = /(?:(?:US|AU|A|CA|C|NZ|HK|S|R)\$|[€£₹₩₽₺₪฿₫₴$¥]|\b[A-Z]{3}|\bkr\.?)\s?$/;

/** Matches a currency at the start of the text after a number. */
export const CURRENCY_BEHIND =
  /^\s?(?:[€£₹₩₽₺₪฿₫₴$¥]|zł|(?:kr\.?|[A-Z]{3})(?![A-Za-z])|(?:euros?|pounds?|quid|yen|rupees|dollars?)\b)/;

/** The ISO code, or the sign where several currencies share it; null for anything else. */
export function toCurrency(written: string): string | null {
  const word = written.trim();
  return BY_SIGN.get(word.toLowerCase()) ?? (CODES.has(word) ? word : null);
}

/** Whether both may mean the same money: "$" may be any dollar. */
export function isSameCurrency(one: string, other: string): boolean {
  return one === other || SHARED.get(one)?.has(other) === true || SHARED.get(other)?.has(one) === true;
}
