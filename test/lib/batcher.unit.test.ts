import { describe, expect, it } from "vitest";
import { createBatcher } from "../../src/lib/batcher.ts";

/** A load that the test completes. */
function createLoad() {
  const loads: { keys: number[]; resolve(): void; reject(error: Error): void }[] = [];
  const load = (keys: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      loads.push({ keys, resolve: () => resolve(keys.map((key) => `value ${key}`)), reject });
    });
  return { loads, load };
}

describe("a batcher", () => {
  it("loads a single call at once, and later calls together, each with its own value", async () => {
    const { loads, load } = createLoad();
    const find = createBatcher({ load, maxKeys: 10, maxConcurrent: 1, maxWaiting: 10 });
    const answers = Promise.all([1, 2, 3].map(find));
    expect(loads.map(({ keys }) => keys)).toEqual([[1]]);
    loads[0]?.resolve();
    await expect.poll(() => loads.map(({ keys }) => keys)).toEqual([[1], [2, 3]]);
    loads[1]?.resolve();
    expect(await answers).toEqual(["value 1", "value 2", "value 3"]);
  });

  it("never serves a call from a load that started before it", async () => {
    const { loads, load } = createLoad();
    const find = createBatcher({ load, maxKeys: 10, maxConcurrent: 1, maxWaiting: 10 });
    const first = find(7);
    const second = find(7);
    loads[0]?.resolve();
    await first;
    await expect.poll(() => loads.length).toBe(2);
    loads[1]?.resolve();
    expect(await second).toBe("value 7");
  });

  it("respects its limits", async () => {
    const { loads, load } = createLoad();
    const find = createBatcher({ load, maxKeys: 2, maxConcurrent: 2, maxWaiting: 10 });
    const answers = Promise.all([1, 2, 3, 4, 5, 6].map(find));
    expect(loads.map(({ keys }) => keys)).toEqual([[1], [2]]);
    loads[0]?.resolve();
    await expect.poll(() => loads.map(({ keys }) => keys)).toEqual([[1], [2], [3, 4]]);
    for (const index of [1, 2]) loads[index]?.resolve();
    await expect.poll(() => loads.length).toBe(4);
    loads[3]?.resolve();
    expect(await answers).toHaveLength(6);
  });

  it("rejects the calls of a failed load, and continues", async () => {
    const { loads, load } = createLoad();
    const find = createBatcher({ load, maxKeys: 10, maxConcurrent: 1, maxWaiting: 10 });
    const failing = find(1);
    const fine = find(2);
    loads[0]?.reject(new Error("broken"));
    await expect(failing).rejects.toThrow("broken");
    await expect.poll(() => loads.length).toBe(2);
    loads[1]?.resolve();
    expect(await fine).toBe("value 2");
  });

  it("rejects calls beyond the queue limit at once, and serves the others", async () => {
    const { loads, load } = createLoad();
    const find = createBatcher({ load, maxKeys: 10, maxConcurrent: 1, maxWaiting: 2 });
    const answers = Promise.all([1, 2, 3].map(find));
    await expect(find(4)).rejects.toMatchObject({ code: "UNAVAILABLE", retryAfterSeconds: expect.any(Number) });
    loads[0]?.resolve();
    await expect.poll(() => loads.length).toBe(2);
    loads[1]?.resolve();
    expect(await answers).toEqual(["value 1", "value 2", "value 3"]);
  });
});
