import { findVerbatim, foldText } from "./quotes.ts";

const NUMBER = /\d+(?:[.,:]\d+)*/g;
const MAX_OPERANDS = 40;

/**
 * A number of the answer that comes out of nowhere: it stands in none of the texts, is not what two of their numbers make
 * together, not the sum of all facts, and no count. Null when there is none.
 */
export function findUnstatedNumber(
  answer: string,
  texts: readonly string[],
  facts: readonly string[],
  counts: readonly number[],
): string | null {
  const stated = texts.join("\n");
  const folded = foldText(stated);
  const numbers = facts.flatMap((text) => [...text.matchAll(NUMBER)].flatMap(([token]) => readingsOf(token)));
  const known = new Set(
    [...counts, ...numbersIn(stated), ...derive(numbers.slice(0, MAX_OPERANDS)), sumOfFirsts(facts)].map(round),
  );
  // The numbers in front of the items of a list say nothing.
  const plain = answer.replace(/^[^\S\n]*\d+[.)]\s/gm, "");
  for (const token of new Set(plain.match(NUMBER))) {
    if (readingsOf(token).some((value) => known.has(round(value)))) continue;
    if (findVerbatim(stated, token, folded) === null) return token;
  }
  return null;
}

function numbersIn(text: string): number[] {
  return [...text.matchAll(NUMBER)].flatMap(([token]) => readingsOf(token));
}

/** "1.299" is either of two numbers. */
function readingsOf(token: string): number[] {
  const plain = [token.replaceAll(",", ""), token.replaceAll(".", "").replace(",", ".")];
  return [...new Set(plain.map(Number))].filter(Number.isFinite);
}

function derive(numbers: readonly number[]): number[] {
  return numbers.flatMap((one, index) =>
    numbers.filter((_, other) => other !== index).flatMap((other) => [one + other, one - other, one * other]),
  );
}

function sumOfFirsts(facts: readonly string[]): number {
  return facts.reduce((sum, text) => sum + (numbersIn(text)[0] ?? 0), 0);
}

function round(value: number): number {
  return Math.round(value * 100);
}

/**
 * A text without today's date, however that is written: whoever says it needs no fact for it. Its numbers do, wherever they
 * stand for something else.
 */
export function dropToday(text: string, now: Date): string {
  const year = now.getUTCFullYear();
  const month = `0?${now.getUTCMonth() + 1}`;
  const day = `0?${now.getUTCDate()}`;
  const name = now.toLocaleString("en", { month: "long", timeZone: "UTC" });
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

/** A text without the times of day that one of the others says too, in twelve hours or in twenty-four. */
export function dropStatedTimes(text: string, others: readonly string[]): string {
  const stated = new Set(
    others.flatMap((other) => [...other.matchAll(TIME)].map(toMinutes)).filter((at) => at !== null),
  );
  return text.replace(TIME, (...match) => {
    const at = toMinutes(match as unknown as RegExpMatchArray);
    return at !== null && stated.has(at) ? "" : String(match[0]);
  });
}

/** Of the day; null for a bare number, which need not be a time. */
function toMinutes([, hours, minutes, half]: RegExpMatchArray): number | null {
  if (minutes === undefined && half === undefined) return null;
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  if (minute > 59 || hour > 23 || (half !== undefined && (hour < 1 || hour > 12))) return null;
  if (half === undefined) return hour * 60 + minute;
  return ((hour % 12) + (half.toLowerCase() === "p" ? 12 : 0)) * 60 + minute;
}
