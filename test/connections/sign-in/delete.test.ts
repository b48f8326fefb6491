import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoShop } from "../../../demo/shop.ts";
import { type Api, createApi } from "../../_harness/api.ts";
import { startTestBrowser, type TestBrowser } from "../../_harness/browser.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../../_harness/browsing-worker.ts";
import { openShop } from "../../_harness/demo-shop.ts";
import { errandJson, runErrand } from "../../_harness/errand.ts";
import { expectLedgerAddsUp } from "../../_harness/ledger.ts";
import { connectToShop } from "../../_harness/saved-sign-in.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

const USER = "ann@example.com";

describe("an operator who deletes a saved sign-in", () => {
  let service: TestService;
  let browser: TestBrowser;
  let shop: DemoShop;
  let worker: BrowsingWorker;
  let connection: TestConnection;
  let api: Api;
  let env: Record<string, string>;

  beforeAll(async () => {
    service = await startTestService();
    browser = await startTestBrowser();
    shop = await openShop();
    worker = await startBrowsingWorker(service, { privateHosts: [new URL(shop.url).host] });
    env = { DATABASE_URL: service.database.url, ERRAND_DATA_DIR: service.dataDir };
    connection = await connectToShop(service, browser, shop, { email: USER });
    api = createApi(service.url, connection);
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
    await browser[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const list = (...args: string[]) =>
    errandJson<{ connections: Record<string, unknown>[] }>(["connection", "list", ...args], env);

  const ended = async (id: string) => (await api.get(id, "?wait=30")).body.execution;

  it("finds it in the list of connections", async () => {
    const other = await service.connect();
    const { connections } = await list();
    expect(connections.map(({ id }) => id)).toEqual([connection.connectionId, other.connectionId]);
    expect(connections[0]).toEqual({
      id: connection.connectionId,
      application_id: connection.applicationId,
      application_name: "Test application",
      user_id: connection.userId,
      user_email: USER,
      state: "ACTIVE",
      created_at: expect.any(String),
      signed_in_at: expect.any(String),
      checked_at: expect.any(String),
    });
    expect(connections[1]).toMatchObject({ signed_in_at: null, checked_at: null });
    expect((await list("--user", "ANN@example.com")).connections).toHaveLength(1);
    expect((await list("--application", other.applicationId)).connections).toEqual([connections[1]]);
    const { stdout } = await runErrand(["connection", "list", "--user", USER], env);
    expect(stdout).toMatch(new RegExp(`${connection.connectionId} +ACTIVE +\\d{4}-.*${USER} +Test application`));
  });

  it("stops a running execution, cancels queued ones, and leaves a connection that requires re-authorization", async () => {
    shop.setLatency(600);
    const body = { prompt: 'Click Orders. Click Settings. Click "No such button".', start_url: `${shop.url}/account` };
    const [running, waiting] = [await api.created(body), await api.created(body)];
    await expect
      .poll(async () => (await api.events(running.id)).body.events.map(({ type }) => type), { timeout: 100_000 })
      .toContain("step");
    expect(await errandJson(["connection", "delete-sign-in", "--connection", connection.connectionId], env)).toEqual({
      deleted: true,
    });
    for (const { id } of [running, waiting]) {
      expect(await ended(id)).toMatchObject({ terminal: { status: "canceled" }, usage: { charged: false } });
    }
    // The stopped run had a sign-in to save: it must not restore the deleted one.
    expect(await service.database.query("select 1 from saved_sign_ins")).toEqual([]);
    expect((await list("--user", USER)).connections).toMatchObject([
      { state: "REAUTHORIZATION_REQUIRED", signed_in_at: null },
    ]);
    expect((await api.create(body)).status).toBe(409);
    expect((await api.list()).body.executions).toHaveLength(2);
    await expectLedgerAddsUp(service);
    const again = await runErrand(["connection", "delete-sign-in", "--connection", connection.connectionId], env);
    expect([again.code, again.stdout]).toEqual([0, "The connection has no saved sign-in. Nothing was changed.\n"]);
  });

  it("gets a new token for it, which does not repair it, and is told what does", async () => {
    const connect = ["connect", "--application", connection.applicationId, "--user", USER];
    const { code, stdout } = await runErrand(connect, env);
    expect(code).toBe(0);
    expect(stdout).toContain(`/v1/oauth/authorize?response_type=code&client_id=${connection.applicationId}`);
    expect((await list("--user", USER)).connections).toMatchObject([{ state: "REAUTHORIZATION_REQUIRED" }]);
    expect(await errandJson(connect, env)).toMatchObject({
      connection_id: connection.connectionId,
      state: "REAUTHORIZATION_REQUIRED",
    });
  });

  it.each([
    ["an unknown connection", ["delete-sign-in", "--connection", "00000000-0000-4000-8000-000000000000"]],
    ["an invalid id", ["delete-sign-in", "--connection", "x"]],
    ["an invalid email address", ["list", "--user", "x"]],
    ["an unknown application", ["list", "--application", "x"]],
  ])("gets an error about %s", async (_name, args) => {
    const { code, stdout, stderr } = await runErrand(["connection", ...args], env);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/There is no|is not an email address/);
  });
});
