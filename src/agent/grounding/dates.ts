/** A calendar day as a page writes it, with the time of day where that is next to it. */
export interface WrittenDate {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** HH:MM:SS, or null. */
  readonly time: string | null;
  /** "Z" or ±HH:MM, or null. */
  readonly offset: string | null;
  readonly quote: string;
}

/** Which comes first in "03/04/2026". */
export type DayOrder = "dmy" | "mdy";

/** The first use of a locale loads its data, which takes longer than reading a page. */
export const MONTH_NAMES =
  "January February March April May June July August September October November December".split(" ");
/** By the number of the day. */
export const WEEKDAY_NAMES = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|" +
  "nov(?:ember)?|dec(?:ember)?)\\.?";
const WEEKDAY = "(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\\.?,?\\s+)?";
const DAY = "(?<day>\\d{1,2})";
const YEAR = "(?<year>[12]\\d{3})";
const TIME =
  "(?:(?:[T,]\\s*|\\s+)(?:at\\s+)?(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:\\.\\d+)?)?" +
  "(?:\\s?(?<half>[ap])\\.?m\\b\\.?)?(?:\\s?(?<offset>Z\\b|UTC\\b|GMT\\b|[+-]\\d{2}:?\\d{2}\\b))?)?";
/** Before a date that is only the end of a range: "12–14 March 2026", "28 Feb – 3 Mar 2026", "12.03. – 14.03.2026". */
const RANGE =
  `(?<!(?:(?<![\\d:.,])\\d{1,2}(?:st|nd|rd|th|\\.)?|\\d\\.\\d{1,2}\\.|\\b(?:${MONTHS.join("|")})\\p{L}{0,6}\\.?)` +
  "(?:\\s?[-–—/&+]\\s?|\\s(?:and|to|or|until|till|through)\\s))";
/** "2026-03-12-05" is a code. */
const END = "(?![-/]?\\d)";
const FORMS = [
  `(?<![\\d.]|\\d[-/])${YEAR}[-/](?<number>\\d{2})[-/](?<day>\\d{2})${END}`,
  `(?<![\\d.])${RANGE}\\b${WEEKDAY}${DAY}(?:st|nd|rd|th)?(?:\\s+of)?[\\s-]+${MONTH},?[\\s-]+${YEAR}${END}`,
  `${RANGE}\\b${WEEKDAY}${MONTH}\\s+${DAY}(?:st|nd|rd|th)?,?\\s+${YEAR}${END}`,
  `(?<![\\d.])${RANGE}${DAY}\\.\\s?(?<number>\\d{1,2})\\.\\s?${YEAR}${END}`,
  `(?<![\\d./-])${RANGE}(?<first>\\d{1,2})(?<mark>[/-])(?<second_>\\d{1,2})\\k<mark>${YEAR}${END}`,
].map((form) => new RegExp(form + TIME, "giu"));
/** Every form has both. Most texts of a page have not, and the forms take long. */
const YEAR_AND_DAY = /[12]\d{3}\D+\d|\d\D+[12]\d{3}/;
/** Every form has the name of a month, or a mark between two numbers. */
const MONTH_OR_MARK = new RegExp(`${MONTHS.join("|")}|\\d[-/]\\d|\\d\\.\\s?\\d{1,2}\\.`, "iu");
const MAX_TEXT = 2_000;

/**
 * The one day that a text names: ISO, "12 March 2026", "March 12, 2026", "12.03.2026". "03/04/2026" only with an order,
 * unless one of the numbers cannot be a month. No relative words, no ranges, and nothing without a year.
 */
export function parseDate(text: string, order: DayOrder | null = null): WrittenDate | null {
  const found = readDates(text, order);
  const [first] = found.flatMap((readings) => (readings.length === 1 ? readings : []));
  if (first === undefined) return null;
  return found.every((readings) => readings.some(({ day }) => day === first.day)) ? first : null;
}

