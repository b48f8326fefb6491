import { setImmediate } from "node:timers/promises";
import { SessionLost } from "./browser-session.ts";

/** Knows whether the browser is still usable. Every wait for the browser goes through `unlessLost`, so none is endless. */
export class Lifeline {
  #loss: SessionLost | null = null;
  readonly #lost = Promise.withResolvers<never>();

  constructor() {
    this.#lost.promise.catch(() => {});
  }

  get isLost(): boolean {
    return this.#loss !== null;
  }

  /** Only the first reason is kept: later ones follow from it. */
  lose(reason: string, options?: ErrorOptions): SessionLost {
    this.#loss ??= new SessionLost(reason, options);
    this.#lost.reject(this.#loss);
    return this.#loss;
  }

  throwIfLost(): void {
    if (this.#loss !== null) throw this.#loss;
  }

  /** Waits for the work. Rejects early with SessionLost, or with the signal's reason. */
  async unlessLost<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    work.catch(() => {});
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await Promise.race([this.#lost.promise, aborted.promise, work]);
    } catch (error) {
      // When a browser dies, running calls fail a moment before the disconnect is reported.
      if (isClosedError(error)) await setImmediate();
      throw this.#loss ?? error;
    } finally {
      signal?.removeEventListener("abort", abort);
      aborted.promise.catch(() => {});
    }
  }
}

function isClosedError(error: unknown): boolean {
  return error instanceof Error && /has been closed|Target crashed|Connection closed/.test(error.message);
}
