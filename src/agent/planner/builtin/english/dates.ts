import { parseDate } from "../../../grounding/dates.ts";

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const DAY_MS = 86_400_000;

/** A day as YYYY-MM-DD. "03/04/2026" is read month first unless that cannot be; relative words count from `now`. */
export function readDay(text: string, now: Date): string | null {
  const plain = text.trim().toLowerCase();
  const written = parseDate(text, "mdy")?.day ?? null;
  if (written !== null) return written;
  if (plain === "today") return toIso(now);
  if (plain === "tomorrow") return shift(now, 1);
  if (plain === "yesterday") return shift(now, -1);
  const ahead = /^in (\d{1,3}) (day|week)s?$/.exec(plain);
  if (ahead !== null) return shift(now, Number(ahead[1]) * (ahead[2] === "week" ? 7 : 1));
  const weekday =
    /^(?:(?:this|next|the (?:next|coming))\s+)?(sunday|monday|tuesday|wednesday|thursday|friday|saturday)$/.exec(
      plain,
    )?.[1];
  return weekday === undefined ? readDayWithoutYear(text, now) : nextWeekday(weekday, now);
}

/** The first one after today: "next Friday" on a Friday is in a week. */
function nextWeekday(weekday: string, now: Date): string {
  const days = (WEEKDAYS.indexOf(weekday) - now.getUTCDay() + 7) % 7;
  return shift(now, days === 0 ? 7 : days);
}

/** "March 12": this year's, or the next one if that has passed. */
function readDayWithoutYear(text: string, now: Date): string | null {
  const year = now.getUTCFullYear();
  const sameYear = parseDate(`${text} ${year}`)?.day ?? parseDate(`${text}, ${year}`)?.day ?? null;
  if (sameYear === null || sameYear >= toIso(now)) return sameYear;
  return parseDate(`${text} ${year + 1}`)?.day ?? parseDate(`${text}, ${year + 1}`)?.day ?? null;
}

function shift(now: Date, days: number): string {
  return toIso(new Date(now.getTime() + days * DAY_MS));
}

function toIso(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** "8:04 PM", "20:04" → "20:04". */
export function readTimeOfDay(text: string): string | null {
  const match = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])?\.?(?:m\.?)?$/i.exec(text.trim());
  if (match === null || (match[2] === undefined && match[3] === undefined)) return null;
  const half = match[3]?.toLowerCase();
  const hour = half === undefined ? Number(match[1]) : (Number(match[1]) % 12) + (half === "p" ? 12 : 0);
  return hour > 23 ? null : `${String(hour).padStart(2, "0")}:${match[2] ?? "00"}`;
}
