import type { Mark } from "./browser-session.ts";

/** The order of everything that happens in one session. */
export class Timeline {
  #now = 0;

  mark(): Mark {
    return this.#now as Mark;
  }

  /** The position of an event that happens now: after every earlier mark. */
  next(): number {
    this.#now += 1;
    return this.#now;
  }
}

export function isAfter(at: number, mark: Mark): boolean {
  return at > mark;
}

/** Lets any number of callers wait for the next occurrence of an event. */
export class Pulse {
  #next = Promise.withResolvers<void>();
  #firedMs = Number.NEGATIVE_INFINITY;

  /** How long ago it occurred last. */
  get quietMs(): number {
    return performance.now() - this.#firedMs;
  }

  next(): Promise<void> {
    return this.#next.promise;
  }

  fire(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<void>();
    this.#firedMs = performance.now();
    resolve();
  }
}
