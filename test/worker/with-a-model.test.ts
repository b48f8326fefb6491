import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DemoShop } from "../../demo/shop.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { openShop } from "../_harness/demo-shop.ts";
import { type Line, ShownTurn } from "../_harness/model-script.ts";
import { type ModelReply, type ModelServer, startModelServer } from "../_harness/model-server.ts";
import { type ModelWorker, startModelWorker } from "../_harness/model-worker.ts";
import { agreeingWithEverything, readTrial } from "../_harness/scripted-judge.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

let shop: DemoShop;
let server: ModelServer;
let service: TestService;
let worker: ModelWorker;
let api: Api;
/** The planner's lines, one per turn; the last one repeats. */
let lines: Line[];
let judge: (request: Parameters<typeof readTrial>[0]) => ModelReply;

beforeAll(async () => {
  shop = await openShop();
  let turn = 0;
  server = await startModelServer((request) => {
    // After a failure, a worker checks that the model is reachable before it claims the next execution.
    if (request.toolNames.includes("ready")) return { calls: [{ name: "ready", input: {} }] };
    if (request.toolNames.includes("list_criteria")) {
      turn = 0;
      return { calls: [{ name: "list_criteria", input: { criteria: ["The answer names the price."] } }] };
    }
    if (request.toolNames.includes("give_verdict")) return judge(request);
    const line = lines[Math.min(turn++, lines.length - 1)];
    const said = line?.(new ShownTurn(request)) ?? { status: 500 };
    return Array.isArray(said) ? { calls: said } : "name" in said ? { calls: [said] } : (said as ModelReply);
  });
  service = await startTestService();
  worker = await startModelWorker(service, server, { privateHosts: [new URL(shop.url).host] });
});
afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await shop?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  const connection = await service.connect({ registration: { homeUrl: shop.url } });
  api = createApi(service.url, connection);
  lines = FIND_PRICE;
  judge = (request) => ({ calls: [{ name: "give_verdict", input: agreeingWithEverything(readTrial(request)) }] });
});

const priceOn = (turn: ShownTurn) => /€\d+\.\d\d/.exec(turn.page)?.[0] ?? "";
const FIND_PRICE: Line[] = [
  (turn) => turn.fill('searchbox "Search all products"', "kettle", { submit: true }),
  (turn) => turn.click('link "Brindle Kettle"'),
  (turn) => {
    const price = priceOn(turn);
    const facts = [{ about: "price", value: price, quote: price }];
    return { name: "done", input: { answer: `It costs ${price}.`, facts } };
  },
];
const ASK = { prompt: "What does the Brindle Kettle cost?" };

async function run(body: object = ASK) {
  const { id } = await api.created(body);
  let { execution } = (await api.get(id, "?wait=30")).body;
  while (execution.status === "QUEUED" || execution.status === "RUNNING") {
    ({ execution } = (await api.get(id, "?wait=30")).body);
  }
  const { events } = (await api.events(id)).body;
  return { id, execution, events };
}

describe("a service with a model", () => {
  it("carries out a prompt in plain English and reports its cost", async () => {
    const { execution, events } = await run();
    expect(execution, JSON.stringify(execution)).toMatchObject({
      status: "COMPLETED",
      terminal: { status: "verified" },
      result: { final_text: "It costs €64.90.", evidence: { verifier: { agreed: true }, side_effects: [] } },
      usage: { charged: true },
    });
    const costs = events.filter(({ type }) => type === "step").map(({ data }) => data["cost"]);
    // The start page is opened before the planner's first request; the criteria have been requested by then.
    expect(costs.slice(1)).toEqual(costs.slice(1).map(() => expect.objectContaining({ requests: 1 })));
    const last = events.at(-1)?.data["cost"] as { model: string; input_tokens: number; requests: number };
    expect(last).toMatchObject({ model: "openai-compatible:scripted", requests: 5 });
    expect(last.input_tokens).toBeGreaterThan(1_000);
    const verification = events.find(({ type }) => type === "verification")?.data as Record<string, unknown>;
    expect(verification).toMatchObject({ agreed: true, cost: { requests: 1 }, total_cost: last });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/errand_model_tokens_total\{model="openai-compatible:scripted",kind="input"\} \d{4,}/);
    expect(metrics).toMatch(/errand_executions_ended_total\{status="verified"\} [1-9]/);
  });

  it("accepts a judge's rejection, after one more attempt", async () => {
    const asked: string[] = [];
    judge = (request) => {
      asked.push(request.text);
      const verdict = agreeingWithEverything(readTrial(request));
      const criteria = verdict.criteria.map((each) => ({
        ...each,
        verdict: "contradicted",
        reason: "Not this kettle.",
      }));
      return { calls: [{ name: "give_verdict", input: { ...verdict, criteria } }] };
    };
    const { execution, events } = await run();
    expect(execution).toMatchObject({
      status: "FAILED",
      terminal: { status: "unverified" },
      usage: { charged: false },
    });
    expect(execution.error.message).toContain("Not this kettle.");
    expect(events.filter(({ type }) => type === "verification")).toHaveLength(2);
    expect(asked).toHaveLength(2);
    for (const text of asked) expect(text).not.toContain("Then more");
  });

  it.each([
    ["rate-limits requests for a long time", { status: 429, headers: { "retry-after": "3600" } }, "MODEL_RATE_LIMITED"],
    ["rejects the key", { status: 401, body: '{"error":{"message":"bad key"}}' }, "MODEL_UNAUTHORIZED"],
    ["does not exist", { status: 404, body: '{"error":{"message":"no such model"}}' }, "MODEL_REJECTED"],
    ["returns nothing usable", { text: "I would rather talk about the weather." }, "MODEL_UNUSABLE"],
  ] satisfies [string, ModelReply, string][])("ends as model_error when the model %s", async (_what, reply, code) => {
    lines = [() => reply];
    const { execution } = await run();
    expect(execution).toMatchObject({
      status: "FAILED",
      terminal: { status: "model_error" },
      error: { code },
      usage: { charged: false },
    });
    expect(JSON.stringify(execution)).not.toContain("key-canary");
  });

  it("ends as model_error when the verifier fails: no verdict, no success", async () => {
    judge = () => ({ status: 401 });
    const { execution } = await run();
    expect(execution).toMatchObject({ terminal: { status: "model_error" }, usage: { charged: false } });
  });

  it("stops waiting for an unresponsive model as soon as it is canceled", async () => {
    const asked = server.requests.length;
    lines = [() => ({ hang: "at once" })];
    const { id } = await api.created(ASK);
    await server.untilAsked(asked + 2);
    expect((await api.cancel(id)).status).toBe(200);
    const { execution } = (await api.get(id, "?wait=30")).body;
    expect(execution).toMatchObject({ status: "FAILED", terminal: { status: "canceled" }, usage: { charged: false } });
  });

  it("sends the model's key to the model only", async () => {
    const kept = await service.database.query(
      "select e::text, v::text from executions e join execution_events v on true",
    );
    for (const text of [JSON.stringify(kept), worker.log.join("\n"), service.log.join("\n"), server.everythingSent]) {
      expect(text).not.toContain("key-canary-7f3a");
    }
    expect(server.lastRequest.headers.authorization).toBe("Bearer key-canary-7f3a");
  });
});
