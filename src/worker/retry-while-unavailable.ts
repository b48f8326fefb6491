import { Backoff } from "../lib/waiting.ts";

/** Retries a write while the database is unavailable, until it succeeds or the signal aborts. */
export type RetryWhileUnavailable = <Result>(write: () => Promise<Result>) => Promise<Result>;

export function createRetryWhileUnavailable(
  signal: AbortSignal,
  isUnavailable: (error: unknown) => boolean,
): RetryWhileUnavailable {
  return async (write) => {
    const backoff = new Backoff({ firstMs: 100, maxMs: 5_000 });
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        signal.throwIfAborted();
        await backoff.wait(signal);
      }
    }
  };
}
