import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readStorageState } from "../../../src/connections/sign-in/import-sign-in.ts";
import { createApi } from "../../_harness/api.ts";
import { startTestBrowser, type TestBrowser } from "../../_harness/browser.ts";
import { startBrowsingWorker } from "../../_harness/browsing-worker.ts";
import { type ConsoleVisit, visitConsole } from "../../_harness/console.ts";
import { arriveAt, enterShop, openShop, signInToShop } from "../../_harness/demo-shop.ts";
import { errandJson, runErrand } from "../../_harness/errand.ts";
import { dumpTables, expectNowhere } from "../../_harness/everything-kept.ts";
import { startLiveService } from "../../_harness/live-sign-in.ts";
import { readSignIn } from "../../_harness/saved-sign-in.ts";
import type { TestService } from "../../_harness/service.ts";

const ORIGIN = "https://shop.example";
const COOKIE = { name: "session", value: "abc", domain: "shop.example", path: "/" };

describe("a storage state of Playwright", () => {
  it("is read with session storage, and only what is known of it", () => {
    const state = readStorageState({
      cookies: [{ ...COOKIE, sameSite: "odd", more: 1 }],
      origins: [{ origin: ORIGIN, localStorage: [{ name: "a", value: "1" }] }],
      sessionStorage: [{ origin: ORIGIN, entries: [{ name: "b", value: "2" }] }],
    });
    expect(state).toEqual({
      storage: {
        cookies: [{ ...COOKIE, expires: -1, httpOnly: false, secure: false, sameSite: "Lax" }],
        origins: [{ origin: ORIGIN, localStorage: [{ name: "a", value: "1" }] }],
      },
      sessionStorage: [{ origin: ORIGIN, entries: [["b", "2"]] }],
    });
  });

  it.each([
    ["no object", [], "must be a storage state"],
    ["nothing in it", { cookies: [], origins: [] }, "no cookies and no storage"],
    ["cookies that are no list", { cookies: "x" }, "cookies must be a list"],
    ["a cookie without a domain", { cookies: [{ name: "a", value: "secret-1" }] }, "a name, a value and a domain"],
    ["a storage without an origin", { origins: [{ localStorage: [] }] }, "must name its origin"],
    [
      "an entry without a value",
      { origins: [{ origin: ORIGIN, localStorage: [{ name: "a" }] }] },
      "a name and a value",
    ],
  ])("is refused with %s, and the message does not quote it", (_what, given, message) => {
    expect(() => readStorageState(given)).toThrow(message);
    expect(() => readStorageState(given)).not.toThrow("secret-1");
  });
});

