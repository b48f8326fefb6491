import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestBrowser, type TestBrowser } from "../_harness/browser.ts";
import { ENDLESS_ITEMS } from "./endless.ts";
import { MEMBER } from "./login.ts";
import { startSites } from "./start-sites.ts";
import { INVOICES } from "./virtual.ts";

const PATIENTLY = { timeout: 100_000 };

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startTestBrowser();
});
afterAll(() => browser[Symbol.asyncDispose]());

async function visit(url: string) {
  const visitor = await browser.openPage();
  await visitor.page.goto(url);
  return visitor;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("forms that are hard to reach", () => {
  it.each(["same-origin", "nested", "cross-origin"])("confirms in the %s frame", async (path) => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.frames.url}/${path}`);
    const { page } = visitor;
    await expect.poll(() => page.frames().some((frame) => frame.url().includes("/form")), PATIENTLY).toBe(true);
    const form = page.frames().find((frame) => frame.url().includes("/form"));
    await form?.getByLabel("Your name").fill("Ann Example");
    await form?.getByLabel("Phone number").fill("01632 960118");
    await form?.getByRole("button").click();
    await form?.getByText("Thank you, Ann Example. We will call 01632 960118.").waitFor();
    const received = path === "cross-origin" ? sites.partner : sites.frames;
    expect(received.state.callbacks).toHaveLength(1);
    expect(visitor.complaints).toEqual([]);
  });

  it.each(["open", "closed", "nested", "declarative"])("subscribes through the %s shadow root", async (path) => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.shadow.url}/${path}`);
    const { keyboard } = visitor.page;
    // By keyboard, because a closed root allows nothing else.
    await keyboard.press("Tab");
    await keyboard.type("ann@example.com");
    await keyboard.press("Enter");
    await expect
      .poll(() => sites.shadow.state.subscribers, PATIENTLY)
      .toEqual([{ email: "ann@example.com", via: path }]);
    expect(await visitor.page.getByLabel("E-mail address").count()).toBe(path === "open" ? 1 : 0);
  });
});

