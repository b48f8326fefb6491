import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Execution } from "../../src/contract/execution.ts";
import { type Claim, reap } from "../../src/executions/queue.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { COMPLETED, FAILED, openTestQueue, type TestQueue } from "../_harness/engine.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { stepReport } from "../_harness/worker.ts";

const LEASE_MS = 60_000;

describe("the queue", () => {
  let service: TestService;
  let queue: TestQueue;

  beforeAll(async () => {
    service = await startTestService();
    queue = openTestQueue(service.database.url, 20);
  });
  afterAll(async () => {
    await queue[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const newApi = async () => createApi(service.url, await service.connect());

  async function createMany(api: Api, count: number): Promise<Execution[]> {
    const created: Execution[] = [];
    for (let number = 0; number < count; number += 1) created.push(await api.created({ prompt: `Errand ${number}.` }));
    return created;
  }

  async function claimed(): Promise<Claim> {
    const claim = await queue.store.claim(LEASE_MS);
    if (claim === null) throw new Error("the queue is empty");
    return claim;
  }

  /** As if the lease had expired without being extended. */
  const expire = (id: string) =>
    service.database.query("update executions set lease_expires_at = now() - interval '1 second' where id = $1", [id]);

  it("returns a connection's executions oldest first, one at a time", async () => {
    const api = await newApi();
    const [first, second] = await createMany(api, 2);
    const claim = await claimed();
    expect(claim).toMatchObject({ execution: { id: first?.id, status: "RUNNING" }, fence: 1 });
    expect(await queue.store.claim(LEASE_MS)).toBeNull();
    await queue.store.finish(claim.execution.id, claim.fence, COMPLETED);
    const next = await claimed();
    expect(next.execution.id).toBe(second?.id);
    await queue.store.finish(next.execution.id, next.fence, FAILED);
    expect(await queue.store.claim(LEASE_MS)).toBeNull();
    expect((await api.events(first?.id ?? "")).body.events.map(({ type }) => type)).toEqual([
      "execution.queued",
      "execution.started",
      "execution.completed",
    ]);
  });

  it("alternates between connections, however many executions one has queued", async () => {
    const apis = [await newApi(), await newApi(), await newApi()];
    await createMany(apis[0] as Api, 5);
    await createMany(apis[1] as Api, 2);
    await createMany(apis[2] as Api, 2);
    const order: string[] = [];
    for (let turn = 0; turn < 9; turn += 1) {
      const { execution, fence } = await claimed();
      order.push(execution.connectionId);
      await queue.store.finish(execution.id, fence, COMPLETED);
    }
    const [a, b, c] = order;
    expect(new Set([a, b, c]).size).toBe(3);
    expect(order).toEqual([a, b, c, a, b, c, a, a, a]);
  });

  it("never runs two of one connection at a time, however many workers claim", async () => {
    const apis = await Promise.all(Array.from({ length: 5 }, newApi));
    const created = (await Promise.all(apis.map((api) => createMany(api, 12)))).flat();
    const running = new Set<string>();
    const finished: string[] = [];
    const worker = async () => {
      for (
        let claim = await queue.store.claim(LEASE_MS);
        finished.length < created.length;
        claim = await queue.store.claim(LEASE_MS)
      ) {
        if (claim === null) {
          await new Promise(setImmediate);
          continue;
        }
        const { execution, fence } = claim;
        expect(running.has(execution.connectionId), "two of one connection run at a time").toBe(false);
        running.add(execution.connectionId);
        await new Promise(setImmediate);
        running.delete(execution.connectionId);
        expect(await queue.store.finish(execution.id, fence, COMPLETED)).not.toBeNull();
        finished.push(execution.id);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(finished.toSorted()).toEqual(created.map(({ id }) => id).toSorted());
    await expectLedgerAddsUp(service);
  });

  it("loses no notification between creates, claims, ends and cancels", async () => {
    const api = await newApi();
    const seen = new Set<string>();
    let created = 0;
    let isCreating = true;
    const creating = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let number = 0; number < 25; number += 1) {
          const { id } = await api.created();
          created += 1;
          if (number % 5 === 0 && (await api.cancel(id)).body.execution?.status === "FAILED") seen.add(id);
        }
      }),
    ).finally(() => {
      isCreating = false;
    });
    while (isCreating || seen.size < created) {
      const claim = await queue.store.claim(LEASE_MS);
      if (claim === null) {
        await new Promise(setImmediate);
        continue;
      }
      await queue.store.finish(claim.execution.id, claim.fence, COMPLETED);
      seen.add(claim.execution.id);
    }
    await creating;
    expect(seen.size).toBe(100);
    await expectLedgerAddsUp(service);
  });

  it("skips executions that were canceled while they were queued", async () => {
    const api = await newApi();
    const [first, second] = await createMany(api, 2);
    await api.cancel(first?.id ?? "");
    const { execution, fence } = await claimed();
    expect(execution.id).toBe(second?.id);
    await queue.store.finish(execution.id, fence, COMPLETED);
  });

  describe("lets the holder of a lease", () => {
    it("write as long as it extends the lease, and learn about a cancellation", async () => {
      const api = await newApi();
      const { id } = await api.created();
      const { fence } = await claimed();
      expect(await queue.store.extend(id, fence, LEASE_MS)).toEqual({ cancelRequested: false });
      expect(await queue.store.begin(id, fence)).toBe(true);
      expect(await queue.store.appendEvent(id, fence, { type: "step", data: stepReport() })).toBe(true);
      await api.cancel(id);
      expect(await queue.store.extend(id, fence, LEASE_MS)).toEqual({ cancelRequested: true });
      await queue.store.finish(id, fence, FAILED);
      expect((await api.events(id)).body.events.at(-2)).toMatchObject({
        id: 3,
        type: "step",
        data: stepReport(),
      });
    });

    it("neither begin nor continue once the lease has expired, even before it is reaped", async () => {
      const { id } = await (await newApi()).created();
      const { fence } = await claimed();
      await expire(id);
      expect(await queue.store.begin(id, fence)).toBe(false);
      expect(await queue.store.extend(id, fence, LEASE_MS)).toBeNull();
      await reap(queue.store);
      const again = await claimed();
      await queue.store.finish(again.execution.id, again.fence, COMPLETED);
    });

    it("write nothing once it was taken over", async () => {
      const api = await newApi();
      const { id } = await api.created();
      const old = await claimed();
      await expire(id);
      expect(await reap(queue.store)).toEqual({ ended: 0, putBack: 1 });
      const current = await claimed();
      expect(current.execution.id).toBe(id);
      expect(current.fence).toBeGreaterThan(old.fence);
      expect(await queue.store.extend(id, old.fence, LEASE_MS)).toBeNull();
      expect(await queue.store.begin(id, old.fence)).toBe(false);
      expect(await queue.store.appendEvent(id, old.fence, { type: "step", data: {} })).toBe(false);
      expect(await queue.store.putBack(id, old.fence)).toBe(false);
      expect(await queue.store.finish(id, old.fence, COMPLETED)).toBeNull();
      expect((await api.get(id)).body.execution.status).toBe("RUNNING");
      expect(await queue.store.finish(id, current.fence, COMPLETED)).not.toBeNull();
    });
  });

  it("never reruns an execution that had begun: it ends as lost, not charged, and frees its connection", async () => {
    const api = await newApi();
    const [lost, waiting] = await createMany(api, 2);
    const { execution, fence } = await claimed();
    await queue.store.begin(execution.id, fence);
    expect(await reap(queue.store)).toEqual({ ended: 0, putBack: 0 });
    await expire(execution.id);
    expect(await reap(queue.store)).toEqual({ ended: 1, putBack: 0 });
    expect((await api.get(lost?.id ?? "")).body.execution).toMatchObject({
      status: "FAILED",
      terminal: { status: "worker_lost" },
      error: { code: "WORKER_LOST" },
      usage: { charged: false },
    });
    expect(await queue.store.finish(execution.id, fence, COMPLETED)).toBeNull();
    const next = await claimed();
    expect(next.execution.id).toBe(waiting?.id);
    await queue.store.finish(next.execution.id, next.fence, COMPLETED);
    await expectLedgerAddsUp(service);
  });

  it("puts an execution that has not begun back at its position", async () => {
    const api = await newApi();
    const [first] = await createMany(api, 2);
    const { execution, fence } = await claimed();
    expect(await queue.store.putBack(execution.id, fence)).toBe(true);
    expect((await api.get(execution.id)).body.execution.status).toBe("QUEUED");
    const again = await claimed();
    expect(again.execution.id).toBe(first?.id);
    await queue.store.begin(again.execution.id, again.fence);
    expect(await queue.store.putBack(again.execution.id, again.fence)).toBe(false);
    await queue.store.finish(again.execution.id, again.fence, COMPLETED);
    const last = await claimed();
    await queue.store.finish(last.execution.id, last.fence, COMPLETED);
  });

  it("reaps once, however many reapers there are", async () => {
    const api = await newApi();
    const { id } = await api.created();
    const { fence } = await claimed();
    await queue.store.begin(id, fence);
    await expire(id);
    const reports = await Promise.all(Array.from({ length: 6 }, () => reap(queue.store)));
    expect(reports.reduce((sum, { ended }) => sum + ended, 0)).toBe(1);
    await expectLedgerAddsUp(service);
  });

  it("notifies about new work", async () => {
    const api = await newApi();
    const hinted = new Promise<void>((resolve) => {
      const subscription = queue.notifications.subscribeQueue(() => {
        subscription[Symbol.dispose]();
        resolve();
      });
    });
    await api.created();
    await hinted;
    const { execution, fence } = await claimed();
    await queue.store.finish(execution.id, fence, COMPLETED);
  });
});
