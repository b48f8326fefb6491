/** Lets so many work at a time; the others wait in the order in which they came. */
export interface Turns {
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(count: number): Turns {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async take(work) {
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
