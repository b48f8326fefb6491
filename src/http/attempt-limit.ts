import { CallerError } from "../lib/caller-error.ts";
import type { Clock } from "../lib/clock.ts";
import { type RateLimit, TokenBuckets } from "../lib/token-bucket.ts";

/** Throws when there were too many guesses: per network address and per account, so that neither one guesser nor many get far. */
export function createAttemptLimit(limit: RateLimit, clock: Clock): (address: string, email: string) => void {
  const attempts = new TokenBuckets(limit, clock);
  return (address, email) => {
    const waits = [attempts.take(`address ${address}`), attempts.take(`account ${email.trim().toLowerCase()}`)];
    const retryAfterSeconds = Math.max(...waits);
    if (retryAfterSeconds > 0) {
      throw new CallerError(
        "RATE_LIMITED",
        `There were too many attempts. Please wait ${retryAfterSeconds} seconds, then try again.`,
        { retryAfterSeconds },
      );
    }
  };
}
