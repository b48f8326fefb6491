import type { Clock } from "./clock.ts";

export interface RateLimit {
  perMinute: number;
  burst: number;
}

/** What a caller may do: `calls` within `windowSeconds`, of which `remaining` are left. */
interface Quota {
  calls: number;
  windowSeconds: number;
  remaining: number;
  /** Until all of them are available again. */
  resetSeconds: number;
}

interface Bucket {
  tokens: number;
  updatedAtMs: number;
}

const MAX_BUCKETS = 100_000;

/** One token bucket per key, in this process. Memory is bounded: the buckets unused for longest are dropped first. */
export class TokenBuckets {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Returns 0 when the call may proceed, else the seconds until it may. */
  take(key: string): number {
    const nowMs = this.#clock.now().getTime();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#limit.burst, updatedAtMs: nowMs };
    const elapsedMs = Math.max(0, nowMs - bucket.updatedAtMs);
    bucket.tokens = Math.min(this.#limit.burst, bucket.tokens + (elapsedMs * this.#limit.perMinute) / 60_000);
    bucket.updatedAtMs = nowMs;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_BUCKETS) this.#dropOldest();
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * 60) / this.#limit.perMinute);
    bucket.tokens -= 1;
    return 0;
  }

  /** As of the last call with this key. */
  peek(key: string): Quota {
    const { burst, perMinute } = this.#limit;
    const tokens = this.#buckets.get(key)?.tokens ?? burst;
    const secondsFor = (count: number) => Math.ceil((count * 60) / perMinute);
    return {
      calls: burst,
      windowSeconds: secondsFor(burst),
      remaining: Math.floor(tokens),
      resetSeconds: secondsFor(burst - tokens),
    };
  }

  // Re-insertion keeps the map ordered by last use, so the first key has been unused for longest.
  #dropOldest(): void {
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}
