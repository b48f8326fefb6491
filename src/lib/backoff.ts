import { setTimeout as sleep } from "node:timers/promises";

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
