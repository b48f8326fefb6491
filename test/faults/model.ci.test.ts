import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { type LoopbackServer, startLoopbackServer } from "../_harness/browser.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import type { ModelRequest } from "../_harness/model-request.ts";
import { ShownTurn } from "../_harness/model-script.ts";
import { type ModelReply, type ModelServer, startModelServer } from "../_harness/model-server.ts";
import { type ModelWorker, startModelWorker } from "../_harness/model-worker.ts";
import { agreeingWithEverything, readTrial } from "../_harness/scripted-judge.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const PATIENCE = { timeout: 100_000, interval: 50 };
const PAGE = `<title>Order</title><h1>Order</h1><form method="post" action="/orders"><button>Order</button></form>`;
const DONE = "<title>Thank you</title><h1>Thank you</h1><p>Your order has been received.</p>";
const ORDER = { prompt: "Click Order." };

describe("a model that is unavailable", () => {
  let site: LoopbackServer;
  let orders = 0;
  let model: ModelServer;
  let service: TestService;
  let worker: ModelWorker;
  let api: Api;
  /** The model's replies instead of an answer; the last one repeats. Empty when it is healthy. */
  let troubles: ModelReply[] = [];
  /** The same for the planner's questions after the order, once each. */
  let afterOrder: ModelReply[] = [];

  beforeAll(async () => {
    site = await startLoopbackServer((request, response) => {
      if (request.method === "POST") orders += 1;
      if (request.method === "POST") response.writeHead(303, { location: "/done" }).end();
      else response.setHeader("content-type", "text/html").end(request.url === "/done" ? DONE : PAGE);
    });
    model = await startModelServer((request) => (troubles.length > 1 ? troubles.shift() : troubles[0]) ?? say(request));
    service = await startTestService();
    const privateHosts = [new URL(site.url).host];
    worker = await startModelWorker(service, model, {
      privateHosts,
      settings: { ERRAND_MODEL_PATIENCE_SECONDS: "10" },
    });
  });
  afterAll(async () => {
    for (const part of [worker, service, model, site]) await part?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    orders = 0;
    troubles = [];
    afterOrder = [];
    api = createApi(service.url, await service.connect({ registration: { homeUrl: `${site.url}/` } }));
  });

  /** The answers of a healthy model. */
  function say(request: ModelRequest): ModelReply {
    const [tool = ""] = request.toolNames;
    if (tool === "ready") return { calls: [{ name: tool, input: {} }] };
    if (tool === "list_criteria") return { calls: [{ name: tool, input: { criteria: ["The order was received."] } }] };
    if (tool === "decide") return { calls: [{ name: tool, input: { agreed: true, reason: "It was asked for." } }] };
    if (tool === "give_verdict") {
      return { calls: [{ name: tool, input: agreeingWithEverything(readTrial(request)) }] };
    }
    const turn = new ShownTurn(request);
    if (!turn.page.includes("Thank you")) return { calls: [turn.click('button "Order"')] };
    const facts = [{ about: "order", value: "received", quote: "Your order has been received." }];
    return afterOrder.shift() ?? { calls: [{ name: "done", input: { answer: "It is ordered.", facts } }] };
  }

  const ended = async (id: string) => (await api.get(id, "?wait=30")).body.execution;

  it("after the order was sent: the run waits for it, continues, and sends nothing twice", async () => {
    afterOrder = [
      { calls: [{ name: "done", input: {} }], midway: "break" },
      { status: 503, headers: { "retry-after": "1" } },
    ];
    const execution = await ended((await api.created(ORDER)).id);
    expect(execution, JSON.stringify(execution.error)).toMatchObject({ status: "COMPLETED" });
    expect([afterOrder.length, orders]).toEqual([0, 1]);
  });

  it("for longer: one run ends as model_error, uncharged; the others stay queued and run when it is back", async () => {
    troubles = [{ status: 503 }];
    const { id: first } = await api.created(ORDER);
    expect(await ended(first)).toMatchObject({
      status: "FAILED",
      terminal: { status: "model_error" },
      error: { code: "MODEL_OVERLOADED" },
      usage: { charged: false },
    });
    const rest = [await api.created(ORDER), await api.created(ORDER)];
    await vi.waitFor(
      () => expect(worker.log.join()).toContain("Model unavailable; claiming only executions with a recipe"),
      PATIENCE,
    );
    const asked = model.requests.length;
    await model.untilAsked(asked + 1);
    for (const { id } of rest) expect((await api.get(id)).body.execution.status).toBe("QUEUED");
    expect(model.requests.slice(asked).every(({ toolNames }) => toolNames.includes("ready"))).toBe(true);
    troubles = [];
    for (const { id } of rest) expect((await ended(id)).status).toBe("COMPLETED");
    expect(orders).toBe(2);
    await expectLedgerAddsUp(service);
  });
});
