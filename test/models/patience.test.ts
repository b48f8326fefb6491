import { register } from "prom-client";
import { describe, expect, it } from "vitest";
import type { ModelUsage } from "../../src/models/model.ts";
import { withMetrics } from "../../src/models/model-metrics.ts";
import { CostMeter } from "../../src/models/usage.ts";
import { type ModelReply, modelAt, startModelServer } from "../_harness/model-server.ts";
import { patience, question } from "../_harness/question.ts";

const GOOD: ModelReply = { calls: [{ name: "click", input: { ref: "e1" } }] };

/** Records the waits instead of sleeping. */
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
    ["half an answer that ends like a complete one", { ...GOOD, midway: "end" }],
    [
      "an error in the middle of its answer",
      { body: 'data: {"error":{"message":"overloaded"}}\n\n', contentType: "text/event-stream" },
    ],
    ["invalid JSON", { body: "data: {oops\n\n", contentType: "text/event-stream" }],
  ])("is asked again after %s", async (_, bad) => {
    await using server = await startModelServer([bad, GOOD]);
    const { waits, sleep } = notedWaits();
    const model = await modelAt(server, { sleep, random: () => 0 });
    const { calls, usage } = await model.ask(question(), patience());
    expect(calls).toEqual([{ tool: "click", input: { ref: "e1" } }]);
    expect(usage.requests).toBe(2);
    expect(waits).toEqual([1_000]);
  });

  it("is retried for the given time, with exponential backoff and jitter", async () => {
    await using server = await startModelServer(() => ({ status: 500 }));
    const { waits, sleep } = notedWaits();
    const model = await modelAt(server, { sleep, random: () => 0.5, patienceMs: 120_000 });
    await expect(model.ask(question(), patience())).rejects.toMatchObject({
      kind: "overloaded",
      usage: { requests: 8, inputTokens: 0 },
    });
    expect(waits).toEqual([1_250, 2_500, 5_000, 10_000, 20_000, 37_500, 37_500]);
  });

  it("is not paid for half an answer over and over", async () => {
    await using server = await startModelServer(() => ({ ...GOOD, midway: "break" }));
    await expect((await modelAt(server)).ask(question(), patience())).rejects.toThrow("break off");
    // Every other request is not streamed, and its broken answer is lost entirely.
    expect(server.requests.filter(({ stream }) => stream)).toHaveLength(4);
  });

  it("is the reported cause when a run's deadline passes while the provider is down", async () => {
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
    ["as a date in the past", { "retry-after": "Wed, 11 Mar 2026 09:00:00 GMT" }, 1_000],
    ["as an invalid value", { "retry-after": "soon" }, 1_000],
  ])("is given the requested delay %s", async (_, headers, waitMs) => {
    await using server = await startModelServer([{ status: 429, headers }, GOOD]);
    const { waits, sleep } = notedWaits();
    const clock = { now: () => new Date("2026-03-11T10:00:00Z") };
    await (await modelAt(server, { sleep, random: () => 0, clock })).ask(question(), patience());
    expect(waits).toEqual([waitMs]);
  });

  it.each<[string, ModelReply, object]>([
    [
      "asks for a longer delay than allowed",
      { status: 429, headers: { "retry-after": "600" } },
      { kind: "rate_limited", message: expect.stringContaining("600 s") },
    ],
    [
      "reports that the credit is used up",
      { status: 429, body: '{"error":{"code":"insufficient_quota"}}' },
      { kind: "rate_limited", message: expect.stringContaining("credit") },
    ],
    ["says not to retry", { status: 500, headers: { "x-should-retry": "false" } }, { kind: "overloaded" }],
    [
      "does not know the model",
      { status: 404, body: '{"error":{"code":"model_not_found"}}' },
      { kind: "rejected", message: expect.stringMatching(/model_not_found.*ERRAND_MODEL/) },
    ],
    [
      "rejects the prompt as too long",
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
      "is a website",
      { body: "<html>", contentType: "text/html" },
      { kind: "unreachable", message: expect.stringContaining("/v1") },
    ],
  ])("is not asked again when it %s", async (_, reply, failure) => {
    await using server = await startModelServer([reply, GOOD]);
    await expect((await modelAt(server)).ask(question(), patience())).rejects.toMatchObject(failure);
    expect(server.unsaid).toBe(1);
  });

  it("is unreachable when nothing listens", async () => {
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
    ["in the middle of its answer", { ...GOOD, midway: "hang" }],
  ])("times out when it goes silent %s, and is asked once more", async (_, reply) => {
    await using server = await startModelServer(() => reply);
    const model = await modelAt(server, { silenceMs: 80 });
    await expect(model.ask(question(), patience())).rejects.toMatchObject({
      kind: "timed_out",
      message: expect.stringContaining("ERRAND_MODEL_TIMEOUT_SECONDS"),
      usage: { requests: 2 },
    });
  });

  it("is asked without streaming after a stream has broken", async () => {
    await using server = await startModelServer([{ ...GOOD, midway: "end" }, GOOD]);
    await (await modelAt(server)).ask(question(), patience());
    expect(server.requests.map(({ stream }) => stream)).toEqual([true, false]);
  });
});

describe("an aborted run", () => {
  it("aborts the request at once", async () => {
    await using server = await startModelServer([{ hang: "at once" }]);
    const controller = new AbortController();
    const asked = (await modelAt(server)).ask(question(), controller.signal);
    await server.untilAsked(1);
    controller.abort(new Error("called off"));
    await expect(asked).rejects.toThrow("called off");
    await server.untilLeft(1);
  });

  it("aborts an answer that is being streamed", async () => {
    await using server = await startModelServer([{ ...GOOD, midway: "hang" }]);
    const controller = new AbortController();
    const asked = (await modelAt(server)).ask(question(), controller.signal);
    await server.untilAsked(1);
    controller.abort(new Error("called off"));
    await expect(asked).rejects.toThrow("called off");
    await server.untilLeft(1);
  });

  it("ends a retry delay and does not ask again", async () => {
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

  it("reports its usage once", async () => {
    const countRequests = async () => {
      const values = (await register.getSingleMetric("errand_model_requests_total")?.get())?.values ?? [];
      return values.reduce((sum, { value }) => sum + value, 0);
    };
    await using server = await startModelServer([{ text: "No call." }, { ...GOOD, midway: "hang" }]);
    const controller = new AbortController();
    const uses: ModelUsage[] = [];
    const before = await countRequests();
    const meter = new CostMeter(1_000_000);
    const model = meter.wrap(withMetrics(await modelAt(server)));
    const asked = model.ask(question({ onUsage: (use) => uses.push(use) }), controller.signal);
    await server.untilAsked(2);
    controller.abort(new Error("called off"));
    await expect(asked).rejects.toThrow("called off");
    expect(uses).toEqual([meter.total]);
    expect(meter.total).toMatchObject({ requests: 2, inputTokens: expect.toSatisfy((tokens: number) => tokens > 0) });
    expect(meter.takeSinceLast()).toEqual(meter.total);
    expect((await countRequests()) - before).toBe(2);
  });

  it("sends no request when it was aborted before", async () => {
    await using server = await startModelServer([GOOD]);
    const asked = (await modelAt(server)).ask(question(), AbortSignal.abort(new Error("called off")));
    await expect(asked).rejects.toThrow("called off");
    expect(server.requests).toHaveLength(0);
  });
});
