import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadline } from "../../src/lib/waiting.ts";

describe("a deadline", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("aborts when its time is over", async () => {
    using deadline = new Deadline(1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(deadline.signal.aborted).toBe(false);
    expect(deadline.spentShare).toBeCloseTo(0.999);
    await vi.advanceTimersByTimeAsync(1);
    expect(deadline.signal.aborted).toBe(true);
    expect(deadline.signal.reason).toMatchObject({ name: "TimeoutError" });
  });

  it("does not count pauses, not even ones that overlap or fail", async () => {
    using deadline = new Deadline(1_000);
    await vi.advanceTimersByTimeAsync(400);
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    const results = [deadline.pauseWhile(() => first.promise), deadline.pauseWhile(() => second.promise)];
    await vi.advanceTimersByTimeAsync(10_000);
    first.resolve("answered");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(deadline.spentShare).toBeCloseTo(0.4);
    second.reject(new Error("gone"));
    expect(await Promise.allSettled(results)).toMatchObject([{ value: "answered" }, { reason: { message: "gone" } }]);
    await vi.advanceTimersByTimeAsync(599);
    expect(deadline.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(deadline.signal.aborted).toBe(true);
  });

  it("never aborts once it is disposed", async () => {
    const deadline = new Deadline(1_000);
    deadline[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(deadline.signal.aborted).toBe(false);
  });
});
