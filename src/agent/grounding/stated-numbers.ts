import { readDigits } from "./amounts.ts";
import { findDates, MONTH_NAMES, WEEKDAY_NAMES } from "./dates.ts";
import { parseNumberWord } from "./english-words.ts";
import { findQuote, foldText } from "./quotes.ts";

const NUMBER = /\d+(?:[.,:]\d+)*/g;
/** One or two letters right before digits: the name of a seat or a room. */
const CODE = /(?<!\p{L})\p{L}{1,2}\d+(?![.,]?\d)/gu;
const MAX_OPERANDS = 40;
const MAX_QUANTITIES = 5;

/**
 * A number in an answer that nothing accounts for: it is in none of the texts, is not the sum, difference or product of two
 * of their numbers, not the sum or the average of all facts, not a count, and not calculated from a quantity in the task. Null
 * when there is none. Numbers in words are not checked.
 */
export function findUnstatedNumber(
  answer: string,
  texts: readonly string[],
  facts: readonly string[],
  counts: readonly number[],
  task = "",
): string | null {
  const stated = toAsciiDigits(texts.join("\n"));
  const folded = foldText(stated);
  // Who counts does not add B1 to B3.
  const amounts = /\bhow many\b/i.test(task) ? facts.map((text) => text.replace(CODE, " ")) : facts;
  // Nobody adds the day to the year.
  const operands = amounts.flatMap((text) => numbersIn(toAsciiDigits(withoutDays(text)))).slice(0, MAX_OPERANDS);
  const quantities = quantitiesIn(task);
  const calculated = [...derive(operands), ...summarize(amounts), ...multiply(operands, quantities)];
  const known = new Set([...counts, ...quantities, ...numbersIn(stated), ...calculated].map(round));
  // The numbers in front of the items of a list say nothing.
  const plain = toAsciiDigits(answer).replace(/^[^\S\n]*\d+[.)]\s/gm, "");
  for (const token of new Set(plain.match(NUMBER))) {
    if (readToken(token).some((value) => known.has(round(value)))) continue;
    if (findQuote(stated, token, folded) === null) return token;
  }
  return null;
}

/** Digits of other scripts are digits, and nothing invisible can hide in a number. */
function toAsciiDigits(text: string): string {
  return text
    .replace(/(?<=\p{Nd})\p{Cf}+(?=\p{Nd})/gu, "")
    .replace(/(?!\d)\p{Nd}/gu, (digit) => String(digitValue(digit)));
}

