import { foldVisible } from "../../browser/observation/visible-text.ts";
import { parseAmounts } from "../grounding/amounts.ts";
import { type DayOrder, findDates } from "../grounding/dates.ts";
import { isSameValue } from "../grounding/page-text.ts";
import { parseBoolean } from "../grounding/short-texts.ts";

const MASKED = /[*•●…⋯]|\.\.\.|x{3,}/i;
const UNSAID =
  /^(?:not?\b|none\b|n\/a|same\b|as\b|see\b|saved\b|applied\b|unchanged\b|optional\b|please\b|select\b|choose\b|enter\b)/i;
const NUMBER = /^[-+]?[€£$¥]?\s?\d[\d\s.,'()/-]*[€£$¥%]?$/;
const TIME = /\b(\d{1,2}):(\d{2})\b/;
const ORDERS: readonly DayOrder[] = ["dmy", "mdy"];

/** Whether a text certainly says something else than what was entered, and not the same in another format. */
export function differs(shown: string, entered: string): boolean {
  if (MASKED.test(shown) || UNSAID.test(shown.trim()) || parseBoolean(shown) !== null) return false;
  if (isSameValue(shown, entered)) return false;
  const [shownDays, days] = [readDays(shown), readDays(entered)];
  if (days.length > 0 || shownDays.length > 0) {
    return days.length > 0 && shownDays.length > 0 && !days.some((day) => shownDays.includes(day));
  }
  const time = TIME.exec(entered);
  if (time !== null) return isOtherTime(shown, time);
  return NUMBER.test(entered.trim()) ? isOtherNumber(shown, entered) : isOtherText(shown, entered);
}

/** All days that a text may name. */
function readDays(text: string): string[] {
  return ORDERS.flatMap((order) => findDates(text, order).map(({ day }) => day));
}

function isOtherTime(shown: string, [, hour, minute]: RegExpExecArray): boolean {
  const [, shownHour, shownMinute] = TIME.exec(shown) ?? [];
  if (shownHour === undefined) return false;
  return Number(shownHour) % 12 !== Number(hour) % 12 || shownMinute !== minute;
}

/** Numbers of phones and cards are shown with and without their beginning. */
const MIN_END = 4;

function isOtherNumber(shown: string, entered: string): boolean {
  const values = parseAmounts(shown).map(({ value }) => value);
  const [one, other] = [shown, entered].map((text) => text.replace(/\D/g, "").replace(/^0+/, "")) as [string, string];
  if (one === "") return false;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length >= MIN_END && long.endsWith(short)) return false;
  const [amount, ...more] = parseAmounts(entered);
  return one !== other && !(amount !== undefined && more.length === 0 && values.includes(amount.value));
}

function isOtherText(shown: string, entered: string): boolean {
  const [said, own] = [toTokens(shown), toTokens(entered)];
  if (said.length === 0 || own.length === 0 || isLatin(said) !== isLatin(own)) return false;
  // Codes of countries and the like.
  const isCode = (text: string) => /^[\p{L}-]{1,3}$/u.test(text.trim());
  if (isCode(shown) !== isCode(entered)) return false;
  return !isCovered(own, said) && !isCovered(said, own) && own.join("") !== said.join("");
}

function isLatin(tokens: readonly string[]): boolean {
  return tokens.every((token) => /^[a-z\d]*$/.test(token));
}

/** Words and numbers without accents; "ue" is another way to write "ü". */
export function toTokens(text: string): string[] {
  const plain = foldVisible(text)
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/([aou])e/g, "$1");
  return plain.match(/\p{L}+|\d+/gu) ?? [];
}

/** Whether each token has its like among the others. */
function isCovered(tokens: readonly string[], others: readonly string[]): boolean {
  return tokens.every((token) => isAmong(token, others));
}

export function isAmong(token: string, others: readonly string[]): boolean {
  return others.some((other) => isAlike(token, other));
}

/** The same, or one abbreviates the other: "St" and "Street", or "Rd" and "Road". */
function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  if (/^\d/.test(one) || /^\d/.test(other))
    return /^\d/.test(one) && /^\d/.test(other) && Number(one) === Number(other);
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (long.startsWith(short)) return true;
  if (!/^.[^aeiou]{1,3}$/.test(short) || short.length === long.length || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at === short.length;
}
