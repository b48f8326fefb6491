import { register } from "prom-client";
import { describe, expect, it } from "vitest";
import type { ModelUsage } from "../src/models/model.ts";
import { withMetrics } from "../src/models/model-metrics.ts";
import { CostMeter } from "../src/models/usage.ts";
import { type ModelReply, modelAt, startModelServer } from "./_harness/model-server.ts";
import { patience, question } from "./_harness/question.ts";

const GOOD: ModelReply = { calls: [{ name: "click", input: { ref: "e1" } }] };

/** Waits that are only noted. */
function notedWaits() {
  const waits: number[] = [];
  return { waits, sleep: async (ms: number) => void waits.push(ms) };
}

describe("a provider that fails", () => {
  it.each<[string, ModelReply]>([
    ["408", { status: 408 }],
    ["409", { status: 409 }],
    ["429", { status: 429 }],
    ["500", { status: 500, body: '{"error":{"message":"the server had an error"}}' }],
    ["503 and a web page", { status: 503, body: "<html>down</html>", headers: { "content-type": "text/html" } }],
    ["529", { status: 529 }],
    ["a broken connection", { ...GOOD, midway: "break" }],
    ["half an answer that ends like a whole one", { ...GOOD, midway: "end" }],
    [
      "an error in the middle of its answer",
      { body: 'data: {"error":{"message":"overloaded"}}\n\n', contentType: "text/event-stream" },
    ],
    ["what is not JSON", { body: "data: {oops\n\n", contentType: "text/event-stream" }],
  ])("is asked again after %s", async (_, bad) => {
    await using server = await startModelServer([bad, GOOD]);
    const { waits, sleep } = notedWaits();
    const model = await modelAt(server, { sleep, random: () => 0 });
    const { calls, usage } = await model.ask(question(), patience());
    expect(calls).toEqual([{ tool: "click", input: { ref: "e1" } }]);
    expect(usage.requests).toBe(2);
    expect(waits).toEqual([1_000]);
  });

  it("is waited for as long as is wanted, with waits that grow and differ", async () => {
    await using server = await startModelServer(() => ({ status: 500 }));
    const { waits, sleep } = notedWaits();
    const model = await modelAt(server, { sleep, random: () => 0.5, patienceMs: 120_000 });
    await expect(model.ask(question(), patience())).rejects.toMatchObject({
      kind: "overloaded",
      usage: { requests: 8, inputTokens: 0 },
    });
    expect(waits).toEqual([1_250, 2_500, 5_000, 10_000, 20_000, 37_500, 37_500]);
  });

  it("is not paid for half an answer again and again", async () => {
    await using server = await startModelServer(() => ({ ...GOOD, midway: "break" }));
    await expect((await modelAt(server)).ask(question(), patience())).rejects.toThrow("break off");
    // Every other one is asked for in one piece, and then there is nothing of it at all.
    expect(server.requests.filter(({ stream }) => stream)).toHaveLength(4);
  });

  it("is what was missing when the time of a run ends while it is away", async () => {
    await using server = await startModelServer(() => ({ status: 503 }));
    const deadline = new AbortController();
    const sleep = async () => deadline.abort(new DOMException("late", "TimeoutError"));
    const model = await modelAt(server, { sleep });
    await expect(model.ask(question(), deadline.signal)).rejects.toMatchObject({ kind: "overloaded" });
  });

  it.each([
    ["in seconds", { "retry-after": "7" }, 7_000],
    ["in milliseconds", { "retry-after-ms": "2500.5", "retry-after": "9" }, 2_500.5],
    ["as a date", { "retry-after": "Wed, 11 Mar 2026 10:00:30 GMT" }, 30_000],
    ["as a date that is over", { "retry-after": "Wed, 11 Mar 2026 09:00:00 GMT" }, 1_000],
    ["in words that mean nothing", { "retry-after": "soon" }, 1_000],
  ])("is given the time that it asks for %s", async (_, headers, waitMs) => {
    await using server = await startModelServer([{ status: 429, headers }, GOOD]);
    const { waits, sleep } = notedWaits();
    const clock = { now: () => new Date("2026-03-11T10:00:00Z") };
    await (await modelAt(server, { sleep, random: () => 0, clock })).ask(question(), patience());
    expect(waits).toEqual([waitMs]);
  });

  it.each<[string, ModelReply, object]>([
    [
      "wants us to wait for longer than we may",
      { status: 429, headers: { "retry-after": "600" } },
      { kind: "rate_limited", message: expect.stringContaining("600 s") },
    ],
    [
      "has no credit left for us",
      { status: 429, body: '{"error":{"code":"insufficient_quota"}}' },
      { kind: "rate_limited", message: expect.stringContaining("credit") },
    ],
    ["says that it is of no use", { status: 500, headers: { "x-should-retry": "false" } }, { kind: "overloaded" }],
    [
      "knows no such model",
      { status: 404, body: '{"error":{"code":"model_not_found"}}' },
      { kind: "rejected", message: expect.stringMatching(/model_not_found.*ERRAND_MODEL/) },
    ],
    [
      "takes no such long prompt",
      {
        status: 400,
        body: '{"error":{"message":"This model\'s maximum context length is 4096 tokens, tools included"}}',
      },
      { kind: "rejected", message: expect.stringContaining("too long") },
    ],
    [
      "refuses the key",
      { status: 401 },
      { kind: "unauthorized", message: expect.stringContaining("ERRAND_MODEL_API_KEY") },
    ],
    ["forbids the model", { status: 403 }, { kind: "unauthorized" }],
    [
      "is a web site",
      { body: "<html>", contentType: "text/html" },
      { kind: "unreachable", message: expect.stringContaining("/v1") },
    ],
  ])("is not asked again when it %s", async (_, reply, failure) => {
    await using server = await startModelServer([reply, GOOD]);
    await expect((await modelAt(server)).ask(question(), patience())).rejects.toMatchObject(failure);
    expect(server.unsaid).toBe(1);
  });

  it("is unreachable when nobody listens", async () => {
    const server = await startModelServer();
    await server[Symbol.asyncDispose]();
    const model = await modelAt(server, { random: () => 0 });
    await expect(model.ask(question(), patience())).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(/ECONNREFUSED.*ERRAND_MODEL_BASE_URL/),
      usage: { requests: 10 },
    });
  });

  it.each<[string, ModelReply]>([
    ["before it answers", { hang: "at once" }],
    ["within its answer", { ...GOOD, midway: "hang" }],
  ])("is given up when it falls silent %s, and asked once more", async (_, reply) => {
    await using server = await startModelServer(() => reply);
    const model = await modelAt(server, { silenceMs: 80 });
    await expect(model.ask(question(), patience())).rejects.toMatchObject({
      kind: "timed_out",
      message: expect.stringContaining("ERRAND_MODEL_TIMEOUT_SECONDS"),
      usage: { requests: 2 },
    });
  });

  it("is asked for plain answers once streams have broken", async () => {
    await using server = await startModelServer([{ ...GOOD, midway: "end" }, GOOD]);
    await (await modelAt(server)).ask(question(), patience());
    expect(server.requests.map(({ stream }) => stream)).toEqual([true, false]);
  });
});

