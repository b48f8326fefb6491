import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_PASSWORD } from "../../../demo/people/demo-accounts.ts";
import { type DemoShop, startDemoShop } from "../../../demo/shop.ts";
import { type Api, createApi } from "../../_harness/api.ts";
import {
  type CallbackServer,
  signUp,
  startCallbackServer,
  startTestBrowser,
  type TestBrowser,
} from "../../_harness/browser.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../../_harness/browsing-worker.ts";
import { SHOPPER, signInToShop } from "../../_harness/demo-shop.ts";
import { dumpTables, expectNowhere, readFiles } from "../../_harness/everything-kept.ts";
import { clickSite } from "../../_harness/live-page.ts";
import { startLiveService } from "../../_harness/live-sign-in.ts";
import { authorizePath, newEmail, postForm, registerClient } from "../../_harness/oauth-flow.ts";
import type { TestService } from "../../_harness/service.ts";
import { MEMBER } from "../../sites/login.ts";
import { MEMBER_NAME } from "../../sites/sign-in/member-sessions.ts";
import { type Sites, startSites } from "../../sites/start-sites.ts";

/** Asks for a one-time code. */
const CAREFUL = "careful@demo.example";
const WHO = "Tell me the name.";

type SiteName = "tabSession" | "databaseSession" | "federated";

