import { OverloadedError } from "./errors.ts";

interface BatcherOptions<Key, Value> {
  /** Returns one value per key, in the same order. */
  load(keys: Key[]): Promise<Value[]>;
  maxKeys: number;
  maxConcurrent: number;
  /** How many calls may wait for the next load. Further calls are rejected with OverloadedError. */
  maxWaiting: number;
}

interface Call<Key, Value> {
  key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/**
 * Batches calls that arrive while other loads are running. A call that arrives while nothing is running loads at once.
 * Nothing is cached: every load starts after the calls it serves.
 */
export function createBatcher<Key, Value>({ load, maxKeys, maxConcurrent, maxWaiting }: BatcherOptions<Key, Value>) {
  const waiting: Call<Key, Value>[] = [];
  let running = 0;

  async function loadBatch(calls: Call<Key, Value>[]): Promise<void> {
    try {
      const values = await load(calls.map(({ key }) => key));
      for (const [index, call] of calls.entries()) call.resolve(values[index] as Value);
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
  }

  async function run(): Promise<void> {
    running += 1;
    while (waiting.length > 0) await loadBatch(waiting.splice(0, maxKeys));
    running -= 1;
  }

  return (key: Key): Promise<Value> =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) return reject(new OverloadedError("lookups"));
      waiting.push({ key, resolve, reject });
      if (running < maxConcurrent) void run();
    });
}
