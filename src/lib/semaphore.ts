import { OverloadedError } from "./errors.ts";

/** Lets so many work at a time; the others wait in the order in which they came. */
export interface Semaphore {
  /** Throws when as many wait as may. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createSemaphore(count: number, maxWaiting = Number.POSITIVE_INFINITY): Semaphore {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async take(work) {
      if (free === 0 && waiting.length >= maxWaiting) throw new OverloadedError("turns");
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