/** Every day that a text names, in order. Those that can be read in two ways are left out. */
export function findDates(text: string, order: DayOrder | null = null): WrittenDate[] {
  return readDates(text, order).flatMap((readings) => (readings.length === 1 ? readings : []));
}

/** Each date in a text, in order, with every way to read it. */
function readDates(text: string, order: DayOrder | null): WrittenDate[][] {
  const searched = text.slice(0, MAX_TEXT);
  if (!YEAR_AND_DAY.test(searched) || !MONTH_OR_MARK.test(searched)) return [];
  const found: { at: number; readings: WrittenDate[] }[] = [];
  for (const form of FORMS) {
    for (const match of searched.matchAll(form)) {
      const readings = toDates(match, order);
      if (readings.length > 0) found.push({ at: match.index, readings });
    }
  }
  return found.sort((one, other) => one.at - other.at).map(({ readings }) => readings);
}

/** The order that the dates of a column share; null when none of them shows it, or they differ. */
export function findDayOrder(texts: Iterable<string>): DayOrder | null {
  const orders = findDayOrders(texts);
  const [order] = orders;
  return orders.size === 1 && order !== undefined ? order : null;
}

/** The orders that dates such as "25/02/2026" reveal. */
export function findDayOrders(texts: Iterable<string>): Set<DayOrder> {
  const orders = new Set<DayOrder>();
  for (const text of texts) {
    for (const match of text.matchAll(/(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2[12]\d{3}/g)) {
      const [first, second] = [Number(match[1]), Number(match[3])];
      if (first > 12 && first <= 31 && second <= 12) orders.add("dmy");
      if (second > 12 && second <= 31 && first <= 12) orders.add("mdy");
    }
  }
  return orders;
}

/** 1 to 12; null for anything but a month. */
export function parseMonth(word: string): number | null {
  const at = MONTHS.indexOf(word.slice(0, 3).toLowerCase());
  return at === -1 || !new RegExp(`^${MONTH}$`, "i").test(word) ? null : at + 1;
}

/** YYYY-MM-DD, or null for a day that the calendar does not have. */
export function toDay(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().slice(0, 10);
}

function toDates(match: RegExpExecArray, order: DayOrder | null): WrittenDate[] {
  const groups = match.groups ?? {};
  const days = findDaysAndMonths(groups, order).map(({ day, month }) => toDay(Number(groups["year"]), month, day));
  const [time, offset, quote] = [toTime(groups), toOffset(groups["offset"]), match[0].trim()];
  return days.filter((day) => day !== null).map((day) => ({ day, time, offset, quote }));
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Two for "03/04/2026" without an order. */
function findDaysAndMonths(groups: Groups, order: DayOrder | null): { day: number; month: number }[] {
  const [first, second] = [Number(groups["first"]), Number(groups["second_"])];
  if (groups["first"] === undefined) {
    const month = groups["month"] === undefined ? Number(groups["number"]) : parseMonth(groups["month"]);
    return month === null ? [] : [{ day: Number(groups["day"]), month }];
  }
  const [dmy, mdy] = [
    { day: first, month: second },
    { day: second, month: first },
  ];
  if (first > 12 || order === "dmy" || first === second) return [dmy];
  return second > 12 || order === "mdy" ? [mdy] : [dmy, mdy];
}

function toTime(groups: Groups): string | null {
  if (groups["hour"] === undefined || groups["minute"] === undefined) return null;
  const half = groups["half"]?.toLowerCase();
  const written = Number(groups["hour"]);
  const hour = half === undefined ? written : (written % 12) + (half === "p" ? 12 : 0);
  const isValid = hour < 24 && Number(groups["minute"]) < 60;
  return isValid ? `${String(hour).padStart(2, "0")}:${groups["minute"]}:${groups["second"] ?? "00"}` : null;
}

function toOffset(written: string | undefined): string | null {
  if (written === undefined) return null;
  if (/^[+-]/.test(written)) return written.includes(":") ? written : `${written.slice(0, 3)}:${written.slice(3)}`;
  return "Z";
}