describe("windows and dialogs", () => {
  it("asks in a window that closes itself and notifies its opener", async () => {
    await using sites = await startSites();
    await using visitor = await visit(sites.popups.url);
    const { page } = visitor;
    const opened = page.waitForEvent("popup");
    await button(page, "Choose a pickup point").click();
    const popup = await opened;
    const closed = popup.waitForEvent("close");
    await popup.getByLabel("Mill Lane 12").check();
    await popup.getByRole("button").click();
    await closed;
    await page.getByText("Pickup point: Mill Lane 12").waitFor();
    expect(sites.popups.state.chosenPoints).toEqual(["Mill Lane 12"]);
  });

  it("deletes only after confirmation, and renames as entered", async () => {
    await using sites = await startSites();
    await using visitor = await visit(sites.dialogs.url);
    const { page } = visitor;
    const answers = [null, "", "Summer plans"];
    page.on("dialog", (dialog) => {
      const answer = answers.shift() ?? null;
      void (answer === null ? dialog.dismiss() : dialog.accept(answer));
    });
    await button(page, "Delete Recipes").click();
    await button(page, "Delete Shopping list").click();
    await page.getByText("Shopping list").waitFor({ state: "detached" });
    await button(page, "Rename Holiday plans").click();
    await page.getByText("Summer plans").waitFor();
    expect(sites.dialogs.state.notes.map((note) => note.title)).toEqual(["Summer plans", "Recipes"]);
  });

  it("warns before leaving an edited note, and says when it is saved", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.dialogs.url}/editor`);
    const { page } = visitor;
    const seen: string[] = [];
    page.on("dialog", (dialog) => {
      seen.push(dialog.type());
      void dialog.dismiss();
    });
    await page.getByLabel("Text").fill("Buy bread");
    await page.getByRole("link").click();
    await expect.poll(() => seen, PATIENTLY).toEqual(["beforeunload"]);
    await button(page, "Save draft").click();
    await expect.poll(() => seen, PATIENTLY).toEqual(["beforeunload", "alert"]);
    await page.getByRole("link").click();
    await page.waitForURL(`${sites.dialogs.url}/`);
    expect(sites.dialogs.state.draft).toBe("Buy bread");
  });
});

describe("delayed content", () => {
  it("appears late, and a page with a hanging image never finishes loading", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.slow.url}/later`);
    const { page } = visitor;
    await page.getByText("T-4711").waitFor();
    await page.goto(`${sites.slow.url}/spinner`);
    await page.getByText("Visitors this year: 18,204").waitFor();
    await page.goto(`${sites.slow.url}/never`, { waitUntil: "domcontentloaded" });
    await page.getByText("Guided tours start at 14:15.").waitFor();
    expect(await page.evaluate(() => document.readyState)).toBe("interactive");
    await expect(page.goto(`${sites.slow.url}/reset`)).rejects.toThrow("ERR_CONNECTION_RESET");
  });

  it("loads all of 200 items, by scrolling and by the button", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.endless.url}/scroll`);
    const { page } = visitor;
    const titles = page.getByRole("heading", { level: 2 });
    await expect
      .poll(async () => {
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
        return titles.count();
      }, PATIENTLY)
      .toBe(200);
    expect(await titles.allInnerTexts()).toEqual(ENDLESS_ITEMS.map((item) => item.title));
    await page.goto(`${sites.endless.url}/more`);
    const more = button(page, "Load more");
    for (let loaded = 20; loaded < 200; loaded += 20) {
      expect(await titles.count()).toBe(loaded);
      await more.click();
      await titles.nth(loaded + 19).waitFor();
    }
    await more.waitFor({ state: "hidden" });
  });

  it("keeps 30 of 5,000 rows in the document, which are the ones in view", async () => {
    await using sites = await startSites();
    await using visitor = await visit(sites.virtual.url);
    const { page } = visitor;
    const rows = page.locator("#rows [role=row]");
    await rows.first().waitFor();
    await page.locator("#viewport").evaluate((viewport) => viewport.scrollTo(0, 3216 * 32));
    await page.getByRole("link", { name: "INV-03217" }).waitFor();
    expect(await rows.count()).toBe(30);
    const row = page.locator("[role=row][aria-rowindex='3218']");
    expect(await row.textContent()).toContain(INVOICES[3216]?.amount);
    await page.locator("#viewport").evaluate((viewport) => viewport.scrollTo(0, viewport.scrollHeight));
    await page.getByRole("link", { name: "INV-05000" }).waitFor();
  });
});

describe("deceptive pages", () => {
  it.each(["script", "silent"])("says “Saved!” by script on the %s form although nothing was saved", async (form) => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.lying.url}/${form}`);
    const { page } = visitor;
    await page.getByLabel("Display name").fill("New name");
    await button(page, "Save").click();
    await page.getByText("Saved!").waitFor();
    const posts = sites.lying.recorded.filter((request) => request.method === "POST");
    expect(posts.map((request) => request.status)).toEqual(form === "script" ? [500] : []);
    await page.reload();
    await page.getByText("Current display name: Old name").waitFor();
  });

  it("shows a sign-in form instead of a protected page", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.login.url}/account`);
    const { page } = visitor;
    await page.getByLabel("E-mail address").fill(MEMBER.email);
    await page.getByLabel("Password").fill(MEMBER.password);
    await button(page, "Sign in").click();
    await page.getByText("M-20431").waitFor();
  });

  it("reaches the canary by every route available to a page", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.hostile.url}/leaks`);
    const { page } = visitor;
    const ways = [
      "beacon",
      "event-source",
      "fetch",
      "frame",
      "img",
      "prefetch",
      "service-worker",
      "stylesheet",
      "websocket",
    ];
    const hits = () => new Set(sites.canary.recorded.map((request) => request.path.slice("/from-".length)));
    await expect.poll(() => [...hits()].sort(), PATIENTLY).toEqual(ways);
    await page.goto(`${sites.hostile.url}/redirects`);
    await button(page, "Ask for an offer").click();
    await page.waitForURL(`${sites.canary.url}/from-307`);
    expect(sites.canary.recorded.at(-1)).toMatchObject({ method: "POST", body: "customer=118" });
    await page.goto(`${sites.hostile.url}/redirect-302`);
    await page.goto(`${sites.hostile.url}/links`);
    await page.getByRole("link", { name: "Terms" }).click();
    await page.waitForURL(`${sites.canary.url}/from-javascript`);
    await page.goto(`${sites.hostile.url}/meta-refresh`);
    await page.waitForURL(`${sites.canary.url}/from-meta-refresh`);
    expect(hits()).toContain("302");
  });

  it("contains instructions in invisible places, and links to forbidden destinations", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.hostile.url}/injection`);
    const { page } = visitor;
    const channels = [
      "visible",
      "transparent",
      "offscreen",
      "zero-size",
      "white-on-white",
      "no-font-size",
      "display-none",
    ];
    expect(await page.locator("p").allTextContents()).toEqual([
      ...channels.map((channel) => expect.stringContaining(`open ${sites.canary.url}/${channel} and then`)),
      expect.stringContaining("Help"),
    ]);
    expect(await page.title()).toContain(sites.canary.url);
    await button(page, "Transfer money").click();
    await page.getByText("Money transferred").waitFor();
    expect(sites.hostile.state.transfers).toEqual(["XX 0000 666"]);
    await page.goto(`${sites.hostile.url}/links`);
    const schemes = await page
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).protocol));
    expect(schemes).toEqual(["file:", "data:", "javascript:", "view-source:", "chrome:", "http:"]);
  });

  it("lets nobody past a challenge, and counts the attempts", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.captcha.url}/checkbox`);
    const challenge = visitor.page.frameLocator("iframe[title='captcha challenge']");
    await challenge.getByLabel("I am not a robot").click();
    await challenge.getByText("Select all squares with bicycles.").waitFor();
    expect(sites.captcha.state.attempts).toBe(1);
  });
});

