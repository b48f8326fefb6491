const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After each attempt that failed. Together, with what is added by chance, not quite three days. */
const WAITS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  ...Array<number>(7).fill(8 * HOUR),
];

/** So that a receiver that comes back does not meet everything that waits for it at one moment. */
const MAX_JITTER = 0.1;

/** A series of attempts ends with this, however few they were. */
export const MAX_AGE_MS = 72 * HOUR;

/** With so many attempts in a row without an answer, a webhook's messages wait together. */
const UNANSWERED_ENOUGH = 3;
const FIRST_HOLD_MS = MINUTE;
const MAX_HOLD_MS = 30 * MINUTE;
const MAX_RETRY_AFTER_MS = HOUR;

/** How long a webhook's messages wait after so many attempts in a row without an answer; null when they need not. */
export function holdMsAfter(unanswered: number): number | null {
  if (unanswered < UNANSWERED_ENOUGH) return null;
  return Math.min(MAX_HOLD_MS, FIRST_HOLD_MS * 2 ** (unanswered - UNANSWERED_ENOUGH));
}

/** How long a receiver asks to be left alone, in seconds or until a date, within bounds; null when it does not say. */
export function readRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const waitMs = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime();
  return Number.isFinite(waitMs) && waitMs > 0 ? Math.min(waitMs, MAX_RETRY_AFTER_MS) : null;
}

/** How long to wait after so many attempts; null when there have been enough. */
export function retryDelayMs(attempts: number, random: () => number = Math.random): number | null {
  const waitMs = WAITS_MS[attempts - 1];
  return waitMs === undefined ? null : Math.round(waitMs * (1 + MAX_JITTER * random()));
}
