/** A calendar day, such as `2026-03-14`. The shop uses UTC, so that the day is the same on every machine. */
export type Day = string;

const DAY_MS = 24 * 60 * 60 * 1_000;
const SUNDAY = 0;
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export function dayOf(date: Date): Day {
  return date.toISOString().slice(0, 10);
}

/** Null for invalid days, such as 2026-02-30. */
export function parseDay(text: string): Day | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const date = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(date.getTime()) || dayOf(date) !== text ? null : text;
}

export function addDays(day: Day, days: number): Day {
  return dayOf(new Date(Date.parse(day) + days * DAY_MS));
}

export function isSunday(day: Day): boolean {
  return new Date(day).getUTCDay() === SUNDAY;
}

/** That day, or the following Monday if there is no delivery. */
export function skipSunday(day: Day): Day {
  return isSunday(day) ? addDays(day, 1) : day;
}

export function formatDay(day: Day): string {
  const date = new Date(day);
  return `${WEEKDAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
