import { setImmediate } from "node:timers/promises";
import { SessionLost } from "./browser-session.ts";

/** Whether the browser is still there. Whoever waits for the browser waits through it, so that nobody waits forever. */
export class Lifeline {
  #loss: SessionLost | null = null;
  readonly #lost = Promise.withResolvers<never>();

  constructor() {
    this.#lost.promise.catch(() => {});
  }

  get isLost(): boolean {
    return this.#loss !== null;
  }

  /** The first reason counts: what follows from it is noise. */
  lose(reason: string, options?: ErrorOptions): SessionLost {
    this.#loss ??= new SessionLost(reason, options);
    this.#lost.reject(this.#loss);
    return this.#loss;
  }

  throwIfLost(): void {
    if (this.#loss !== null) throw this.#loss;
  }

  /** Ends early with SessionLost, or with the signal's reason. */
  async until<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    work.catch(() => {});
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await Promise.race([this.#lost.promise, aborted.promise, work]);
    } catch (error) {
      // A browser that dies breaks off what runs before it is known to be dead.
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