describe("a user signs in manually while connecting, and executions run as them", () => {
  let service: TestService;
  let browser: TestBrowser;
  let callbacks: CallbackServer;
  const parts = new AsyncDisposableStack();
  let shop: DemoShop;
  let worker: BrowsingWorker;
  let sites: Sites;

  beforeAll(async () => {
    sites = parts.use(await startSites());
    shop = parts.use(await startDemoShop());
    shop.setRollingSessions(true);
    const { tabSession, databaseSession, federated, identity } = sites;
    const privateHosts = [shop, tabSession, databaseSession, federated, identity].map(({ url }) => new URL(url).host);
    browser = parts.use(await startTestBrowser());
    callbacks = parts.use(await startCallbackServer());
    service = parts.use(await startLiveService(privateHosts));
    worker = parts.use(await startBrowsingWorker(service, { privateHosts }));
  });
  afterAll(() => parts.disposeAsync());

  /** The identity provider is at a private address, so the application has to list it. */
  const signInsOf = (url: string) => ({
    signInUrl: `${url}/sign-in`,
    allowedHosts: [new URL(sites.identity.url).host],
  });

  /** Follows the auth link in a browser up to the live page. */
  async function follow(page: Page, applicationId: string, email: string | null): Promise<void> {
    await page.goto(service.url + authorizePath(applicationId, { redirect_uri: callbacks.redirectUri, state: "s1" }));
    if (email !== null) await signUp(page, email);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(/\/connect\//);
  }

  async function finish(page: Page): Promise<URL> {
    const before = callbacks.arrived.length;
    await page.getByText("You seem to be signed in.").waitFor();
    await page.getByRole("button", { name: /continue/ }).click();
    await expect.poll(() => callbacks.arrived.length, { timeout: 100_000 }).toBe(before + 1);
    const arrived = callbacks.arrived.at(-1);
    if (arrived === undefined) throw new Error("nobody came back");
    return arrived;
  }

  async function exchange(applicationId: string, arrived: URL) {
    expect(arrived.searchParams.get("state")).toBe("s1");
    expect(arrived.searchParams.get("iss")).toBe(service.url);
    const { body } = await postForm(`${service.url}/v1/oauth/token`, {
      grant_type: "authorization_code",
      code: arrived.searchParams.get("code") ?? "",
      redirect_uri: callbacks.redirectUri,
      client_id: applicationId,
    });
    return {
      connectionId: body.connection_id as string,
      api: createApi(service.url, { applicationId, token: body.access_token }),
    };
  }

  async function run(api: Api, prompt: string, startUrl: string) {
    const { id } = await api.created({ prompt, start_url: startUrl });
    return (await api.get(id, "?wait=30")).body.execution;
  }

  /** A user signs in manually, from the auth link to the token. */
  async function connectMember(page: Page, name: SiteName, applicationId: string, email: string | null) {
    await follow(page, applicationId, email);
    await arrive(page, "/sign-in");
    if (name === "federated") {
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await arrive(page, "/authorize");
    }
    await page.keyboard.type(MEMBER.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(MEMBER.password);
    await page.keyboard.press("Enter");
    return exchange(applicationId, await finish(page));
  }

  it.each(["tabSession", "databaseSession"] as const)(
    "at a site with a %s",
    async (name) => {
      const { url } = sites[name];
      const { id } = await registerClient(service, { ...signInsOf(url), homeUrl: `${url}/` });
      await using visit = await browser.openPage();
      const { api } = await connectMember(visit.page, name, id, newEmail());
      const read = await run(api, WHO, `${url}/account`);
      expect(read.result?.final_text, JSON.stringify(read)).toContain(MEMBER_NAME);
      expect(visit.complaints).toEqual([]);
    },
    60_000,
  );

  it("at a site with a separate sign-in origin; and again, once the site has signed them out", async () => {
    const { url, state } = sites.federated;
    const { id } = await registerClient(service, { ...signInsOf(url), homeUrl: `${url}/` });
    await using visit = await browser.openPage();
    const { connectionId, api } = await connectMember(visit.page, "federated", id, newEmail());
    const read = await run(api, WHO, `${url}/account`);
    expect(read.result?.final_text, JSON.stringify(read)).toContain(MEMBER_NAME);

    state.sessions.drop();
    const lost = await run(api, WHO, `${url}/account`);
    expect(lost.terminal).toMatchObject({ status: "reauthorization_required" });
    expect(lost.usage.charged).toBe(false);
    expect((await api.create({ prompt: WHO })).status).toBe(409);
    expect((await api.list()).body.executions).toHaveLength(2);

    const repaired = await connectMember(visit.page, "federated", id, null);
    expect(repaired.connectionId).toBe(connectionId);
    const again = await run(repaired.api, WHO, `${url}/account`);
    expect(again.result?.final_text, JSON.stringify(again)).toContain(MEMBER_NAME);
    expect(visit.complaints).toEqual([]);
  });

  it("at a shop with a one-time code and a cookie that changes on every visit", async () => {
    const { id } = await registerClient(service, { homeUrl: `${shop.url}/`, signInUrl: `${shop.url}/sign-in` });
    await using visit = await browser.openPage();
    const { page } = visit;
    await follow(page, id, newEmail());
    await arrive(page, "/sign-in");
    await pressField(page, "E-mail address", async (other) => void (await other.goto(`${shop.url}/sign-in`)));
    await page.keyboard.type(CAREFUL);
    await page.keyboard.press("Tab");
    await page.keyboard.type(DEMO_PASSWORD);
    await page.keyboard.press("Enter");
    await expect.poll(() => shop.oneTimeCode(CAREFUL), { timeout: 100_000 }).not.toBeNull();
    await page.locator("#path", { hasText: "/sign-in/code" }).waitFor();
    // Too early: they are not signed in yet, and the page says so.
    await page.getByRole("button", { name: /continue/ }).click();
    await page.getByText("You are not signed in yet").waitFor();
    await pressField(page, "One-time code", async (other) => {
      // All users who still have to enter a code see the same page.
      shop.setOneTimeCode(SHOPPER, true);
      await other.goto(`${shop.url}/sign-in`);
      await signInToShop(other);
    });
    await page.keyboard.type(shop.oneTimeCode(CAREFUL) ?? "");
    await page.keyboard.press("Enter");
    const { api } = await exchange(id, await finish(page));

    for (const _time of [1, 2]) {
      const read = await run(api, "Tell me the heading.", `${shop.url}/account`);
      expect(read.terminal, JSON.stringify(read)).toMatchObject({ status: "verified" });
      expect(read.result.final_text).toMatch(/Hello, /);
    }
    expect(visit.complaints).toEqual([]);
  });

  it("and nothing that they typed, and none of their sessions, is stored in plain text", async () => {
    const places = {
      tables: (await dumpTables(service)).join("\n"),
      files: (await readFiles(service.dataDir)).join("\n"),
      log: [...service.log, ...worker.log].join("\n"),
    };
    expect(places.tables).toContain("saved_sign_ins");
    expect(places.log).toContain("Execution ended");
    const { tabSession, databaseSession, federated, identity } = sites;
    const issued = [tabSession, databaseSession, federated, identity].flatMap(({ state }) => state.sessions.issued);
    expect(issued.length).toBeGreaterThan(3);
    expectNowhere([MEMBER.password, DEMO_PASSWORD, ...issued], places);
  });

  /** Finds the position of a field on the same page, in another browser of the same size. */
  async function pressField(page: Page, label: string, open: (other: Page) => Promise<void>): Promise<void> {
    await page.locator("#picture[style*=width]").waitFor();
    const size = await page.locator("#picture").evaluate((canvas) => {
      if (!(canvas instanceof HTMLCanvasElement)) throw new Error("there is no picture");
      return { width: canvas.width, height: canvas.height };
    });
    await using other = await browser.openPage({ viewport: size });
    await open(other.page);
    const box = await other.page.getByLabel(label).boundingBox();
    if (box === null) throw new Error(`${label} is not to be seen`);
    await clickSite(page, box.x + box.width / 2, box.y + box.height / 2);
  }

  /** Focuses the field on the site's page at this path. Keys that come before the page has loaded reach no field. */
  async function arrive(page: Page, path: string): Promise<void> {
    await page.locator("#path", { hasText: path }).waitFor();
    await page.locator(".is-busy").waitFor({ state: "detached" });
    await page.locator("#picture[style*=width]").waitFor();
    await page.locator("#keys").focus();
  }
});
