/** A day of the calendar as a page writes it, with the time of day where that stands beside it. */
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
const FORMS = [
  `(?<![\\d.])${YEAR}[-/](?<number>\\d{2})[-/](?<day>\\d{2})(?!\\d)`,
  `(?<![\\d.])\\b${WEEKDAY}${DAY}(?:st|nd|rd|th)?(?:\\s+of)?[\\s-]+${MONTH},?[\\s-]+${YEAR}(?!\\d)`,
  `\\b${WEEKDAY}${MONTH}\\s+${DAY}(?:st|nd|rd|th)?,?\\s+${YEAR}(?!\\d)`,
  `(?<![\\d.])${DAY}\\.\\s?(?<number>\\d{1,2})\\.\\s?${YEAR}(?!\\d)`,
  `(?<![\\d./-])(?<first>\\d{1,2})(?<mark>[/-])(?<second_>\\d{1,2})\\k<mark>${YEAR}(?!\\d)`,
].map((form) => new RegExp(form + TIME, "gi"));
const MAX_TEXT = 2_000;

/**
 * The one day that a text names: ISO, "12 March 2026", "March 12, 2026", "12.03.2026". "03/04/2026" only with an
 * order, unless one of the numbers can be no month. No relative words, and nothing without a year.
 */
export function parseDate(text: string, order: DayOrder | null = null): WrittenDate | null {
  const dates = findDates(text, order);
  const [first] = dates;
  if (first === undefined) return null;
  return dates.every(({ day }) => day === first.day) ? first : null;
}

/** Every day that a text names, in order. */
export function findDates(text: string, order: DayOrder | null = null): WrittenDate[] {
  if (!/\d{4}/.test(text)) return [];
  const found: { at: number; date: WrittenDate }[] = [];
  for (const form of FORMS) {
    for (const match of text.slice(0, MAX_TEXT).matchAll(form)) {
      const date = toDate(match, order);
      if (date !== null) found.push({ at: match.index, date });
    }
  }
  return found.sort((one, other) => one.at - other.at).map(({ date }) => date);
}

/** What the dates of a column have in common: null when nothing in them tells. */
export function findDayOrder(texts: Iterable<string>): DayOrder | null {
  const orders = new Set<DayOrder>();
  for (const text of texts) {
    const match = /(?<![\d/-])(\d{1,2})([/-])(\d{1,2})\2[12]\d{3}/.exec(text);
    if (Number(match?.[1]) > 12) orders.add("dmy");
    if (Number(match?.[3]) > 12) orders.add("mdy");
  }
  const [order] = orders;
  return orders.size === 1 && order !== undefined ? order : null;
}

/** 1 to 12; null for what names no month. */
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

function toDate(match: RegExpExecArray, order: DayOrder | null): WrittenDate | null {
  const groups = match.groups ?? {};
  const parts = findDayAndMonth(groups, order);
  const day = parts === null ? null : toDay(Number(groups["year"]), parts.month, parts.day);
  if (day === null) return null;
  return { day, time: toTime(groups), offset: toOffset(groups["offset"]), quote: match[0].trim() };
}

type Groups = Readonly<Record<string, string | undefined>>;

function findDayAndMonth(groups: Groups, order: DayOrder | null): { day: number; month: number } | null {
  const [first, second] = [Number(groups["first"]), Number(groups["second_"])];
  if (groups["first"] === undefined) {
    const month = groups["month"] === undefined ? Number(groups["number"]) : parseMonth(groups["month"]);
    return month === null ? null : { day: Number(groups["day"]), month };
  }
  if (first > 12 || order === "dmy" || first === second) return { day: first, month: second };
  if (second > 12 || order === "mdy") return { day: second, month: first };
  return null;
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
