import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signIn } from "../_harness/browser.ts";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";
import { finishDirectly, startDirectly } from "../_harness/engine.ts";
import { PASSWORD } from "../_harness/oauth-flow.ts";

let web: ConsoleWeb;
let operator: ConsoleVisit;

beforeAll(async () => {
  web = await startConsoleWeb();
  operator = await visitConsole(web.service, { isOperator: true, email: "operator@example.com" });
});
afterAll(async () => {
  await web[Symbol.asyncDispose]();
});

/** With a long timeout: many tests share a small machine. */
const until = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 100_000 });

function panel(page: Page, name: string) {
  return page.getByRole("region", { name, exact: true });
}

/** One verified execution and one that failed, of an application with a name full of markup. */
async function runSome(): Promise<{ verifiedId: string }> {
  const { body } = await operator.post("/applications", { name: "<b>Larder</b>", type: "public" });
  const { connectionId } = await web.service.connect({ applicationId: body.application.id });
  const ids: string[] = [];
  for (const status of ["COMPLETED", "FAILED"] as const) {
    const made = await operator.post("/executions", { connection_id: connectionId, prompt: "Count the jars." });
    expect(made.status).toBe(201);
    const { id } = made.body.execution;
    await startDirectly(web.service, id);
    await finishDirectly(web.service, id, status);
    ids.push(id);
  }
  return { verifiedId: ids[0] ?? "" };
}

describe("credits in the console", () => {
  it("lists the transactions, and shows the usage as a chart and as a table", async () => {
    const { verifiedId } = await runSome();
    await using opened = await web.open(operator, "/credits");
    const { page } = opened;
    const transactions = panel(page, "Transactions").getByRole("listitem");
    await transactions.first().waitFor();
    expect(await transactions.allTextContents()).toEqual([
      expect.stringMatching(/^Refunded: no verified result<b>Larder<\/b> · .*\+1$/),
      expect.stringMatching(/^Reserved for an errand<b>Larder<\/b> · .*−1$/),
      expect.stringMatching(/^Charged for a verified result<b>Larder<\/b> · .*1 charged$/),
      expect.stringMatching(/^Reserved for an errand<b>Larder<\/b> · .*−1$/),
      expect.stringMatching(/^Granted.*\+1,000$/),
    ]);
    const charged = page.getByRole("link", { name: "Charged for a verified result" });
    expect(await charged.getAttribute("href")).toBe(`/console/executions/${verifiedId}`);
    await panel(page, "Balance").getByText("999", { exact: true }).waitFor();

    const usage = panel(page, "Usage");
    const chart = usage.getByRole("application", { name: /^Bar chart of credits per day\./ });
    const announced = usage.getByRole("status");
    await chart.focus();
    for (let day = 1; day < 30; day += 1) await page.keyboard.press("ArrowRight");
    await until(() => announced.textContent()).toMatch(/: 1 credit<b>Larder<\/b>1$/);
    await page.keyboard.press("ArrowLeft");
    await until(() => announced.textContent()).toMatch(/: 0 credits$/);
    await expectAccessible(page);

    await page.getByText("Errands", { exact: true }).last().click();
    await page.getByText("7 days").click();
    await page.getByText("2 errands in 7 days").waitFor();
    await page.getByRole("button", { name: "Show as table" }).click();
    const table = page.getByRole("table", { name: "Errands by application and day" });
    expect(await table.getByRole("row").last().getByRole("cell").allTextContents()).toEqual(["2"]);
    expect(opened.complaints).toEqual([]);
  });

  it("lets the owner of the installation grant credits, after confirmation", async () => {
    const other = await visitConsole(web.service, { credits: 5 });
    await using opened = await web.open(operator, "/credits");
    const { page } = opened;
    const form = panel(page, "Grant credits");
    await form.getByRole("combobox", { name: "Owner" }).click();
    await page.getByRole("option", { name: other.email }).click();
    await form.getByLabel("Amount").fill("250");
    await form.getByRole("button", { name: "Grant" }).click();
    const question = page.getByRole("dialog", { name: "Grant credits?" });
    await question.getByText(`${other.email} will receive 250 credits.`).waitFor();
    expect((await other.get("/me")).body.owner.balance).toBe(5);
    await question.getByRole("button", { name: "Grant 250" }).click();
    await page.getByText(`${other.email} now has 255 credits.`).waitFor();
    expect((await other.get("/me")).body.owner.balance).toBe(255);

    await using seen = await web.open(other, "/credits");
    await panel(seen.page, "Balance").getByText("255", { exact: true }).waitFor();
    expect(await panel(seen.page, "Grant credits").count()).toBe(0);
  });
});

