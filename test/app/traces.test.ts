import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoShop } from "../../demo/shop.ts";
import { createOtlpTracer } from "../../src/app/otlp-tracer.ts";
import { reservePort } from "../../src/lib/free-port.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { createApi } from "../_harness/api.ts";
import { openShop } from "../_harness/demo-shop.ts";
import { ShownTurn } from "../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../_harness/model-server.ts";
import { startModelWorker } from "../_harness/model-worker.ts";
import { agreeingWithEverything, readTrial } from "../_harness/scripted-judge.ts";
import { startTestService } from "../_harness/service.ts";
import { type CollectedSpan, startTraceCollector, type TraceCollector } from "../_harness/trace-collector.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const PROMPT_CANARY = "canary-3f9c1d";

function tracerTo(endpoint: string, role: string, log: string[] = []) {
  const logger = createLogger("debug", { write: (line) => log.push(line) });
  return createOtlpTracer({ endpoint, samplePercent: 100, service: { "errand.roles": role }, logger });
}

/** Searches, follows the link, and reports the price. */
function startShopper(): Promise<ModelServer> {
  let turn = 0;
  return startModelServer((request) => {
    const { toolNames } = request;
    if (toolNames.includes("list_criteria")) {
      return { calls: [{ name: "list_criteria", input: { criteria: ["The answer names the price."] } }] };
    }
    if (toolNames.includes("give_verdict")) {
      return { calls: [{ name: "give_verdict", input: agreeingWithEverything(readTrial(request)) }] };
    }
    const shown = new ShownTurn(request);
    turn += 1;
    if (turn === 1) return { calls: [shown.fill('searchbox "Search all products"', "kettle", { submit: true })] };
    if (turn === 2) return { calls: [shown.click('link "Brindle Kettle"')] };
    const price = /€\d+\.\d\d/.exec(shown.page)?.[0] ?? "";
    const facts = [{ about: "price", value: price, quote: price }];
    return { calls: [{ name: "done", input: { answer: `It costs ${price}.`, facts } }] };
  });
}

