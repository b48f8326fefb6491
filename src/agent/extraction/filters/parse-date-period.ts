import { parseDate, parseMonth, toDay } from "../values/date.ts";

export interface Period {
  /** YYYY-MM-DD, inclusive; null: open. */
  readonly from: string | null;
  readonly to: string | null;
}

const FORMS: readonly [RegExp, (one: Period, other: Period | null) => Period][] = [
  [
    /^(?:between|from) (?<one>.+?) (?:and|to|until) (?<other>.+)$/i,
    (one, other) => ({ from: one.from, to: other?.to ?? null }),
  ],
  [/^(?:before|earlier than|prior to) (?<one>.+)$/i, ({ from }) => ({ from: null, to: shift(from, -1) })],
  [/^(?:after|later than) (?<one>.+)$/i, ({ to }) => ({ from: shift(to, 1), to: null })],
  [/^(?:since|starting) (?<one>.+)$/i, ({ from }) => ({ from, to: null })],
  [/^(?:until|up to|by) (?<one>.+)$/i, ({ to }) => ({ from: null, to })],
  [/^(?:from|in|on|of|during|dated|within) (?:the year )?(?<one>.+)$/i, (one) => one],
];

/** "from 2026", "in March 2026", "before 12 March 2026", "between … and …". Only what is a date: "from 10" is none. */
export function parseDatePeriod(text: string): Period | null {
  for (const [form, toPeriod] of FORMS) {
    const { one, other } = form.exec(text)?.groups ?? {};
    const first = one === undefined ? null : readSpan(one);
    const second = other === undefined ? null : readSpan(other);
    if (first !== null && (other === undefined || second !== null)) return toPeriod(first, second);
  }
  return null;
}

/** A year, a month of a year, or a day: from its first day to its last. */
function readSpan(text: string): Period | null {
  const words = text.trim();
  if (/^(?:19|20)\d{2}$/.test(words)) return { from: `${words}-01-01`, to: `${words}-12-31` };
  const [, month = "", year = ""] = /^(\p{L}+)\.?,? ((?:19|20)\d{2})$/u.exec(words) ?? [];
  const number = parseMonth(month);
  if (number !== null) {
    const from = toDay(Number(year), number, 1);
    const next = number === 12 ? toDay(Number(year) + 1, 1, 1) : toDay(Number(year), number + 1, 1);
    return { from, to: shift(next, -1) };
  }
  const date = parseDate(words);
  return date !== null && date.quote === words ? { from: date.day, to: date.day } : null;
}

function shift(day: string | null, days: number): string | null {
  if (day === null) return null;
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
