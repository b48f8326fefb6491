import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DemoShop } from "../../../demo/shop.ts";
import { createApi } from "../../_harness/api.ts";
import { startTestBrowser, type TestBrowser } from "../../_harness/browser.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../../_harness/browsing-worker.ts";
import { openShop } from "../../_harness/demo-shop.ts";
import { connectToShop } from "../../_harness/saved-sign-in.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

describe("sign-ins that have not been used for a while", () => {
  let service: TestService;
  let browser: TestBrowser;
  let shop: DemoShop;
  let worker: BrowsingWorker;
  let connection: TestConnection;

  beforeAll(async () => {
    service = await startTestService();
    browser = await startTestBrowser();
    shop = await openShop();
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
    await browser[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    connection = await connectToShop(service, browser, shop);
  });

  const startScheduledWorker = (hours: string) =>
    startBrowsingWorker(service, {
      settings: { ERRAND_SIGN_IN_CHECK_HOURS: hours },
      privateHosts: [new URL(shop.url).host],
    });

  async function look() {
    const [row] = await service.database.query(
      `select state, check_expires_at is not null as "isChecked", checked_at > now() - interval '1 hour' as "isFresh", revision,
         (select status from executions where connection_id = connections.id order by id desc limit 1) as execution
       from connections join saved_sign_ins on connection_id = connections.id where connections.id = $1`,
      [connection.connectionId],
    );
    return row ?? {};
  }

  /** As the schedule does every few minutes. */
  async function becomeDue() {
    await service.database.query(
      "update saved_sign_ins set checked_at = now() - interval '3 hours' where connection_id = $1",
      [connection.connectionId],
    );
    await service.database.query("select graphile_worker.add_job('find-due-sign-ins')");
  }

  const untilChecked = () => expect.poll(look, { timeout: 100_000 }).toMatchObject({ isFresh: true, isChecked: false });

  it("are not checked by default", async () => {
    await (await startScheduledWorker("0"))[Symbol.asyncDispose]();
    const asked = "select 1 from graphile_worker.jobs where task_identifier = 'find-due-sign-ins'";
    expect(await service.database.query(asked)).toEqual([]);
  });

  it("are checked as soon as a worker starts, and the refreshed state is saved", async () => {
    shop.setRollingSessions(true);
    const { revision } = await look();
    await service.database.query("update saved_sign_ins set checked_at = now() - interval '3 hours'");
    worker = await startScheduledWorker("2");
    await untilChecked();
    expect(await look()).toMatchObject({ state: "ACTIVE", revision: expect.not.stringContaining(`${revision}`) });
    const api = createApi(service.url, connection);
    const { id } = await api.created({
      prompt: "Tell me the display name.",
      start_url: `${shop.url}/account/settings`,
    });
    expect((await api.get(id, "?wait=30")).body.execution).toMatchObject({ result: { final_text: "Demo Shopper" } });
    shop.setRollingSessions(false);
  });

  it("are marked when the user is signed out, before an execution has to find out", async () => {
    const { revision } = await look();
    shop.dropSessions();
    await becomeDue();
    await expect
      .poll(look, { timeout: 100_000 })
      .toMatchObject({ state: "REAUTHORIZATION_REQUIRED", isChecked: false });
    expect((await look())["revision"]).toBe(revision);
    expect((await createApi(service.url, connection).create({ prompt: "Go." })).status).toBe(409);
  });

  it("keep executions from starting during the check, and no longer", async () => {
    shop.setLatency(700);
    await becomeDue();
    await expect.poll(look, { timeout: 100_000 }).toMatchObject({ isChecked: true });
    const api = createApi(service.url, connection);
    const { id } = await api.created({
      prompt: "Tell me the display name.",
      start_url: `${shop.url}/account/settings`,
    });
    const seen: Record<string, unknown>[] = [];
    await expect
      .poll(async () => seen[seen.push(await look()) - 1], { timeout: 100_000, interval: 20 })
      .toMatchObject({ execution: "RUNNING" });
    expect(seen[0]).toMatchObject({ isChecked: true, execution: "QUEUED" });
    expect(seen.filter(({ isChecked, execution }) => isChecked && execution !== "QUEUED")).toEqual([]);
    shop.setLatency(0);
    expect((await api.get(id, "?wait=30")).body.execution).toMatchObject({ status: "COMPLETED" });
  });

  it("are stopped with their worker", async () => {
    shop.setLatency(60_000);
    await becomeDue();
    await expect.poll(look, { timeout: 100_000 }).toMatchObject({ isChecked: true });
    await worker[Symbol.asyncDispose]();
    expect(await look()).toMatchObject({ state: "ACTIVE", isChecked: false });
  });
});