describe("settings in the console", () => {
  it("show the owner of the installation its status and the other owners", async () => {
    await using opened = await web.open(operator, "/settings");
    const { page } = opened;
    await panel(page, "System status").getByText("Database", { exact: true }).waitFor();
    const owners = panel(page, "Owners");
    const person = await visitConsole(web.service);
    await owners.getByLabel("Add an owner").fill("stranger@example.com");
    await owners.getByRole("button", { name: "Add owner" }).click();
    await owners.getByRole("alert").filter({ hasText: "Ask them to sign up" }).waitFor();
    await owners.getByLabel("Add an owner").fill(person.email);
    await owners.getByRole("button", { name: "Add owner" }).click();
    await owners.getByRole("cell", { name: person.email }).waitFor();
    expect((await person.get("/me")).body.owner).toMatchObject({ balance: 0 });
    await expectAccessible(page);
  });

  it("change the password, and sign out other sessions", async () => {
    const person = await visitConsole(web.service);
    await using opened = await web.open(person, "/settings");
    await using elsewhere = await web.browser.openPage();
    const { page } = opened;
    expect(await panel(page, "System status").count()).toBe(0);
    await elsewhere.page.goto(`${web.service.url}/console/settings`);
    await signIn(elsewhere.page, person.email);
    await panel(elsewhere.page, "Sessions").getByText("This session").waitFor();

    await page.reload();
    const sessions = panel(page, "Sessions").getByRole("listitem");
    await until(() => sessions.count()).toBe(2);
    const signOut = sessions.last().getByRole("button", { name: /^Sign out / });
    await page.setViewportSize({ width: 320, height: 740 });
    expect(await signOut.evaluate((button) => button.scrollWidth <= button.clientWidth)).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await signOut.click();
    await until(() => sessions.count()).toBe(1);
    await elsewhere.page.reload();
    await elsewhere.page.waitForURL("**/sign-in?**");

    const form = panel(page, "Password");
    const fill = async (current: string, next: string) => {
      await form.getByLabel("Current password").fill(current);
      await form.getByLabel("New password").fill(next);
      await form.getByRole("button", { name: "Change password" }).click();
    };
    await form.getByLabel("Current password").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await until(() => form.getByLabel("Current password").getAttribute("type")).toBe("text");
    await fill("not it at all", "another horse battery");
    await form.getByRole("alert").waitFor();
    await fill(PASSWORD, "another horse battery");
    await page.getByText("Password changed").waitFor();
    await signIn(elsewhere.page, person.email, "another horse battery");
    await panel(elsewhere.page, "Sessions").getByText("This session").waitFor();

    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
    await page.waitForURL("**/sign-in?**");
    await elsewhere.page.reload();
    await elsewhere.page.waitForURL("**/sign-in?**");
  });
});

describe("the frame around the pages", () => {
  it("is used by keyboard: a link skips the menu, and choosing a page moves the focus to it", async () => {
    await using opened = await web.open(operator, "/settings");
    const { page } = opened;
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    await until(() => page.title()).toBe("Settings · Errand");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.locator(":focus").getAttribute("id")).toBe("content");
    await page.getByRole("navigation").getByRole("link", { name: "Credits" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Credits" }).waitFor();
    await until(() => page.locator(":focus").getAttribute("id")).toBe("content");
  });

  it("fits a phone, with the menu behind a button", async () => {
    await using opened = await web.open(operator, "/credits", { viewport: { width: 360, height: 740 } });
    const { page } = opened;
    await panel(page, "Transactions").getByRole("listitem").first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.locator("nav[inert]").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Open menu" }).click();
    await page.locator("nav:not([inert])").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("nav[inert]").waitFor({ state: "attached" });
    expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Open menu");
    await page.keyboard.press("Enter");
    await page.locator("nav:not([inert])").waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
    await page.getByRole("button", { name: "Open menu" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });

  it("stays when a page crashes or the service is unreachable", async () => {
    await using opened = await web.open(operator, "/settings");
    const { page } = opened;
    await panel(page, "Sessions").getByText("This session").waitFor();
    await page.route("**/console/api/credits/usage*", (route) => route.fulfill({ json: { days: 7 } }));
    await page.getByRole("navigation").getByRole("link", { name: "Credits" }).click();
    await page.getByRole("heading", { name: "This page crashed" }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Settings" }).click();
    await panel(page, "Sessions").getByText("This session").waitFor();

    await page.route("**/console/api/**", (route) => route.abort());
    await page.getByRole("navigation").getByRole("link", { name: "Home" }).click();
    await page.getByText("Can't reach Errand").waitFor();
    await page.unroute("**/console/api/**");
    await page.getByText("Can't reach Errand").waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Recent errands" }).waitFor();
  });
});
