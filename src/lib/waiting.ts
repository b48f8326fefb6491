import { setTimeout as sleep } from "node:timers/promises";

/** What the promise answers, or null when it has not done so in time. It may go on; its failure is then nobody's. */
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

/** The result, or the signal's reason as soon as it is aborted. The work itself may go on; its failure is then nobody's. */
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

/** Waits that grow from one failure to the next, each a little by chance, so that many do not come back together. */
export class Backoff {
  readonly #firstMs: number;
  readonly #maxMs: number;
  #failures = 0;

  constructor({ firstMs, maxMs }: { firstMs: number; maxMs: number }) {
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
  }

  /** Ends early, without an error, when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const fullMs = Math.min(this.#maxMs, this.#firstMs * 2 ** this.#failures);
    this.#failures += 1;
    await sleep(fullMs * (0.75 + Math.random() / 4), undefined, { signal }).catch(() => {});
  }

  reset(): void {
    this.#failures = 0;
  }
}
