import type { Problems } from "./problems.ts";

/**
 * The only cards that this shop accepts. They belong to no network, so that nobody has a reason to enter a real one.
 */
export const DEMO_CARDS = {
  accepted: "9400 1000 2000 3005",
  declined: "9400 9999 0000 0001",
} as const;

export interface Card {
  holder: string;
  number: string;
  expiry: string;
  code: string;
}

/** Problems with an entered card, by field. Whether the bank accepts it turns out when the order is placed. */
export function problemsWithCard(card: Card, now: Date): Problems {
  const problems: Problems = {};
  if (card.holder === "") problems["holder"] = "Enter the name on the card.";
  const number = problemWithNumber(card.number);
  if (number !== null) problems["number"] = number;
  const expiry = problemWithExpiry(card.expiry, now);
  if (expiry !== null) problems["expiry"] = expiry;
  if (!/^\d{3}$/.test(card.code)) problems["code"] = "Enter the three digits of the security code.";
  return problems;
}

export function lastFour(number: string): string {
  return digitsOf(number).slice(-4);
}

export function isDeclined(four: string): boolean {
  return four === lastFour(DEMO_CARDS.declined);
}

function problemWithNumber(number: string): string | null {
  const digits = digitsOf(number);
  if (digits === "") return "Enter the card number.";
  if (!/^\d{16}$/.test(digits)) return "The card number has 16 digits.";
  if (!hasValidCheckDigit(digits)) return "This card number is not valid. Check the digits.";
  const known = Object.values(DEMO_CARDS).some((card) => digitsOf(card) === digits);
  return known ? null : "This demo shop only takes its own test cards.";
}

function problemWithExpiry(expiry: string, now: Date): string | null {
  const [, month = "", year = ""] = /^(0[1-9]|1[0-2])\s*\/\s*(\d{2})$/.exec(expiry) ?? [];
  if (month === "") return "Enter month and year, for example 09/31.";
  const firstDayAfter = Date.UTC(2000 + Number(year), Number(month), 1);
  return firstDayAfter <= now.getTime() ? "This card has expired." : null;
}

function digitsOf(number: string): string {
  return number.replaceAll(/[\s-]/g, "");
}

/** The Luhn checksum. */
function hasValidCheckDigit(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
