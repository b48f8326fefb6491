const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay after each failed attempt. Together, with jitter, just under three days. */
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

/** Spreads retries, so that a recovering receiver does not get everything at once. */
const MAX_JITTER = 0.1;

/** A series of attempts ends after this time, however few there were. */
export const MAX_AGE_MS = 72 * HOUR;

/** After this many consecutive attempts without a response, all messages of the webhook are held. */
const MAX_UNANSWERED = 3;
const FIRST_HOLD_MS = MINUTE;
const MAX_HOLD_MS = 30 * MINUTE;
const MAX_RETRY_AFTER_MS = HOUR;

/** How long a webhook's messages are held after this many consecutive attempts without a response; null for not at all. */
export function holdMsAfter(unanswered: number): number | null {
  if (unanswered < MAX_UNANSWERED) return null;
  return Math.min(MAX_HOLD_MS, FIRST_HOLD_MS * 2 ** (unanswered - MAX_UNANSWERED));
}

/** Parses a Retry-After header (seconds or a date) into a bounded delay; null when there is none. */
export function readRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const waitMs = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime();
  return Number.isFinite(waitMs) && waitMs > 0 ? Math.min(waitMs, MAX_RETRY_AFTER_MS) : null;
}

/** Delay before the next attempt after this many; null when there is no further attempt. */
export function retryDelayMs(attempts: number, random: () => number = Math.random): number | null {
  const waitMs = WAITS_MS[attempts - 1];
  return waitMs === undefined ? null : Math.round(waitMs * (1 + MAX_JITTER * random()));
}