/** Unicode keeps the ten digits of a script together, from zero to nine; variants of 0 to 9 are normalized first. */
function digitValue(digit: string): number {
  const plain = digit.normalize("NFKC");
  if (/^\d$/.test(plain)) return Number(plain);
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

/** What a text says may be read generously: "1,250" may be 1.25 on a page, but not in an answer. */
function numbersIn(text: string): number[] {
  return [...text.matchAll(NUMBER)].flatMap(([token]) => [
    ...readToken(token),
    ...(/^[1-9]\d{0,2},\d{3}$/.test(token) ? [Number(token.replace(",", "."))] : []),
  ]);
}

/** "1.299" is either of two numbers; "12:30" is none. */
function readToken(token: string): number[] {
  const readings = token.includes(":") ? null : readDigits(token);
  return [...(readings ?? [])].filter((value) => value !== null);
}

function derive(numbers: readonly number[]): number[] {
  return numbers.flatMap((one, index) =>
    numbers.filter((_, other) => other !== index).flatMap((other) => [one + other, one - other, one * other]),
  );
}

/** How many of something the task speaks of: "three nights", "2 adults". */
function quantitiesIn(task: string): number[] {
  const words = task.match(/(?<![\d.,:/-])\d{1,3}(?![\d.,:/-])|\p{L}{3,}/gu) ?? [];
  const numbers = words.map((word) => (/^\d/.test(word) ? Number(word) : parseNumberWord(word)));
  return [...new Set(numbers.map((number) => number ?? 0).filter((number) => number > 1))].slice(0, MAX_QUANTITIES);
}

/** What so many of each cost, alone or with something else: three nights, and the guest card. */
function multiply(numbers: readonly number[], quantities: readonly number[]): number[] {
  return numbers.flatMap((number, index) => {
    const others = [0, ...numbers.filter((_, other) => other !== index)];
    return quantities.flatMap((quantity) => others.map((other) => number * quantity + other));
  });
}

/** The sum and the average of the first number of each fact. */
function summarize(facts: readonly string[]): number[] {
  const firsts = facts.flatMap((text) => numbersIn(toAsciiDigits(text)).slice(0, 1));
  const sum = firsts.reduce((total, number) => total + number, 0);
  return firsts.length < 2 ? [sum] : [sum, sum / firsts.length];
}

function round(value: number): number {
  return Math.round(value * 100);
}

/** A text without today's date in any form: naming it needs no fact. Other numbers stay. */
export function dropToday(text: string, now: Date): string {
  const year = now.getUTCFullYear();
  const month = `0?${now.getUTCMonth() + 1}`;
  const day = `0?${now.getUTCDate()}`;
  const name = MONTH_NAMES[now.getUTCMonth()] ?? "";
  const monthWord = `${name.slice(0, 3)}(?:${name.slice(3)})?\\.?`;
  const dayWord = `${day}(?:st|nd|rd|th)?`;
  const forms = [
    `${year}-${month}-${day}`,
    `${dayWord}(?: of)? ${monthWord}`,
    `${monthWord} ${dayWord}`,
    `${day}[./]${month}[./]${year}`,
    `${month}/${day}/${year}`,
  ];
  return text.replace(new RegExp(`(?<![\\w.,])(?:${forms.join("|")})(?!\\w)`, "gi"), " ");
}

const TIME = /(?<![\d.,:])(\d{1,2})(?::(\d{2}))?(?:\s?([ap])\.?m\b\.?)?(?![\d:])/gi;

/** A text without the times of day that one of the others states too, on a 12-hour or a 24-hour clock. */
export function dropStatedTimes(text: string, others: readonly string[]): string {
  const stated = new Set(
    others.flatMap((other) => [...other.matchAll(TIME)].map(toMinutes)).filter((at) => at !== null),
  );
  return text.replace(TIME, (...match) => {
    const at = toMinutes(match as unknown as RegExpMatchArray);
    return at !== null && stated.has(at) ? "" : String(match[0]);
  });
}

function withoutDays(text: string): string {
  return findDates(text).reduce((left, { quote }) => left.replace(quote, " "), text);
}

/** A text without the days that one of the others states too, in whatever form. */
export function dropStatedDays(text: string, others: readonly string[]): string {
  const read = (each: string) => [...findDates(each), ...findDates(each, "dmy"), ...findDates(each, "mdy")];
  const stated = others.flatMap(read).map(({ day }) => day);
  const isStated = (day: string) => stated.includes(day) || stated.some((other) => isInWeek(day, other, others));
  return findDates(text).reduce((left, { day, quote }) => (isStated(day) ? left.replace(quote, " ") : left), text);
}

const DAY_MS = 86_400_000;

/** "Tuesday" under "week of 6 April" is 7 April. */
function isInWeek(day: string, other: string, texts: readonly string[]): boolean {
  const distance = Math.abs(Date.parse(day) - Date.parse(other)) / DAY_MS;
  const weekday = WEEKDAY_NAMES[new Date(day).getUTCDay()] ?? "";
  return distance < 7 && texts.some((text) => text.includes(weekday));
}

/** Minutes since midnight; null for a bare number, which need not be a time. */
function toMinutes([, hours, minutes, half]: RegExpMatchArray): number | null {
  if (minutes === undefined && half === undefined) return null;
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  if (minute > 59 || hour > 23 || (half !== undefined && (hour < 1 || hour > 12))) return null;
  if (half === undefined) return hour * 60 + minute;
  return ((hour % 12) + (half.toLowerCase() === "p" ? 12 : 0)) * 60 + minute;
}
