import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOperations } from "../../src/app/operations.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, errandJson, type RunningErrand, startErrand } from "../_harness/errand.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";

describe("workers and the API in separate processes", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;
  let env: Record<string, string>;
  let service: RunningErrand;
  let site: Server;
  let siteUrl: string;
  let applicationId: string;
  let users = 0;
  /** Resolves when a browser has requested the page that never responds. */
  let asked = Promise.withResolvers<void>();

  beforeAll(async () => {
    site = createServer((request, response) => {
      if (request.url === "/hangs") asked.resolve();
      else
        response
          .setHeader("content-type", "text/html; charset=utf-8")
          .end("<title>Shop</title><h1>Shop</h1><p>Kettle: €12.50</p>");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    siteUrl = `http://${host}`;
    data = await createDataDir();
    database = await createTestDatabase();
    env = { ...data.env, DATABASE_URL: database.url, ERRAND_ALLOW_HOSTS: host };
    service = await startErrand(env, ["start", "--roles", "api"]);
    ({ id: applicationId } = await errandJson<{ id: string }>(
      ["app", "create", "--name", "A", "--type", "public"],
      env,
    ));
  });
  afterAll(async () => {
    await service.end("SIGTERM");
    await data[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
    site.closeAllConnections();
    site.close();
  });

  async function newApi(): Promise<Api> {
    users += 1;
    await using own = openDatabase({ connectionString: database.url, poolSize: 1, onError: () => {} });
    const { people, connections } = createOperations(own);
    const person = await people.findOrCreate(`user-${users}@example.com`);
    const { accessToken: token } = await connections.connect(applicationId, person.id);
    return createApi(service.url, { applicationId, token });
  }

  const startWorker = () => startErrand(env, ["start", "--roles", "worker"]);
  const ended = async (api: Api, id: string) => (await api.get(id, "?wait=30")).body.execution;
  const look = (path = "/") => ({ prompt: "What is the price of the kettle?", start_url: `${siteUrl}${path}` });

  /** A run that has begun, on a page that never loads. */
  async function beginHanging(api: Api): Promise<string> {
    asked = Promise.withResolvers();
    const { id } = await api.created(look("/hangs"));
    await asked.promise;
    return id;
  }

  it("one serves requests, another runs executions, and they can start in any order", async () => {
    const api = await newApi();
    const { id: before } = await api.created(look());
    expect((await api.get(before)).body.execution.status).toBe("QUEUED");
    const worker = await startWorker();
    expect(worker.url).toBe("");
    const execution = await ended(api, before);
    expect(execution, JSON.stringify(execution.error)).toMatchObject({ status: "COMPLETED", usage: { charged: true } });
    const { artifacts } = (await api.artifacts(before)).body;
    expect(artifacts.map(({ kind }) => kind)).toContain("screenshot");
    expect((await api.artifact(before, artifacts[0]?.id ?? "")).status).toBe(200);
    expect(await worker.end("SIGTERM")).toBe(0);
  });

  it("a worker that is killed during a run: another one ends it as lost, and the credits are released", async () => {
    const balance = async () => Number((await database.query("select balance from owners"))[0]?.["balance"]);
    const before = await balance();
    const api = await newApi();
    const worker = await startWorker();
    const id = await beginHanging(api);
    await worker.end("SIGKILL");
    expect((await api.get(id)).body.execution.status).toBe("RUNNING");
    expect(await balance()).toBe(before - 1);
    const other = await startWorker();
    // As if the half minute of the lease were over.
    await database.query("update executions set lease_expires_at = now() where id = $1", [id]);
    expect(await ended(api, id)).toMatchObject({
      status: "FAILED",
      terminal: { status: "worker_lost" },
      error: { code: "WORKER_LOST" },
      usage: { charged: false },
    });
    expect(await balance()).toBe(before);
    await expectLedgerAddsUp({ database });
    expect((await ended(api, (await api.created(look())).id)).status).toBe("COMPLETED");
    expect(await other.end("SIGTERM")).toBe(0);
  });

  it("a worker that is asked to stop ends its run and exits in time", async () => {
    const api = await newApi();
    const worker = await startErrand({ ...env, ERRAND_SHUTDOWN_SECONDS: "1" }, ["start", "--roles", "worker"]);
    const id = await beginHanging(api);
    expect(await worker.end("SIGTERM")).toBe(0);
    expect((await api.get(id)).body.execution).toMatchObject({
      terminal: { status: "worker_lost" },
      error: { code: "SHUTTING_DOWN" },
    });
  });

  it("a run is canceled across processes", async () => {
    const api = await newApi();
    const worker = await startWorker();
    const id = await beginHanging(api);
    await api.cancel(id);
    expect(await ended(api, id)).toMatchObject({ terminal: { status: "canceled" }, usage: { charged: false } });
    expect(await worker.end("SIGTERM")).toBe(0);
  });

  it("is ready only with a browser when both roles run in one process", async () => {
    const both = await startErrand({ ...env, ERRAND_BROWSER_PATH: "/nowhere/chrome" }, ["start"]);
    const ready = await fetch(`${both.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain("No browser available.");
    expect((await fetch(`${both.url}/healthz`)).status).toBe(200);
    const metrics = await (await fetch(`${both.url}/metrics`)).text();
    expect(metrics).toMatch(/^errand_browser_starts_total\{outcome="failed"\} [1-9]/m);
    expect(await both.end("SIGTERM")).toBe(0);
  });
});
