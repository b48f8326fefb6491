import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Errand } from "../../src/agent/loop/errand.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { startTestWorker, VERIFIED } from "../_harness/worker.ts";

const NEVER_MS = 3_600_000;

describe("a worker", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const newApi = async () => createApi(service.url, await service.connect());
  const ended = async (api: Api, id: string) => (await api.get(id, "?wait=30")).body.execution;

  it("claims a queued execution as soon as it is notified, and stores the result", async () => {
    await using _worker = await startTestWorker(service, { runErrand: async () => VERIFIED, pollMs: NEVER_MS });
    const api = await newApi();
    const { id } = await api.created({ prompt: "What does the kettle cost?", start_url: "https://shop.example/" });
    expect(await ended(api, id)).toMatchObject({
      status: "COMPLETED",
      terminal: { status: "verified", reason: "Every check agreed." },
      result: { final_text: "It costs 12.50.", extracted: { price: 12.5 } },
      error: null,
      usage: { charged: true },
    });
    const { events } = (await api.events(id)).body;
    expect(events.map(({ type }) => type)).toEqual(["execution.queued", "execution.started", "execution.completed"]);
  });

  it("finds queued executions by polling when all notifications are lost", async () => {
    const api = await newApi();
    const { id: before } = await api.created();
    await using _worker = await startTestWorker(service, { runErrand: async () => VERIFIED, deaf: true, pollMs: 50 });
    expect((await ended(api, before)).status).toBe("COMPLETED");
    const { id: after } = await api.created();
    expect((await ended(api, after)).status).toBe("COMPLETED");
  });

  it("that was idle claims nothing when artifacts can no longer be stored", async () => {
    const folder = join(service.dataDir, "artifacts");
    await using idle = await startTestWorker(service, { runErrand: async () => VERIFIED, pollMs: 50, recheckMs: 100 });
    const api = await newApi();
    expect((await ended(api, (await api.created()).id)).status).toBe("COMPLETED");
    await expect.poll(() => isReplaced(folder), { timeout: 100_000 }).toBe(true);
    await expect.poll(() => idle.worker.listUnavailable(), { timeout: 100_000 }).toEqual(["artifacts"]);
    const { id } = await api.created();
    expect((await api.get(id)).body.execution.status).toBe("QUEUED");
    rmSync(folder);
    expect((await ended(api, id)).status).toBe("COMPLETED");
    expect(idle.worker.listUnavailable()).toEqual([]);
  });

  it("passes the agent the task, its limits and the time", async () => {
    const errands: Errand[] = [];
    await using _worker = await startTestWorker(service, {
      runErrand: async (errand) => {
        errands.push(errand);
        return VERIFIED;
      },
    });
    const api = await newApi();
    const request = { prompt: "Read.", start_url: "https://shop.example/", output_schema: { type: "object" } };
    await ended(api, (await api.created(request)).id);
    expect(errands).toHaveLength(1);
    expect(errands[0]).toMatchObject({
      task: {
        prompt: "Read.",
        startUrl: "https://shop.example/",
        outputSchema: { type: "object" },
        now: expect.any(Date),
      },
      limits: { maxSteps: 50, maxDurationMs: 600_000 },
    });
    expect(await errands[0]?.findOutputProblems({ type: "object" }, [])).toEqual(["/ must be object"]);
  });

  it("respects its concurrency and runs one execution per connection, until all are done", async () => {
    const apis = await Promise.all(Array.from({ length: 5 }, newApi));
    const created = (
      await Promise.all(apis.map(async (api) => [await api.created(), await api.created(), await api.created()]))
    ).flat();
    let most = 0;
    let running = 0;
    const gate = Promise.withResolvers<void>();
    const runErrand = async () => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      await new Promise(setImmediate);
      running -= 1;
      return VERIFIED;
    };
    await using _worker = await startTestWorker(service, { runErrand, concurrency: 3, pollMs: NEVER_MS });
    await vi.waitFor(() => expect(running).toBe(3), { timeout: 100_000 });
    // Each notifies the worker while all its slots are taken.
    for (const api of apis) created.push(await api.created());
    expect(running).toBe(3);
    gate.resolve();
    for (const [index, { id }] of created.entries()) {
      const api = apis[index < 15 ? Math.floor(index / 3) : index - 15] as Api;
      expect((await ended(api, id)).status).toBe("COMPLETED");
    }
    expect(most).toBe(3);
    await expectLedgerAddsUp(service);
  });

  it("shares the queue with others, and nothing is run twice", async () => {
    const ran: string[] = [];
    const runErrand = async ({ task }: Errand) => {
      ran.push(task.prompt);
      return VERIFIED;
    };
    await using _first = await startTestWorker(service, { runErrand });
    await using _second = await startTestWorker(service, { runErrand });
    const apis = await Promise.all(Array.from({ length: 4 }, newApi));
    const prompts = Array.from({ length: 24 }, (_, number) => `Errand ${number}.`);
    await Promise.all(
      prompts.map(async (prompt, index) => {
        const api = apis[index % 4] as Api;
        await ended(api, (await api.created({ prompt })).id);
      }),
    );
    expect(ran.toSorted()).toEqual(prompts.toSorted());
  });

  it("claims nothing while there is no browser, and continues when there is one", async () => {
    let checks = 0;
    let hasBrowser = false;
    const runErrand = vi.fn(async () => VERIFIED);
    await using worker = await startTestWorker(service, {
      runErrand,
      async checkBrowser() {
        checks += 1;
        if (!hasBrowser) throw new Error("There is no browser here.");
      },
    });
    const api = await newApi();
    const { id } = await api.created();
    await vi.waitFor(() => expect(checks).toBeGreaterThan(1), { timeout: 100_000 });
    expect((await api.get(id)).body.execution.status).toBe("QUEUED");
    expect(runErrand).not.toHaveBeenCalled();
    expect(worker.log.join()).toContain("There is no browser here.");
    hasBrowser = true;
    expect((await ended(api, id)).status).toBe("COMPLETED");
  });

  it("puts an execution back when the browser is gone, and does not fail the rest of the queue", async () => {
    let hasBrowser = true;
    await using worker = await startTestWorker(service, {
      async runErrand(errand) {
        if (hasBrowser) return VERIFIED;
        await errand.openSession(errand.signal);
        return VERIFIED;
      },
      async checkBrowser() {
        if (!hasBrowser) throw new Error("The browser is gone.");
      },
    });
    const apis = [await newApi(), await newApi(), await newApi()];
    await ended(apis[0] as Api, (await (apis[0] as Api).created()).id);
    hasBrowser = false;
    const created = await Promise.all(apis.map((api) => api.created()));
    await vi.waitFor(() => expect(worker.log.join()).toContain("putting the execution back into the queue"), {
      timeout: 100_000,
    });
    hasBrowser = true;
    for (const [index, { id }] of created.entries()) {
      expect((await ended(apis[index] as Api, id)).status).toBe("COMPLETED");
    }
  });

  it("fails an execution whose own browser cannot be opened while others can", async () => {
    await using _worker = await startTestWorker(service, {
      async runErrand(errand) {
        await errand.openSession(errand.signal);
        return VERIFIED;
      },
    });
    const api = await newApi();
    expect(await ended(api, (await api.created()).id)).toMatchObject({ terminal: { status: "internal_error" } });
  });
});

/** Replaces the folder with a file; false when the worker was just writing into it. */
function isReplaced(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    writeFileSync(folder, "");
    return true;
  } catch {
    return false;
  }
}
