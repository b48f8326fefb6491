import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ExecutionRecord } from "../../src/executions/execution.ts";
import { createExecutions } from "../../src/executions/executions.ts";

const ID = "0199c1a0-0000-7000-8000-000000000001";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A running execution without events, and until when it is watched: extended as in the database, when half of the time is over. */
function startWatched() {
  let untilMs = 0;
  const store = {
    find: async () => ({ id: ID, status: "RUNNING" }) as ExecutionRecord,
    listEvents: async () => [],
    watch: async (_id: string, forMs: number) => {
      if (untilMs < performance.now() + forMs / 2) untilMs = performance.now() + forMs;
    },
  };
  /** Steps of the run, so that following does not come back just when a watch is to be extended. */
  const updates = {
    subscribe: (_id: string, listener: () => void) => {
      const timer = setTimeout(listener, 4_700);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    },
  };
  const executions = createExecutions({ store, updates } as unknown as Parameters<typeof createExecutions>[0]);
  return {
    isWatched: () => untilMs > performance.now(),
    async follow(): Promise<AbortController> {
      const leaving = new AbortController();
      const events = await executions.followEvents("c", ID, 0, leaving.signal);
      void events.next();
      return leaving;
    },
  };
}

it.each([5, 15, 25, 29, 31, 45])("stays announced to a follower who came %i s after one who left", async (seconds) => {
  const { follow, isWatched } = startWatched();
  const first = await follow();
  await vi.advanceTimersByTimeAsync(seconds * 1_000);
  const second = await follow();
  first.abort();
  for (let passed = 0; passed < 180; passed += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isWatched(), `${passed} s later`).toBe(true);
  }
  second.abort();
});
