import type { AttemptProblem, ProviderRefusal } from "./attempt-failure.ts";

/** Half an answer has been paid for: whoever gives nothing else is not asked for ever. */
const MAX_CUTS = 4;
/** One that was silent for minutes will hardly speak at the fourth time. */
const MAX_SILENCES = 2;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** What has been tried for one question. */
export interface Trials {
  readonly failures: number;
  /** How many of them were like the last one. */
  readonly likeThis: number;
  readonly spentMs: number;
  /** How long a model that cannot be had is waited for. */
  readonly patienceMs: number;
}

/** How long to wait before trying again; null when that is of no use. `random` is from 0 to 1. */
export function planRetry(problem: AttemptProblem, trials: Trials, random: number): number | null {
  if (!mayPass(problem) || isEnough(problem, trials.likeThis)) return null;
  // A little by chance, so that many who failed together do not come back together.
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (trials.failures - 1)) * (1 + random / 2);
  const askedMs = problem.kind === "refused" ? (problem.retryAfterMs ?? 0) : 0;
  const longestMs = Math.max(waitMs, askedMs);
  return trials.spentMs + longestMs > trials.patienceMs ? null : longestMs;
}

function isEnough({ kind }: AttemptProblem, count: number): boolean {
  return (kind === "silent" && count >= MAX_SILENCES) || (kind === "cut" && count >= MAX_CUTS);
}

/** An empty account answers 429 like a crowded one, but waiting does not fill it. */
export function isOutOfCredit({ status, code, words }: ProviderRefusal): boolean {
  return status === 402 || (status === 429 && /insufficient.?quota|billing|credit balance/i.test(`${code} ${words}`));
}

function mayPass(problem: AttemptProblem): boolean {
  switch (problem.kind) {
    case "refused":
      return !problem.isFinal && !isOutOfCredit(problem) && isPassing(problem.status);
    case "unreachable":
      return !/ENOTFOUND|CERT|TLS|SSL/.test(problem.code);
    case "silent":
    case "cut":
      return true;
    case "too_long":
    case "not_a_model":
    case "not_streamed":
      return false;
  }
}

function isPassing(status: number): boolean {
  return [408, 409, 425, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505);
}
