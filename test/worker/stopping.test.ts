import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Errand, ErrandOutcome } from "../../src/agent/loop/errand.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { failedErrand, ORDERED, startTestWorker, stepReport, untilStopped, VERIFIED } from "../_harness/worker.ts";

const NEVER_MS = 3_600_000;

describe("stopping a run", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(async () => {
    await expectLedgerAddsUp(service);
    await service[Symbol.asyncDispose]();
  });

  const newApi = async () => createApi(service.url, await service.connect());
  const ended = async (api: Api, id: string) => (await api.get(id, "?wait=30")).body.execution;
  const statusOf = async (api: Api, id: string) => (await api.get(id)).body.execution.status;

  /** An execution that records when it runs and why it was stopped. */
  function createScript(whenStopped: (errand: Errand) => Promise<ErrandOutcome>, begins = true) {
    const running = Promise.withResolvers<Errand>();
    const stopped = Promise.withResolvers<string>();
    async function run(errand: Errand): Promise<ErrandOutcome> {
      if (begins) await errand.begin();
      running.resolve(errand);
      stopped.resolve(await untilStopped(errand));
      return whenStopped(errand);
    }
    return { run, running: running.promise, stopped: stopped.promise };
  }

  const stopsAtOnce = async ({ signal }: Errand): Promise<never> => {
    throw signal.reason;
  };

  describe.each([
    // The lease is so long that no lease extension could notice it.
    ["with a notification", { leaseMs: NEVER_MS }],
    ["with every notification lost", { deaf: true, pollMs: 50, leaseMs: NEVER_MS }],
  ])("because it was canceled, %s,", (_name, options) => {
    it("ends it as canceled, not charged, with its side effects", async () => {
      const script = createScript(async () => failedErrand({ failure: "canceled", sideEffects: [ORDERED] }));
      await using _worker = await startTestWorker(service, { runErrand: script.run, ...options });
      const api = await newApi();
      const { id } = await api.created();
      await script.running;
      expect((await api.cancel(id)).body.execution.status).toBe("RUNNING");
      expect(await script.stopped).toBe("canceled");
      expect(await ended(api, id)).toMatchObject({
        status: "FAILED",
        terminal: { status: "canceled" },
        error: { code: "CANCELED", message: expect.stringContaining("one change") },
        usage: { charged: false },
      });
      expect((await api.events(id)).body.events.at(-1)?.data).toMatchObject({ side_effects: [ORDERED] });
      expect((await api.cancel(id)).status).toBe(200);
    });
  });

  it("uses the side effects of the steps when the run itself can no longer report them", async () => {
    const script = createScript(stopsAtOnce);
    await using _worker = await startTestWorker(service, { runErrand: script.run });
    const api = await newApi();
    const { id } = await api.created();
    await (await script.running).reporter.step(stepReport({ side_effects: [ORDERED] }));
    await api.cancel(id);
    expect(await ended(api, id)).toMatchObject({ terminal: { status: "canceled" } });
    expect((await api.events(id)).body.events.at(-1)?.data).toMatchObject({ side_effects: [ORDERED] });
  });

  it("says that nothing was changed when nothing was", async () => {
    const script = createScript(stopsAtOnce);
    await using _worker = await startTestWorker(service, { runErrand: script.run });
    const api = await newApi();
    const { id } = await api.created();
    await script.running;
    await api.cancel(id);
    expect((await ended(api, id)).error.message).toContain("Nothing was changed");
  });

  it("is too late for a run that is already verified", async () => {
    const script = createScript(async () => VERIFIED);
    await using _worker = await startTestWorker(service, { runErrand: script.run });
    const api = await newApi();
    const { id } = await api.created();
    await script.running;
    await api.cancel(id);
    expect(await ended(api, id)).toMatchObject({ status: "COMPLETED", usage: { charged: true } });
  });

  it("abandons a run that does not return", async () => {
    const script = createScript(() => new Promise(() => {}));
    await using _worker = await startTestWorker(service, { runErrand: script.run, stopTimeoutMs: 50 });
    const api = await newApi();
    const { id } = await api.created();
    await script.running;
    await api.cancel(id);
    expect(await ended(api, id)).toMatchObject({ terminal: { status: "canceled" } });
  });

  describe("whose lease is lost", () => {
    it("stores nothing, whatever the run returns", async () => {
      const script = createScript(async ({ reporter }) => {
        await reporter.step(stepReport()).catch(() => {});
        return VERIFIED;
      });
      await using _worker = await startTestWorker(service, {
        runErrand: script.run,
        pollMs: NEVER_MS,
        reapMs: NEVER_MS,
      });
      const api = await newApi();
      const { id } = await api.created();
      await script.running;
      const before = await api.events(id);
      await service.database.query("update executions set fence = fence + 1 where id = $1", [id]);
      expect(await script.stopped).toBe("lease_lost");
      await _worker[Symbol.asyncDispose]();
      expect((await api.events(id)).body).toEqual(before.body);
      expect(await statusOf(api, id)).toBe("RUNNING");
      await endByReaper(api, id);
    });

    it("is stopped at its next step, before anything more is done", async () => {
      const running = Promise.withResolvers<Errand>();
      const told = Promise.withResolvers<unknown>();
      await using _worker = await startTestWorker(service, {
        async runErrand(errand) {
          await errand.begin();
          running.resolve(errand);
          await service.database.query("update executions set fence = fence + 1 where prompt = 'Lose me.'");
          await errand.reporter.step(stepReport()).catch(told.resolve);
          return VERIFIED;
        },
        deaf: true,
        reapMs: NEVER_MS,
      });
      const api = await newApi();
      const { id } = await api.created({ prompt: "Lose me." });
      expect(await told.promise).toMatchObject({ kind: "lease_lost" });
      expect((await running.promise).signal.aborted).toBe(true);
      await _worker[Symbol.asyncDispose]();
      expect(await statusOf(api, id)).toBe("RUNNING");
      await endByReaper(api, id);
    });

    it("does not begin", async () => {
      const begun = Promise.withResolvers<boolean>();
      await using _worker = await startTestWorker(service, {
        async runErrand(errand) {
          await service.database.query("update executions set fence = fence + 1 where prompt = 'Never begin.'");
          begun.resolve(await errand.begin());
          return VERIFIED;
        },
        deaf: true,
        reapMs: NEVER_MS,
      });
      const api = await newApi();
      const { id } = await api.created({ prompt: "Never begin." });
      expect(await begun.promise).toBe(false);
      await _worker[Symbol.asyncDispose]();
      expect(await statusOf(api, id)).toBe("RUNNING");
    });

    /** As if the worker that took it over were lost too. */
    async function endByReaper(api: Api, id: string): Promise<void> {
      await service.database.query(
        "update executions set lease_expires_at = now() - interval '1 second' where id = $1",
        [id],
      );
      await using _reaper = await startTestWorker(service, { runErrand: async () => VERIFIED, reapMs: 20 });
      expect(await ended(api, id)).toMatchObject({ terminal: { status: "worker_lost" }, usage: { charged: false } });
    }
  });

  it("extends the lease of a long run", async () => {
    const script = createScript(async () => VERIFIED);
    await using _worker = await startTestWorker(service, { runErrand: script.run, leaseMs: 1_500, reapMs: 50 });
    const api = await newApi();
    const { id } = await api.created();
    await script.running;
    const leaseOf = async () =>
      (
        await service.database.query<{ until: Date }>(
          "select lease_expires_at as until from executions where id = $1 and status = 'RUNNING'",
          [id],
        )
      )[0]?.until.getTime() ?? 0;
    const first = await leaseOf();
    // Twice its length: without an extension the reaper would have ended it by then.
    await vi.waitFor(async () => expect(await leaseOf()).toBeGreaterThan(first + 3_000), { timeout: 100_000 });
    await api.cancel(id);
    expect((await ended(api, id)).status).toBe("COMPLETED");
  });

  describe("because the worker drains", () => {
    it("lets it finish, and claims nothing new", async () => {
      const running = Promise.withResolvers<void>();
      const mayEnd = Promise.withResolvers<void>();
      await using worker = await startTestWorker(service, {
        async runErrand(errand) {
          await errand.begin();
          running.resolve();
          await mayEnd.promise;
          return VERIFIED;
        },
        pollMs: 20,
      });
      const [api, other] = [await newApi(), await newApi()];
      const { id } = await api.created();
      await running.promise;
      const drained = worker.worker.drain(NEVER_MS);
      const { id: waiting } = await other.created();
      mayEnd.resolve();
      await drained;
      expect(await statusOf(api, id)).toBe("COMPLETED");
      expect(await statusOf(other, waiting)).toBe("QUEUED");
      await other.cancel(waiting);
    });

    it("puts back an execution that has not begun, for another worker to run", async () => {
      const script = createScript(stopsAtOnce, false);
      await using worker = await startTestWorker(service, { runErrand: script.run });
      const api = await newApi();
      const { id } = await api.created();
      await script.running;
      await worker.worker.drain(0);
      expect(await script.stopped).toBe("shutting_down");
      expect(await statusOf(api, id)).toBe("QUEUED");
      await using _next = await startTestWorker(service, { runErrand: async () => VERIFIED });
      expect((await ended(api, id)).status).toBe("COMPLETED");
    });

    it("ends an execution that has begun, and says that it is not retried automatically", async () => {
      const script = createScript(stopsAtOnce);
      await using worker = await startTestWorker(service, { runErrand: script.run });
      const api = await newApi();
      const { id } = await api.created();
      await (await script.running).reporter.step(stepReport({ side_effects: [ORDERED] }));
      await worker.worker.drain(0);
      expect((await api.get(id)).body.execution).toMatchObject({
        status: "FAILED",
        terminal: { status: "worker_lost" },
        error: { code: "SHUTTING_DOWN", message: expect.stringContaining("one change") },
        usage: { charged: false },
      });
    });

    it("honors a cancellation that was requested before it was put back", async () => {
      const script = createScript(async () => {
        throw new Error("stopped");
      }, false);
      await using worker = await startTestWorker(service, { runErrand: script.run, deaf: true });
      const api = await newApi();
      const { id } = await api.created();
      await script.running;
      await service.database.query("update executions set cancel_requested_at = now() where id = $1", [id]);
      await worker.worker.drain(0);
      const next = createScript(stopsAtOnce);
      await using _next = await startTestWorker(service, { runErrand: next.run });
      expect(await ended(api, id)).toMatchObject({ terminal: { status: "canceled" } });
    });
  });
});