describe("a run that is called off", () => {
  it("leaves the request at once", async () => {
    await using server = await startModelServer([{ hang: "at once" }]);
    const controller = new AbortController();
    const asked = (await modelAt(server)).ask(question(), controller.signal);
    await server.untilAsked(1);
    controller.abort(new Error("called off"));
    await expect(asked).rejects.toThrow("called off");
    await server.untilLeft(1);
  });

  it("leaves an answer that is coming", async () => {
    await using server = await startModelServer([{ ...GOOD, midway: "hang" }]);
    const controller = new AbortController();
    const asked = (await modelAt(server)).ask(question(), controller.signal);
    await server.untilAsked(1);
    controller.abort(new Error("called off"));
    await expect(asked).rejects.toThrow("called off");
    await server.untilLeft(1);
  });

  it("does not sit out a wait, nor ask again", async () => {
    await using server = await startModelServer([{ status: 429, headers: { "retry-after": "50" } }, GOOD]);
    const controller = new AbortController();
    const { promise: waiting, resolve } = Promise.withResolvers<void>();
    const sleep = () => {
      resolve();
      return new Promise(() => {});
    };
    const asked = (await modelAt(server, { sleep })).ask(question(), controller.signal);
    await waiting;
    controller.abort(new Error("called off"));
    await expect(asked).rejects.toThrow("called off");
    expect(server.requests).toHaveLength(1);
  });

  it("is told what it has spent, once", async () => {
    await using server = await startModelServer([{ text: "No call." }, { ...GOOD, midway: "hang" }]);
    const controller = new AbortController();
    const uses: ModelUsage[] = [];
    const meter = new CostMeter(1_000_000);
    const model = meter.wrap(withMetrics(await modelAt(server)));
    const asked = model.ask(question({ onUsage: (use) => uses.push(use) }), controller.signal);
    await server.untilAsked(2);
    controller.abort(new Error("called off"));
    await expect(asked).rejects.toThrow("called off");
    expect(uses).toEqual([meter.total]);
    expect(meter.total).toMatchObject({ requests: 2, inputTokens: expect.toSatisfy((tokens: number) => tokens > 0) });
    expect(meter.takeSinceLast()).toEqual(meter.total);
    const counted = await register.getSingleMetric("errand_model_requests_total")?.get();
    expect(counted?.values).toEqual([expect.objectContaining({ value: 2 })]);
  });

  it("asks nothing when it was called off before", async () => {
    await using server = await startModelServer([GOOD]);
    const asked = (await modelAt(server)).ask(question(), AbortSignal.abort(new Error("called off")));
    await expect(asked).rejects.toThrow("called off");
    expect(server.requests).toHaveLength(0);
  });
});
