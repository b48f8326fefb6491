import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoShop } from "../../../demo/shop.ts";
import { type Api, createApi } from "../../_harness/api.ts";
import { startTestBrowser, type TestBrowser } from "../../_harness/browser.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../../_harness/browsing-worker.ts";
import { openShop } from "../../_harness/demo-shop.ts";
import { dumpTables, expectNowhere, readFiles } from "../../_harness/everything-kept.ts";
import { connectToShop, readSignIn } from "../../_harness/saved-sign-in.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

const CANARIES = ["cookie", "local-storage", "session-storage", "database"].map((place) => `canary-${place}-5d1f9a`);

describe("a user's session on a site", () => {
  let service: TestService;
  let browser: TestBrowser;
  let shop: DemoShop;
  let worker: BrowsingWorker;
  let connection: TestConnection;
  let api: Api;
  const answers: string[] = [];

  beforeAll(async () => {
    service = await startTestService();
    browser = await startTestBrowser();
    shop = await openShop();
    worker = await startBrowsingWorker(service, {
      privateHosts: [new URL(shop.url).host],
      settings: { ERRAND_SIGN_IN_CHECK_HOURS: "1" },
    });
    connection = await connectToShop(service, browser, shop, { beforeCapture: plantCanaries });
    api = createApi(service.url, connection);
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
    await browser[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  async function run(prompt: string) {
    const { id } = await api.created({ prompt, start_url: `${shop.url}/account/settings` });
    const { execution } = (await api.get(id, "?wait=30")).body;
    answers.push(JSON.stringify([execution, (await api.events(id)).body]));
    const { artifacts } = (await api.artifacts(id)).body;
    for (const artifact of artifacts) answers.push((await api.artifact(id, artifact.id)).body.toString("latin1"));
    return execution.terminal.status;
  }

  it("is given to runs, saved again, and checked", async () => {
    expect(await run("Tell me the display name.")).toBe("verified");
    const saved = JSON.stringify(await readSignIn(service, connection.connectionId));
    expect(CANARIES.filter((canary) => !saved.includes(canary))).toEqual([]);
    await service.database.query("update saved_sign_ins set checked_at = now() - interval '3 hours'");
    await service.database.query("select graphile_worker.add_job('find-due-sign-ins')");
    const isChecked = "select checked_at > now() - interval '1 hour' as fresh from saved_sign_ins";
    await expect.poll(() => service.database.query(isChecked), { timeout: 100_000 }).toEqual([{ fresh: true }]);
    const damage = "update saved_sign_ins set ciphertext = set_byte(ciphertext, 60, get_byte(ciphertext, 60) # 1)";
    await service.database.query(damage);
    expect(await run("Tell me the display name.")).toBe("internal_error");
    await service.database.query(damage);
    shop.dropSessions();
    expect(await run("Tell me the display name.")).toBe("reauthorization_required");
  });

  it("is nowhere in plain text: no table, file, log line or response", async () => {
    const places = {
      tables: (await dumpTables(service)).join("\n"),
      files: (await readFiles(service.dataDir)).join("\n"),
      log: [...service.log, ...worker.log].join("\n"),
      answers: answers.join("\n"),
    };
    // Each of them is not empty, so that the search can fail.
    expect(places.tables).toContain(connection.connectionId);
    expect(places.tables).toContain("find-due-sign-ins");
    expect(places.files).toContain("Demo Shopper");
    expect(places.log).toContain("Checked a sign-in");
    expect(places.answers).toContain("Demo Shopper");
    expectNowhere(CANARIES, places);
  });
});

async function plantCanaries(page: Page): Promise<void> {
  const [cookie = "", local = "", session = "", database = ""] = CANARIES;
  await page.context().addCookies([{ name: "canary", value: cookie, url: page.url() }]);
  await page.evaluate(
    async ([localValue, sessionValue, databaseValue]) => {
      localStorage.setItem("canary", localValue ?? "");
      sessionStorage.setItem("canary", sessionValue ?? "");
      await new Promise((resolve, reject) => {
        const opening = indexedDB.open("canary", 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore("all").add(databaseValue, "canary");
        opening.onsuccess = () => resolve(opening.result.close());
        opening.onerror = () => reject(opening.error);
      });
    },
    [local, session, database],
  );
}
