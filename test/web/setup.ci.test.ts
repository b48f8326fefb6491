import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DemoShop } from "../../demo/shop.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../_harness/browsing-worker.ts";
import { visitConsole } from "../_harness/console.ts";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";
import { openShop } from "../_harness/demo-shop.ts";
import { PASSWORD } from "../_harness/oauth-flow.ts";

const FIRST_LOAD_MAX_BYTES = 250_000;

/** With a long timeout: many tests share a small machine. */
const until = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 100_000 });

async function createAccount(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
}

async function measureGzipped(url: string): Promise<number> {
  const response = await fetch(url);
  return gzipSync(await response.bytes()).byteLength;
}

let shop: DemoShop;
let web: ConsoleWeb;
let worker: BrowsingWorker;

beforeAll(async () => {
  shop = await openShop();
  web = await startConsoleWeb({ demoUrl: shop.url });
  worker = await startBrowsingWorker(web.service, { privateHosts: [new URL(shop.url).host] });
});
afterAll(async () => {
  await worker[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

describe("the first visit to the console", () => {
  it("asks visitors from another machine for the setup code, and says where to find it", async () => {
    await using visit = await web.browser.openPage({ extraHTTPHeaders: { "x-real-ip": "203.0.113.7" } });
    const { page } = visit;
    await page.goto(`${web.service.url}/console`);
    await page.getByLabel("Setup code").fill("AAAA-AAAA-AAAA-AAAA");
    await page.getByText("in its log. Look for").waitFor();
    await createAccount(page, "stranger@example.com", PASSWORD);
    await page.getByText("The setup code is wrong.").waitFor();
    await expectAccessible(page);
  });

  it("leads from a new account to a verified result with one button", async () => {
    await using visit = await web.browser.openPage();
    const { page } = visit;
    await page.goto(`${web.service.url}/console`);
    await page.getByRole("heading", { name: "Welcome to Errand" }).waitFor();
    await until(() => page.title()).toBe("Welcome · Errand");
    expect(await page.getByLabel("Setup code").count()).toBe(0);

    await createAccount(page, "owner@example.com", "short");
    await page.getByText("Use at least 8 characters.").waitFor();
    await createAccount(page, "nobody", PASSWORD);
    await page.getByText("Please enter a valid email address.").waitFor();
    await createAccount(page, "owner@example.com", PASSWORD);

    const start = page.getByRole("button", { name: "Run an errand on the demo shop" });
    await start.waitFor();
    expect(await page.locator(":focus").getAttribute("id")).toBe("content");
    await expectAccessible(page);
    await start.click();

    await page.getByRole("heading", { level: 1, name: "Your first errand" }).waitFor();
    expect(await page.locator(":focus").getAttribute("id")).toBe("content");
    await page.getByRole("listitem").filter({ hasText: 'Search for "kettle"' }).waitFor();
    const picture = page.getByRole("img", { name: /^The page after step/ });
    await until(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    await page.getByRole("heading", { name: "Verified" }).waitFor({ timeout: 100_000 });
    expect(await page.getByRole("status").filter({ hasText: "Verified" }).textContent()).toContain("€64.90");
    await page.getByText(/^All \d+ checks passed/).click();
    await page.getByRole("img", { name: "Passed" }).first().waitFor();
    await expectAccessible(page);

    expect(await page.getByText(`curl ${web.service.url}/v1/applications/`).textContent()).toContain("Brindle Kettle");
    await page.reload();
    await page.getByRole("heading", { name: "Verified" }).waitFor();
    await until(() => page.getByRole("link", { name: "999 credits" }).isVisible()).toBe(true);
    await page.getByRole("link", { name: "Create application" }).click();
    await page.waitForURL("**/console/applications?new");
    expect(visit.complaints.filter((complaint) => !/status of 400/.test(complaint))).toEqual([]);

    await page.goto(`${web.service.url}/console/`);
    await page.getByRole("heading", { name: "Recent errands" }).waitFor();
    await page.getByRole("link", { name: /Brindle Kettle.*Verified/s }).waitFor();
    await expectAccessible(page);
  });
});

describe("the home page", () => {
  beforeAll(async () => {
    await visitConsole(web.service, { isOperator: true });
  });

  it("says why an errand failed and that nothing was charged, and offers to run it again", async () => {
    const owner = await visitConsole(web.service, { credits: 10 });
    const made = await owner.post("/applications", { name: "Larder", type: "public" });
    const { connectionId } = await web.service.connect({ applicationId: made.body.application.id });
    const prompt = "Surprise me with something my grandmother would love.";
    const { body } = await owner.post("/executions", { connection_id: connectionId, prompt, start_url: shop.url });
    await using opened = await web.open(owner, `/?errand=${body.execution.id}`);
    const failure = opened.page.getByRole("alert");
    await failure.getByText("The errand wasn't understood").waitFor();
    await failure.getByText("Nothing was charged.").waitFor();
    await failure.getByRole("button", { name: "Run again" }).waitFor();
    await until(() => opened.page.getByRole("link", { name: "10 credits" }).isVisible()).toBe(true);
    await expectAccessible(opened.page);
  });

  it("shows people without applications their connected apps, and nothing of others", async () => {
    const visit = await visitConsole(web.service);
    await using opened = await web.open(visit, "/");
    const { page } = opened;
    await page.getByRole("heading", { name: "No connected apps" }).waitFor();
    expect(await page.getByRole("navigation").getByRole("link").allInnerTexts()).toEqual([
      "Home",
      "Errands",
      "Connected apps",
      "Settings",
      "API reference",
    ]);
    expect(await page.getByText("Brindle Kettle").count()).toBe(0);
    await expectAccessible(page);
  });

  it("loads in less than 250 kB", async () => {
    await using opened = await web.open(await visitConsole(web.service, { credits: 10 }), "/");
    await opened.page.getByRole("button", { name: "Run an errand on the demo shop" }).waitFor();
    const files = opened.requests.filter((url) => !url.includes("/console/api/"));
    const sizes = await Promise.all([...new Set(files)].map(measureGzipped));
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(FIRST_LOAD_MAX_BYTES);
  });
});
