import { OverloadedError } from "./errors.ts";

interface BatcherOptions<Key, Value> {
  /** The values of the keys, in their order. */
  load(keys: Key[]): Promise<Value[]>;
  maxKeys: number;
  maxUnderWay: number;
  /** How many calls may wait for their load. */
  maxWaiting: number;
}

interface Call<Key, Value> {
  key: Key;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

/**
 * Puts calls that come while others are under way together into the next load; alone, a call goes at once. Nothing is
 * remembered: every load starts after the calls it answers.
 */
export function createBatcher<Key, Value>({ load, maxKeys, maxUnderWay, maxWaiting }: BatcherOptions<Key, Value>) {
  const waiting: Call<Key, Value>[] = [];
  let underWay = 0;

  async function answer(calls: Call<Key, Value>[]): Promise<void> {
    try {
      const values = await load(calls.map(({ key }) => key));
      for (const [index, call] of calls.entries()) call.resolve(values[index] as Value);
    } catch (error) {
      for (const call of calls) call.reject(error);
    }
  }

  async function run(): Promise<void> {
    underWay += 1;
    while (waiting.length > 0) await answer(waiting.splice(0, maxKeys));
    underWay -= 1;
  }

  return (key: Key): Promise<Value> =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) return reject(new OverloadedError("look-ups"));
      waiting.push({ key, resolve, reject });
      if (underWay < maxUnderWay) void run();
    });
}
