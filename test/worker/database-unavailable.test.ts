import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { withDatabaseAway } from "../_harness/database-away.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { startTestWorker, stepReport, type TestWorker, VERIFIED } from "../_harness/worker.ts";

describe("a worker whose database is unavailable", () => {
  let service: TestService;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    api = createApi(service.url, await service.connect());
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const ended = async (id: string) => (await api.get(id, "?wait=30")).body.execution;
  const untilBack = () => vi.waitFor(async () => expect((await api.list()).status).toBe(200), { timeout: 100_000 });

  /** The lease check fails every second, so the run's write has failed at least once by then. */
  const untilNoticed = ({ log }: TestWorker) =>
    vi.waitFor(() => expect(log.join()).toContain("Lease check failed"), { timeout: 100_000 });

  it.each(["refuses", "is gone"] as const)(
    "(it %s) neither ends nor busy-loops, and continues when it is back",
    async (how) => {
      await using worker = await startTestWorker(service, { runErrand: async () => VERIFIED, pollMs: 50 });
      await ended((await api.created()).id);
      await withDatabaseAway(service, how, async () => {
        const troubles = () => worker.log.filter((line) => line.includes("Queue poll failed")).length;
        await vi.waitFor(() => expect(troubles()).toBeGreaterThan(1), { timeout: 100_000 });
        // With backoff: a busy loop would have tried hundreds of times by now.
        expect(troubles()).toBeLessThan(20);
      });
      await untilBack();
      expect((await ended((await api.created()).id)).status).toBe("COMPLETED");
    },
  );

  it("retries storing a step until it succeeds, and ends normally", async () => {
    const running = Promise.withResolvers<void>();
    const isAway = Promise.withResolvers<void>();
    await using worker = await startTestWorker(service, {
      async runErrand({ begin, reporter }) {
        await begin();
        running.resolve();
        await isAway.promise;
        await reporter.step(stepReport());
        return VERIFIED;
      },
    });
    const { id } = await api.created();
    await running.promise;
    await withDatabaseAway(service, "refuses", async () => {
      isAway.resolve();
      await untilNoticed(worker);
    });
    await untilBack();
    expect((await ended(id)).status).toBe("COMPLETED");
    expect((await api.events(id)).body.events.map(({ type }) => type)).toContain("step");
  });

  it("stores the end of a run as soon as it is back", async () => {
    const running = Promise.withResolvers<void>();
    const isAway = Promise.withResolvers<void>();
    await using worker = await startTestWorker(service, {
      async runErrand({ begin }) {
        await begin();
        running.resolve();
        await isAway.promise;
        return VERIFIED;
      },
    });
    const { id } = await api.created();
    await running.promise;
    await withDatabaseAway(service, "refuses", async () => {
      isAway.resolve();
      await untilNoticed(worker);
    });
    await untilBack();
    expect((await ended(id)).status).toBe("COMPLETED");
  });
});
