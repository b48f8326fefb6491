import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DemoShop } from "../../demo/shop.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { startTestBrowser, type TestBrowser } from "../_harness/browser.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../_harness/browsing-worker.ts";
import { openShop } from "../_harness/demo-shop.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { connectToShop, signInAgain } from "../_harness/saved-sign-in.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

const WHO = "Tell me the display name.";
const AS_THE_USER = { status: "COMPLETED", result: { final_text: "Demo Shopper" } };

describe("an execution of a user who has signed in", () => {
  let service: TestService;
  let browser: TestBrowser;
  let shop: DemoShop;
  let worker: BrowsingWorker;
  let connection: TestConnection;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    browser = await startTestBrowser();
    shop = await openShop();
    worker = await startBrowsingWorker(service, { privateHosts: [new URL(shop.url).host] });
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
    await browser[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    connection = await connectToShop(service, browser, shop);
    api = createApi(service.url, connection);
    return () => {
      shop.setRollingSessions(false);
      shop.setLatency(0);
    };
  });

  async function run(prompt: string, path = "/account/settings") {
    const { id } = await api.created({ prompt, start_url: shop.url + path });
    return (await api.get(id, "?wait=30")).body.execution;
  }

  const stateOf = async () =>
    (await service.database.query("select state from connections where id = $1", [connection.connectionId]))[0]?.[
      "state"
    ];

  const revisionOf = async () =>
    (
      await service.database.query("select revision from saved_sign_ins where connection_id = $1", [
        connection.connectionId,
      ])
    )[0]?.["revision"];

  const steps = async (id: string) =>
    (await api.events(id)).body.events.filter(({ type }) => type === "step").map(({ data }) => data["url"]);

  it("sees the site as that user; the probe is not a step", async () => {
    const execution = await run(WHO);
    expect(execution).toMatchObject(AS_THE_USER);
    expect(execution.result.evidence.urls).toEqual([`${shop.url}/account`, `${shop.url}/account/settings`]);
    expect(await steps(execution.id)).toEqual([`${shop.url}/account/settings`]);
  });

  it("ends before its first step once they are signed out, until they sign in again", async () => {
    shop.dropSessions();
    const lost = await run(WHO);
    expect(lost).toMatchObject({
      status: "FAILED",
      terminal: { status: "reauthorization_required" },
      error: { code: "REAUTHORIZATION_REQUIRED" },
      usage: { charged: false },
    });
    expect(await steps(lost.id)).toEqual([]);
    expect((await api.artifacts(lost.id)).body.artifacts).toEqual([]);
    await expectLedgerAddsUp(service);
    const refused = await api.create({ prompt: WHO });
    expect([refused.status, refused.body.error.code]).toEqual([409, "CONNECTION_REAUTHORIZATION_REQUIRED"]);
    expect((await api.list()).body.executions).toHaveLength(1);
    await signInAgain(service, browser, shop, connection);
    expect(await run(WHO)).toMatchObject(AS_THE_USER);
  });

  it("keeps a sign-in working that the site replaces on every visit, however runs end, and even if they are read-only", async () => {
    connection = await connectToShop(service, browser, shop, { registration: { access: "read_only" } });
    api = createApi(service.url, connection);
    shop.setRollingSessions(true);
    expect(await run(WHO)).toMatchObject(AS_THE_USER);
    expect(await run('Click "No such button".')).toMatchObject({ terminal: { status: "goal_unreachable" } });
    shop.setLatency(400);
    const { id } = await api.created({ prompt: WHO, start_url: `${shop.url}/account/orders` });
    await expect.poll(() => steps(id), { timeout: 100_000 }).not.toEqual([]);
    await api.cancel(id);
    expect((await api.get(id, "?wait=30")).body.execution).toMatchObject({ terminal: { status: "canceled" } });
    shop.setLatency(0);
    expect(await run(WHO)).toMatchObject(AS_THE_USER);
  });

  it("is not prevented by a probe that cannot be opened", async () => {
    shop.failNext({ path: "/account", method: "GET" });
    const execution = await run(WHO);
    expect(execution).toMatchObject(AS_THE_USER);
    expect(await stateOf()).toBe("ACTIVE");
  });

  it.each([
    ["does not overwrite", () => {}, "verified"],
    ["does not mark as lost", () => shop.dropSessions(), "reauthorization_required"],
  ])("%s a sign-in that was made while it ran", async (_name, meanwhile, status) => {
    shop.setLatency(400);
    const prompt = 'Click "Orders". Click "Address book".';
    const { id } = await api.created({ prompt, start_url: `${shop.url}/account/settings` });
    await expect.poll(() => steps(id), { timeout: 100_000 }).not.toEqual([]);
    meanwhile();
    await service.database.query(
      "update saved_sign_ins set revision = gen_random_uuid(), signed_in_at = now() where connection_id = $1",
      [connection.connectionId],
    );
    const replaced = await revisionOf();
    expect((await api.get(id, "?wait=30")).body.execution.terminal).toMatchObject({ status });
    expect([await revisionOf(), await stateOf()]).toEqual([replaced, "ACTIVE"]);
  });

  it("fails with instructions for the operator when the sign-in cannot be decrypted, and does nothing", async () => {
    await service.database.query(
      "update saved_sign_ins set ciphertext = set_byte(ciphertext, 40, get_byte(ciphertext, 40) # 1) where connection_id = $1",
      [connection.connectionId],
    );
    const requestsBefore = shop.requests().length;
    const execution = await run(WHO);
    expect(execution).toMatchObject({
      status: "FAILED",
      terminal: { status: "internal_error" },
      error: {
        code: "SIGN_IN_UNREADABLE",
        message: expect.stringMatching(/ERRAND_SECRET_KEY.*through the authorization link/),
      },
      usage: { charged: false },
    });
    expect(shop.requests()).toHaveLength(requestsBefore);
    expect(await stateOf()).toBe("ACTIVE");
    const complaints = worker.log.filter((line) => line.includes(execution.id) && line.includes('"level":"error"'));
    expect(complaints).toHaveLength(1);
  });
});