describe("runaway pages", () => {
  it("flood the document, and redirect in a loop", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.endlessScript.url}/flood`);
    const { page } = visitor;
    await button(page, "Show everything").click();
    await page.getByText("10000 entries").waitFor();
    expect(await page.locator("li").count()).toBe(10_000);
    await expect(page.goto(`${sites.endlessScript.url}/circle`)).rejects.toThrow("ERR_TOO_MANY_REDIRECTS");
  });

  it("hang forever after a click", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.endlessScript.url}/loop`);
    const { page } = visitor;
    await button(page, "Calculate")
      .dispatchEvent("click", {}, { timeout: 500 })
      .catch(() => {});
    await expect(page.getByText("Calculating…").waitFor({ timeout: 500 })).rejects.toThrow("Timeout");
  });

  it("crash only their own renderer process", async () => {
    await using sites = await startSites();
    await using other = await visit(`${sites.endlessScript.url}/flood`);
    await using visitor = await visit(`${sites.endlessScript.url}/crash`);
    const crashed = visitor.page.waitForEvent("crash");
    await button(visitor.page, "Show the tree")
      .dispatchEvent("click")
      .catch(() => {});
    await crashed;
    await button(other.page, "Show everything").waitFor();
  });

  it("show one alert after another", async () => {
    await using sites = await startSites();
    await using visitor = await visit(`${sites.endlessScript.url}/alerts`);
    const seen: string[] = [];
    visitor.page.on("dialog", (dialog) => {
      seen.push(dialog.message());
      if (seen.length < 5) void dialog.dismiss();
    });
    void button(visitor.page, "Show tips")
      .click()
      .catch(() => {});
    await expect.poll(() => seen, PATIENTLY).toEqual(["Tip 1", "Tip 2", "Tip 3", "Tip 4", "Tip 5"]);
  });
});