describe("a sign-in that was made elsewhere", () => {
  const parts = new AsyncDisposableStack();
  let service: TestService;
  let browser: TestBrowser;
  let shop: Awaited<ReturnType<typeof openShop>>;
  let env: Record<string, string>;
  let user: ConsoleVisit;
  let owner: ConsoleVisit;
  let applicationId: string;

  beforeAll(async () => {
    shop = parts.use(await openShop());
    browser = parts.use(await startTestBrowser());
    const host = new URL(shop.url).host;
    service = parts.use(await startLiveService([host]));
    parts.use(await startBrowsingWorker(service, { privateHosts: [host] }));
    env = { DATABASE_URL: service.database.url, ERRAND_DATA_DIR: service.dataDir, ERRAND_ALLOW_HOSTS: host };
  });
  afterAll(() => parts.disposeAsync());

  beforeEach(async () => {
    owner = await visitConsole(service, { credits: 10 });
    user = await visitConsole(service);
    const [row] = await service.database.query<{ id: string }>("select id from owners where user_id = $1", [
      owner.userId,
    ]);
    const registration = {
      name: "Larder",
      type: "public",
      homeUrl: shop.url,
      signInUrl: `${shop.url}/sign-in`,
    } as const;
    applicationId = (await service.operations.applications.register(registration, row?.id)).application.id;
  });

  /** What a script of the user saves after it has signed in. */
  async function saveState({ signsIn = true } = {}) {
    await using shopper = await enterShop(browser, shop);
    await shopper.open("/sign-in");
    if (signsIn) {
      await signInToShop(shopper.page);
      await arriveAt(shopper.page, "Hello, Demo Shopper");
    }
    const state = await shopper.page.context().storageState({ indexedDB: true });
    return { ...state, sessionStorage: [{ origin: shop.url, entries: [{ name: "tab", value: "kept" }] }] };
  }

  function writeState(state: object): string {
    const path = join(service.dataDir, "state.json");
    writeFileSync(path, JSON.stringify(state));
    return path;
  }

  const create = async () =>
    errandJson<{ connection_id: string; state: string }>(
      ["connection", "create", "--application", applicationId, "--user", user.email],
      env,
    );
  const importFile = (connectionId: string, path: string, ...more: string[]) =>
    runErrand(["connection", "import-sign-in", "--connection", connectionId, "--storage-state", path, ...more], env);
  const stateOf = async (connectionId: string) => (await service.operations.connections.get(connectionId)).state;

  it("is checked on the site by the command, saved encrypted, and errands run as the user", async () => {
    const { connection_id: id } = await create();
    await service.database.query("update connections set state = 'REAUTHORIZATION_REQUIRED' where id = $1", [id]);
    const saved = await saveState();
    const cookie = saved.cookies[0]?.value ?? "";
    expect(cookie).not.toBe("");
    const { code, stdout, stderr } = await importFile(id, writeState(saved));
    expect([code, stdout]).toEqual([0, expect.stringContaining("The site recognizes the user.")]);
    expect(await stateOf(id)).toBe("ACTIVE");
    const kept = await readSignIn(service, id);
    expect(kept.probe).toMatchObject({ url: `${shop.url}/`, mustNotSee: "Sign in" });
    expect(JSON.stringify(kept.state)).toContain('["tab","kept"]');
    const tables = (await dumpTables(service)).join("\n");
    expectNowhere([cookie], { tables, log: service.log.join("\n"), stdout, stderr });

    const { access_token: token } = await errandJson<{ access_token: string }>(
      ["connect", "--application", applicationId, "--user", user.email],
      env,
    );
    const api = createApi(service.url, { applicationId, token });
    const body = { prompt: "Tell me the display name.", start_url: `${shop.url}/account/settings` };
    const { id: executionId } = await api.created(body);
    expect((await api.get(executionId, "?wait=30")).body.execution).toMatchObject({
      result: { final_text: "Demo Shopper" },
    });
  });

  it("is not saved when the site does not recognize it, or the file cannot be used", async () => {
    const { connection_id: id } = await create();
    const outside = await importFile(id, writeState(await saveState({ signsIn: false })));
    expect(outside).toMatchObject({ code: 1, stderr: expect.stringContaining("does not recognize this sign-in") });
    const elsewhere = await importFile(id, writeState(await saveState()), "--url", "https://other.example/");
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining("not on a host of the application") });
    const missing = await importFile(id, "/no/such/file.json");
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("does not exist") });
    expect(await service.database.query("select 1 from saved_sign_ins where connection_id = $1", [id])).toEqual([]);
  });

  it("can be imported in the console by the user of the connection, and by nobody else", async () => {
    const { connection_id: id } = await create();
    const body = { storage_state: await saveState() };
    const path = `/connections/${id}/sign-in`;
    expect((await owner.post(path, body)).status).toBe(404);
    expect((await (await visitConsole(service)).post(path, body)).status).toBe(404);
    expect((await user.post(path, { storage_state: { cookies: "x" } })).status).toBe(400);
    const { status, body: answer } = await user.post(path, body);
    expect([status, answer.connection?.state]).toEqual([200, "ACTIVE"]);
    expect((await readSignIn(service, id)).probe.url).toContain(shop.url);
  });

  it("needs an application with a sign-in URL", async () => {
    await service.database.query("update applications set sign_in_url = null where id = $1", [applicationId]);
    const { connection_id: id } = await create();
    const refused = await importFile(id, writeState(await saveState()));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("has no sign-in URL") });
  });
});
