import { setTimeout as sleep } from "node:timers/promises";

/** The result, or null when the time is over first. The work is not stopped; a later failure is ignored. */
export async function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, timeoutMs, null);
  try {
    promise.catch(() => {});
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result; rejects with the signal's reason as soon as it aborts. The work is not stopped; a later failure is ignored. */
export async function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Exponential backoff with jitter, so that many clients do not retry at the same moment. */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  #failures = 0;

  constructor({ firstMs, maxMs }: { firstMs: number; maxMs: number }) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
  }

  /** Returns early, without an error, when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const fullMs = Math.min(this.#maxMs, this.#firstMs * 2 ** this.#failures);
    this.#failures += 1;
    await sleep(fullMs * (0.75 + Math.random() / 4), undefined, { signal }).catch(() => {});
  }

  reset(): void {
    this.#failures = 0;
  }
}