describe("one execution, created and run by two processes with traces", () => {
  let shop: DemoShop;
  let collector: TraceCollector;
  let execution: { id: string };
  let token: string;
  let serviceLog: string[];
  let workerLog: string[];

  beforeAll(async () => {
    await using parts = new AsyncDisposableStack();
    shop = parts.use(await openShop());
    collector = await startTraceCollector();
    const model = parts.use(await startShopper());
    const apiTracer = parts.use(tracerTo(collector.url, "api"));
    const workerTracer = parts.use(tracerTo(collector.url, "worker"));
    const service = parts.use(await startTestService({ telemetry: { tracer: apiTracer, registries: [] } }));
    const privateHosts = [new URL(shop.url).host];
    const worker = parts.use(await startModelWorker(service, model, { privateHosts, tracer: workerTracer }));
    const connection = await service.connect({ registration: { homeUrl: shop.url } });
    const api = createApi(service.url, connection);
    const prompt = `What does the Brindle Kettle cost? My password is ${PROMPT_CANARY}.`;
    const headers = { traceparent: `00-${TRACE_ID}-${CALLER}-01`, "x-request-id": "request-7" };
    execution = await api.created({ prompt }, headers);
    const hasEnded = async () => (await api.get(execution.id, "?wait=20")).body.execution.terminal !== null;
    while (!(await hasEnded()));
    ({ token } = connection);
    ({ log: serviceLog } = service);
    ({ log: workerLog } = worker);
  });
  afterAll(() => collector[Symbol.asyncDispose]());

  const named = (name: string) => collector.spans.filter((span) => span.name === name);
  const only = (name: string): CollectedSpan => {
    const [span, ...others] = named(name);
    if (span === undefined || others.length > 0) throw new Error(`${name} is there ${others.length} times more`);
    return span;
  };
  const linesOf = (log: string[]) => log.map((line) => JSON.parse(line) as Record<string, unknown>);

  it("continues the caller's trace from create over claim, steps, model and verification to finish", () => {
    const [create, run] = [only("execution.create"), only("execution.run")];
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
    expect(create).toMatchObject({ parentSpanId: CALLER, role: "api" });
    expect(run).toMatchObject({ parentSpanId: create.spanId, role: "worker" });
    const parents = new Map(collector.spans.map((span) => [span.spanId, span.parentSpanId]));
    for (const name of ["execution.plan", "browser.open", "step.decide", "step.act", "execution.verify"]) {
      expect(named(name).map(({ parentSpanId }) => parentSpanId)).toContain(run.spanId);
    }
    expect(only("execution.finish").parentSpanId).toBe(run.spanId);
    const deciding = named("step.decide").map(({ spanId }) => spanId);
    const asked = named("model.ask").map(({ parentSpanId }) => parentSpanId ?? "");
    expect(asked.filter((parent) => deciding.includes(parent))).toHaveLength(3);
    expect(asked).toContain(only("execution.verify").spanId);
    for (const { parentSpanId = "" } of collector.spans) expect([...parents.keys(), CALLER]).toContain(parentSpanId);
  });

  it("contains names and states, and no text that anyone wrote", () => {
    const id = execution.id;
    expect(only("execution.create").attributes).toMatchObject({ "errand.execution_id": id });
    expect(only("execution.run").attributes).toMatchObject({
      "errand.execution_id": id,
      "errand.status": "verified",
      "errand.steps": 3,
    });
    expect(named("step.act").map(({ attributes }) => attributes["errand.action"])).toEqual(["goto", "fill", "click"]);
    const everything = collector.received.join("\n");
    const { host } = new URL(shop.url);
    for (const text of [PROMPT_CANARY, "Brindle", "kettle", token, "key-canary-7f3a", host, "€"]) {
      expect(everything).not.toContain(text);
    }
  });

  it("can be found in the logs of both processes by its id, with request and trace ids", () => {
    const ids = { execution_id: execution.id, trace_id: TRACE_ID };
    const created = linesOf(serviceLog).find(({ status }) => status === 201);
    expect(created).toMatchObject({ ...ids, request_id: "request-7", connection_id: expect.any(String) });
    const lines = linesOf(workerLog).filter((line) => line["execution_id"] === execution.id);
    const [first, last] = [lines[0], lines.at(-1)];
    expect(first).toMatchObject({ ...ids, msg: "Execution started", fence: 1, worker: expect.any(String) });
    expect(last).toMatchObject({ ...ids, msg: "Execution ended", report: "finished", status: "verified", steps: 3 });
    expect(last).toMatchObject({ duration_ms: expect.any(Number), cost: { model: "openai-compatible:scripted" } });
    expect(linesOf(workerLog).filter(({ level }) => level === "warn" || level === "error")).toEqual(
      lines.filter(({ level }) => level === "warn" || level === "error"),
    );
    for (const secret of [PROMPT_CANARY, token, "key-canary-7f3a"]) {
      expect([...serviceLog, ...workerLog].filter((line) => line.includes(secret))).toEqual([]);
    }
  });
});

describe("a tracer", () => {
  it("drops what the caller does not sample, and propagates that decision", async () => {
    await using collector = await startTraceCollector();
    {
      await using tracer = tracerTo(collector.url, "api");
      const options = { kind: "server", attributes: {} } as const;
      const unkept = tracer.start("unkept", { ...options, parent: `00-${TRACE_ID}-${CALLER}-00` });
      unkept?.startChild("child", {}).end();
      unkept?.end();
      expect(unkept?.traceId).toBeNull();
      expect(unkept?.traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`));
      // An invalid trace context starts a new trace.
      tracer.start("kept", { ...options, parent: `00-${"0".repeat(32)}-${CALLER}-01` })?.end();
    }
    expect(collector.spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([["kept", undefined]]);
  });

  it("whose collector is down logs it once, and still shuts down", async () => {
    const { port, release } = await reservePort();
    await release();
    const log: string[] = [];
    {
      await using tracer = tracerTo(`http://127.0.0.1:${port}`, "api", log);
      const speak = () => tracer.start("lost", { parent: null, kind: "server", attributes: {} })?.end();
      speak();
      await expect.poll(() => log.length, { timeout: 100_000 }).toBe(1);
      speak();
    }
    expect(log.map((line) => JSON.parse(line).msg)).toEqual([
      "Cannot deliver traces; dropping them until the collector is back",
    ]);
  });
});
