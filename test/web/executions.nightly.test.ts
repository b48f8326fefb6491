import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../_harness/api.ts";
import { type ConsoleWeb, expectAccessible, startConsoleShop } from "../_harness/console-web.ts";
import type { Party } from "../_harness/console-world.ts";

const MANY = 10_000;

/** The machine may be busy. */
const PATIENTLY = { timeout: 100_000 };

describe("the list of executions", () => {
  let web: ConsoleWeb;
  let shop: Party;

  beforeAll(async () => {
    ({ web, shop } = await startConsoleShop());
  });
  afterAll(() => web[Symbol.asyncDispose]());

  const rows = (page: Page) => page.getByRole("list", { name: "Errands" }).getByRole("link");

  it("explains how to get started", async () => {
    await using opened = await web.open(shop.owner, "/executions");
    await opened.page.getByRole("heading", { name: "No errands yet" }).waitFor();
    await opened.page.getByRole("link", { name: "Run your first errand" }).waitFor();
    await using other = await web.open(shop.user, "/executions");
    await other.page.getByRole("heading", { name: "No errands yet" }).waitFor();
    await other.page.getByText("When an app you've connected runs an errand for you").waitFor();
  });

  it("shows new errands at the top and updates their outcome live", async () => {
    const api = createApi(web.service.url, shop.connection);
    const first = await api.created({ prompt: "Tell me the price of the kettle." });
    await using opened = await web.open(shop.owner, "/executions");
    const { page } = opened;
    await expect.poll(() => rows(page).count(), PATIENTLY).toBe(1);
    expect(await rows(page).first().textContent()).toMatch(/Queued.*the kettle.*Shop helper/);
    await api.created({ prompt: "Water the plants." });
    await page.getByRole("link", { name: "Water the plants." }).waitFor();
    expect(await rows(page).first().textContent()).toContain("Water the plants.");
    await api.cancel(first.id);
    await page.getByRole("link", { name: /Canceled.*the kettle/ }).waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("is narrowed by filters in the URL", async () => {
    await using opened = await web.open(shop.owner, "/executions?outcome=canceled");
    const { page } = opened;
    await expect.poll(() => rows(page).allTextContents(), PATIENTLY).toEqual([expect.stringContaining("the kettle")]);
    expect(await page.getByLabel("Outcome").inputValue()).toBe("outcome:canceled");
    await page.getByLabel("Outcome").selectOption("Queued");
    await expect.poll(() => rows(page).allTextContents(), PATIENTLY).toEqual([expect.stringContaining("the plants")]);
    expect(new URL(page.url()).search).toBe("?status=QUEUED");
    await page.getByLabel("Application", { exact: true }).selectOption("Shop helper");
    await page.getByLabel("User", { exact: true }).selectOption(shop.user.email);
    await page.getByRole("searchbox").fill("no such words");
    await page.getByRole("heading", { name: "No matching errands" }).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      status: "QUEUED",
      application_id: shop.connection.applicationId,
      connection_id: shop.connection.connectionId,
      text: "no such words",
    });
    await page.getByRole("main").getByRole("button", { name: "Clear filters" }).last().click();
    await expect.poll(() => rows(page).count(), PATIENTLY).toBe(2);
    expect(new URL(page.url()).search).toBe("");
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
  });

  it("is accessible, and fits a phone", async () => {
    await using opened = await web.open(shop.owner, "/executions?time=24h", { viewport: { width: 360, height: 740 } });
    const { page } = opened;
    await rows(page).first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.getByRole("button", { name: "Filters (1)" }).click();
    await page.getByLabel("Time").selectOption("Any time");
    await expect.poll(() => new URL(page.url()).search, PATIENTLY).toBe("");
  });

  it("keeps the scroll position when new errands arrive, and shows how many", async () => {
    const api = createApi(web.service.url, shop.connection);
    for (let n = 0; n < 40; n += 1) await api.created({ prompt: `Feed animal ${n}.` });
    await using opened = await web.open(shop.owner, "/executions");
    const { page } = opened;
    await rows(page).first().waitFor();
    await page.evaluate(() => window.scrollTo(0, 1_000));
    const topmost = () =>
      page.evaluate(() =>
        document
          .elementFromPoint(window.innerWidth / 2, 300)
          ?.closest("a")
          ?.getAttribute("href"),
      );
    await expect.poll(topmost, PATIENTLY).toBeTruthy();
    const seen = await topmost();
    await api.created({ prompt: "Come last." });
    await page.getByRole("button", { name: "1 new errand" }).waitFor();
    expect(await topmost()).toBe(seen);
    await page.getByRole("button", { name: "1 new errand" }).click();
    await page.getByRole("link", { name: /Come last/ }).waitFor();
  });

  it("scrolls through ten thousand errands with few rows in the DOM, and works with the keyboard", async () => {
    await web.service.database.query(
      `insert into executions (connection_id, prompt, credits, status, terminal_status, terminal_reason, error_code,
         error_message, completed_at)
       select $1, 'Read the price of article ' || n || '.', 1, 'FAILED', 'site_error', 'The site was down.', 'SITE_ERROR',
         'Try again later.', now()
       from generate_series(1, $2::int) as n`,
      [shop.connection.connectionId, MANY],
    );
    await using opened = await web.open(shop.owner, "/executions?status=FAILED");
    const { page } = opened;
    await rows(page).first().waitFor();
    const most = await page.evaluate(scrollToTheEnd);
    await page.getByText(`${(MANY + 1).toLocaleString("en")} errands in total`).waitFor();
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThan(60);
    expect(await rows(page).last().textContent()).toContain("the kettle");

    await page.getByRole("searchbox").fill("article 9999.");
    await expect
      .poll(() => rows(page).allTextContents(), PATIENTLY)
      .toEqual([expect.stringContaining("article 9999.")]);
    await page.getByRole("searchbox").fill("article 12");
    await expect.poll(() => rows(page).count(), PATIENTLY).toBeGreaterThan(5);
    await rows(page).first().focus();
    await page.keyboard.press("ArrowDown");
    const second = await rows(page).nth(1).getAttribute("href");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname, PATIENTLY).toBe(second);
    expect(opened.complaints).toEqual([]);
  });
});

/** Runs in the page: scrolls to the end and returns the largest number of rows in the DOM at a time. */
async function scrollToTheEnd(): Promise<number> {
  let most = 0;
  while (!document.querySelector("main [role=status]")?.textContent?.endsWith("in total")) {
    window.scrollTo(0, document.documentElement.scrollHeight);
    await new Promise(requestAnimationFrame);
    most = Math.max(most, document.querySelectorAll("[aria-label=Errands] > li").length);
  }
  return most;
}
