import { OverloadedError } from "./errors.ts";

/** Limits concurrent work. Waiting calls run in the order they arrived. */
export interface Semaphore {
  /** Throws OverloadedError when the queue is full. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createSemaphore(count: number, maxWaiting = Number.POSITIVE_INFINITY): Semaphore {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async take(work) {
      if (free === 0 && waiting.length >= maxWaiting) throw new OverloadedError("semaphore");
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
