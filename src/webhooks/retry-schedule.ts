const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After each attempt that failed. Together three days. */
const WAITS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  ...Array<number>(8).fill(8 * HOUR),
];

/** So that a receiver that comes back does not meet everything that waits for it at one moment. */
const MAX_JITTER = 0.1;

/** How long to wait after so many attempts; null when there have been enough. */
export function waitAfter(attempts: number, random: () => number = Math.random): number | null {
  const waitMs = WAITS_MS[attempts - 1];
  return waitMs === undefined ? null : Math.round(waitMs * (1 + MAX_JITTER * random()));
}
