import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { type LoopbackServer, startLoopbackServer } from "../_harness/browser.ts";
import { findTraces } from "../_harness/browser-processes.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../_harness/browsing-worker.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { type FaultSite, PROMPTS, startFaultSite } from "./_site.ts";

const PROCESS = { maxMemoryBytes: 700 * 1024 ** 2, silenceMs: 8_000 };
const GREEDY = `<title>Greedy</title><h1>Greedy</h1><script>
  const taken = [];
  setInterval(() => { for (let i = 0; i < 10; i += 1) taken.push(new Uint8Array(8e6).fill(1)); }, 20);
</script>`;

describe("a browser that fails during a run", () => {
  let site: FaultSite;
  let greedy: LoopbackServer;
  let service: TestService;
  let worker: BrowsingWorker;
  let api: Api;

  beforeAll(async () => {
    site = await startFaultSite();
    greedy = await startLoopbackServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(GREEDY);
    });
    service = await startTestService();
    const privateHosts = [site.host, new URL(greedy.url).host];
    worker = await startBrowsingWorker(service, { privateHosts, process: PROCESS });
    api = createApi(service.url, await service.connect());
  });
  afterAll(async () => {
    for (const part of [worker, service, greedy, site]) await part?.[Symbol.asyncDispose]();
    expect(findTraces()).toEqual({ folders: [], browsers: [], renderers: [], all: [] });
  });

  const ended = async (id: string) => (await api.get(id, "?wait=30")).body.execution;
  const order = async (key: string) =>
    (await api.created({ prompt: PROMPTS.order, start_url: site.url("order", key) })).id;
  const signal = (pids: readonly number[], name: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, name);
  };

  const MOMENTS = {
    "opening its first page": { method: "GET", path: "/order", orders: 0 },
    "waiting for the response to an order": { method: "POST", path: "/orders", orders: 1 },
    verifying: { method: "GET", path: "/done", after: 1, orders: 1 },
  } as const;
  const FAULTS = {
    "is killed": () => signal(findTraces().browsers, "SIGKILL"),
    "loses its pages": () => signal(findTraces().renderers, "SIGKILL"),
    hangs: () => signal(findTraces().browsers, "SIGSTOP"),
  } as const;

  it.each([
    ["is killed", "opening its first page"],
    ["hangs", "waiting for the response to an order"],
    ["loses its pages", "waiting for the response to an order"],
    ["is killed", "verifying"],
  ] as const)(
    "(it %s while %s) ends it as site_error, uncharged, with its side effects; the next run works",
    async (fault, moment) => {
      const { orders, ...wanted } = MOMENTS[moment];
      const key = `${fault}-${moment}`.replaceAll(" ", "-");
      const held = site.hold({ key, ...wanted });
      const id = await order(key);
      await held.arrived;
      FAULTS[fault]();
      const execution = await ended(id);
      held.release();
      expect(execution, JSON.stringify(execution)).toMatchObject({
        status: "FAILED",
        terminal: { status: "site_error" },
        error: { code: "BROWSER_LOST" },
        usage: { charged: false },
      });
      expect(site.countOrders(key)).toBe(orders);
      const last = (await api.events(id)).body.events.at(-1);
      expect(last?.data["side_effects"] ?? []).toHaveLength(orders);
      expect((await ended(await order(`${key}-next`))).status).toBe("COMPLETED");
    },
  );

  it("is replaced if it was prestarted and then killed or hung, and the run continues in another", async () => {
    await vi.waitFor(() => expect(findTraces().browsers).toHaveLength(1), { timeout: 100_000 });
    signal(findTraces().browsers, "SIGSTOP");
    expect((await ended(await order("warm"))).status).toBe("COMPLETED");
  });

  it("ends only its own run when a page uses up the memory", async () => {
    const { id } = await api.created({ prompt: "What is the price of the kettle?", start_url: `${greedy.url}/` });
    expect(await ended(id)).toMatchObject({
      terminal: { status: "site_error", reason: expect.stringContaining("used more than 700 MB of memory") },
    });
    expect((await ended(await order("after-greed"))).status).toBe("COMPLETED");
    await expectLedgerAddsUp(service);
  });
});
