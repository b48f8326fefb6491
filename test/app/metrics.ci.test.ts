import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ErrorBody } from "../../src/contract/error.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, errandJson, type RunningErrand, startErrand } from "../_harness/errand.ts";
import { type ModelServer, startModelServer } from "../_harness/model-server.ts";

const TOKEN = "metrics-canary-91c2f7d0";
const ROOT = join(import.meta.dirname, "../..");

let data: Awaited<ReturnType<typeof createDataDir>>;
let database: TestDatabase;
let model: ModelServer;
let env: Record<string, string>;
let service: RunningErrand;
let api: Api;

beforeAll(async () => {
  data = await createDataDir();
  database = await createTestDatabase();
  // Rejects every request.
  model = await startModelServer();
  env = {
    ...data.env,
    DATABASE_URL: database.url,
    ERRAND_METRICS_TOKEN: TOKEN,
    ERRAND_MODEL: "openai-compatible:scripted",
    ERRAND_MODEL_BASE_URL: model.url,
  };
  service = await startErrand(env, ["start"]);
  const { id } = await errandJson<{ id: string }>(["app", "create", "--name", "A", "--type", "public"], env);
  const connected = await errandJson<{ access_token: string }>(
    ["connect", "--application", id, "--user", "a@example.com"],
    env,
  );
  api = createApi(service.url, { applicationId: id, token: connected.access_token });
});
afterAll(async () => {
  await service?.end("SIGTERM");
  await model?.[Symbol.asyncDispose]();
  await data?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

/** Looks like a request through a proxy. */
const fromElsewhere = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/metrics`, { headers: { "x-forwarded-for": "203.0.113.7", ...headers } });

async function readMetrics(url = service.url): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** The metric names, without the suffixes of histograms. */
function namesIn(text: string): string[] {
  const names = [...text.matchAll(/\b(?:errand|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name);
  return [...new Set(names.map((name) => name.replace(/_(?:bucket|sum|count)$/, "")))].sort();
}

describe("the metrics of a service", () => {
  it("show created and ended executions, failures and costs", async () => {
    const { id } = await api.created({ prompt: "What does the kettle cost?" });
    while ((await api.get(id, "?wait=20")).body.execution.terminal === null);
    await expect.poll(() => readMetrics(), { timeout: 100_000 }).toContain('errand_runs_total{result="finished"} 1');
    const metrics = await readMetrics();
    const samples = metrics.split("\n");
    expect(samples).toContain('errand_execution_creates_total{outcome="created"} 1');
    expect(samples).toContain('errand_executions_ended_total{status="model_error"} 1');
    expect(samples).toContain('errand_execution_failures_total{status="model_error",code="MODEL_REJECTED"} 1');
    expect(samples).toContain('errand_model_failures_total{model="openai-compatible:scripted",reason="rejected"} 1');
    expect(samples).toContain("errand_execution_wait_seconds_count 1");
    expect(samples).toContain("errand_worker_places 2");
    expect(samples).toContain("errand_worker_running 0");
    expect(samples).toContain('errand_credits_total{kind="reserve"} 1');
    expect(samples).toContain('errand_credits_total{kind="release"} 1');
    expect(samples).toContain("errand_hints_connected 1");
    expect(metrics).toMatch(/errand_build_info\{version="[\d.]+",schema_version="\d+",roles="api,worker"\} 1/);
    expect(metrics).toMatch(/errand_database_connections\{pool="main",state="free"\} \d+/);
  });

  it("match the documentation, the dashboard and the alerts", async () => {
    const metrics = await readMetrics();
    const kinds = new Map([...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", kind]) => [name, kind]));
    const rows = [...metrics.matchAll(/^# HELP (errand_\S+) (.+)$/gm)].map(
      ([, name = "", help]) => `| \`${name}\` | ${kinds.get(name)} | ${help} |`,
    );
    const docs = await readFile(join(ROOT, "docs/operations.md"), "utf8");
    expect(docs.match(/^\| `errand_.+$/gm)).toEqual(rows.sort());
    const known = [...kinds.keys()];
    for (const file of ["deploy/grafana/errand.json", "deploy/prometheus/alerts.yaml", "docs/operations.md"]) {
      const named = namesIn(await readFile(join(ROOT, file), "utf8"));
      expect(
        named.filter((name) => !known.includes(name)),
        file,
      ).toEqual([]);
    }
    const dashboard = namesIn(await readFile(join(ROOT, "deploy/grafana/errand.json"), "utf8"));
    expect(known.filter((name) => name.startsWith("errand_") && !dashboard.includes(name))).toEqual([]);
  });

  it("start at zero where an alert uses an increase, so that the first one counts", async () => {
    const samples = (await readMetrics()).split("\n");
    expect(samples).toContain('errand_executions_ended_total{status="internal_error"} 0');
    expect(samples).toContain('errand_model_failures_total{model="openai-compatible:scripted",reason="unreachable"} 0');
    expect(samples).toContain('errand_jobs_total{task="deliver-webhook",outcome="failed"} 0');
    const alerts = await readFile(join(ROOT, "deploy/prometheus/alerts.yaml"), "utf8");
    for (const [, name = ""] of alerts.matchAll(/increase\((errand_\w+)/g)) {
      expect(
        samples.filter((sample) => sample.startsWith(`${name}{`) && sample.endsWith(" 0")),
        name,
      ).not.toEqual([]);
    }
  });

  it("exclude probes and scrapes from the share of failures", async () => {
    for (const file of ["deploy/prometheus/alerts.yaml", "deploy/grafana/errand.json"]) {
      const text = (await readFile(join(ROOT, file), "utf8")).replaceAll('\\"', '"');
      const share = /\{[^}]*status=~"5\.\.",(route!~"[^"]+")\}[^/]+\/[^{]*?\{([^}]*)\}/.exec(text);
      expect(share?.[1], file).toBe('route!~"/healthz|/readyz|/metrics"');
      expect(share?.[2], file).toContain(share?.[1]);
    }
  });

  it("follow the naming conventions of Prometheus", async () => {
    for (const [, name = "", kind] of (await readMetrics()).matchAll(/^# TYPE (errand_\S+) (\S+)$/gm)) {
      expect(name.endsWith("_total"), name).toBe(kind === "counter");
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|mb)(_|$)/);
    }
  });

  it("are open to this machine, and to others with the token", async () => {
    expect((await fromElsewhere(service.url)).status).toBe(401);
    expect((await fromElsewhere(service.url, { authorization: `Bearer ${TOKEN}x` })).status).toBe(401);
    expect((await fromElsewhere(service.url, { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    expect(service.stderr()).not.toContain(TOKEN);
  });
});

describe("a worker without the api role", () => {
  it("serves health checks and metrics, next to others on the same machine", async () => {
    const { ERRAND_METRICS_TOKEN: _token, ...tokenless } = env;
    const start = (more = {}) => startErrand({ ...tokenless, ...more }, ["start", "--roles", "worker"]);
    // The first one belongs to a public service: there, a local address alone is not enough.
    const open = { ERRAND_PUBLIC_URL: "https://errand.example.com", ERRAND_METRICS_TOKEN: TOKEN };
    const [shown, ...workers] = await Promise.all([start(open), start(), start()]);
    try {
      expect(workers[0]?.healthUrl).not.toBe(workers[1]?.healthUrl);
      for (const { healthUrl } of workers) {
        expect((await fetch(`${healthUrl}/healthz`)).status).toBe(200);
        await expect.poll(async () => (await fetch(`${healthUrl}/readyz`)).status, { timeout: 100_000 }).toBe(200);
        expect(await readMetrics(healthUrl)).toMatch(/errand_build_info\{.*roles="worker"\} 1/);
        expect((await fromElsewhere(healthUrl)).status).toBe(403);
        const nothing = await Promise.all([1, 2].map(() => fetch(`${healthUrl}/v1/oauth/token`)));
        expect(nothing.map(({ status }) => status)).toEqual([404, 404]);
        const [one, other] = await Promise.all(nothing.map(async (answer) => (await answer.json()) as ErrorBody));
        expect(one?.error.message).toBe(
          "There is nothing at GET /v1/oauth/token. A worker serves /healthz, /readyz and /metrics.",
        );
        expect(one?.error.request_id).not.toBe(other?.error.request_id);
        expect((await fetch(`${healthUrl}/metrics`, { method: "POST" })).status).toBe(405);
      }
      const askAs = async (token: string) =>
        (await fetch(`${shown.healthUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status;
      expect((await fetch(`${shown.healthUrl}/metrics`)).status).toBe(401);
      expect([await askAs(`${TOKEN}x`), await askAs(TOKEN)]).toEqual([401, 200]);
    } finally {
      const codes = await Promise.all([shown, ...workers].map((worker) => worker.end("SIGTERM")));
      expect(codes).toEqual([0, 0, 0]);
    }
  }, 120_000);
});
