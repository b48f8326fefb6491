import { describe, expect, it } from "vitest";
import { createDeliverySlots } from "../../src/webhooks/delivery-slots.ts";
import { holdMsAfter, MAX_AGE_MS, readRetryAfter, retryDelayMs } from "../../src/webhooks/retry-schedule.ts";
import { limitLookups } from "../../src/webhooks/send-message.ts";

describe("the delivery slots of a process", () => {
  const users = (applications: number, each: number) =>
    Array.from({ length: applications * each }, (_, index) => ({
      applicationId: `application ${index % applications}`,
      webhookId: `webhook ${index}`,
    }));

  it("go to one application for a third at most; its other webhooks are then skipped", () => {
    const lanes = createDeliverySlots(12);
    const own = users(1, 20);
    for (const user of own) lanes.take(user);
    expect(lanes.listFull()).toEqual(own.map(({ webhookId }) => webhookId));
    expect(own.filter((user) => lanes.take(user) !== null)).toEqual([]);
    expect(lanes.take({ applicationId: "other", webhookId: "other" })).not.toBeNull();
  });

  it("go to slow receivers of all applications for half at most, until they respond quickly", () => {
    const lanes = createDeliverySlots(12);
    const slow = users(6, 2);
    for (const { webhookId } of slow) lanes.recordSpeed(webhookId, true);
    const entered = slow.map((user) => lanes.take(user)).filter((lane) => lane !== null);
    expect(entered).toHaveLength(6);
    expect(lanes.listFull().toSorted()).toEqual(slow.map(({ webhookId }) => webhookId).toSorted());
    expect(lanes.take({ applicationId: "other", webhookId: "other" })).not.toBeNull();
    entered[0]?.[Symbol.dispose]();
    expect(slow.filter((user) => lanes.take(user) !== null)).toHaveLength(1);
    lanes.recordSpeed("webhook 11", false);
    expect(lanes.take(slow[11] ?? slow[0] ?? { applicationId: "", webhookId: "" })).not.toBeNull();
  });
});

describe("the retry schedule of webhook messages", () => {
  it("ends within three days, whatever the jitter", () => {
    let totalMs = 0;
    for (let attempts = 1; ; attempts += 1) {
      const waitMs = retryDelayMs(attempts, () => 1);
      if (waitMs === null) break;
      totalMs += waitMs;
    }
    expect(totalMs).toBeLessThan(MAX_AGE_MS);
    expect(totalMs).toBeGreaterThan(MAX_AGE_MS * 0.9);
  });

  it("pauses a webhook after three attempts without a response, longer each time up to half an hour", () => {
    expect([1, 2, 3, 4, 8, 5_000].map(holdMsAfter)).toEqual([null, null, 60_000, 120_000, 1_800_000, 1_800_000]);
  });

  it("follows Retry-After, within an hour", () => {
    const now = new Date("2026-03-11T10:00:00Z");
    const read = (header: string | null) => readRetryAfter(header, now);
    expect([null, "", "soon", "-5", "0", "Wed, 11 Mar 2026 09:00:00 GMT"].map(read)).toEqual(Array(6).fill(null));
    expect(["90", "999999999", "Wed, 11 Mar 2026 10:01:00 GMT", "1e3000"].map(read)).toEqual([
      90_000,
      3_600_000,
      60_000,
      null,
    ]);
  });
});

describe("lookups of receivers' names", () => {
  const { signal } = new AbortController();

  it("are limited, one per name, and count until they have ended", async () => {
    const asked = new Map<string, (addresses: string[]) => void>();
    const resolve = limitLookups((name) => new Promise((answer) => asked.set(name, answer)), { maxConcurrent: 2 });
    const impatient = new AbortController();
    const [first, same] = [resolve("a.example", impatient.signal), resolve("a.example", signal)];
    const [second, third] = [resolve("b.example", signal), resolve("c.example", signal)];
    impatient.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    expect([...asked.keys()]).toEqual(["a.example", "b.example"]);
    asked.get("a.example")?.(["192.0.43.8"]);
    expect(await same).toEqual(["192.0.43.8"]);
    await expect.poll(() => asked.get("c.example")).toBeDefined();
    asked.get("c.example")?.(["192.0.43.9"]);
    asked.get("b.example")?.(["192.0.43.10"]);
    expect(await Promise.all([second, third])).toEqual([["192.0.43.10"], ["192.0.43.9"]]);
  });

  it("are not repeated at once after a failure", async () => {
    let count = 0;
    const fail = () => Promise.reject(new Error(`failure ${++count}`));
    const resolve = limitLookups(fail);
    await expect(resolve("a.example", signal)).rejects.toThrow("failure 1");
    await expect(resolve("a.example", signal)).rejects.toThrow("failure 1");
    const forgetful = limitLookups(fail, { failureCacheMs: 0 });
    await expect(forgetful("a.example", signal)).rejects.toThrow("failure 2");
    await expect(forgetful("a.example", signal)).rejects.toThrow("failure 3");
  });
});
