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
export const CURRENCY_BEFORE = /(?:(?:US|AU|A|CA|C|NZ|HK|S|R)\$|[€£₹₩₽₺₪฿₫₴$¥]|\b[A-Z]{3}|\bkr\.?)\s?$/;

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
