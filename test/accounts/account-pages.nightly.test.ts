import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConsoleWeb, expectAccessible, startConsoleWeb } from "../_harness/console-web.ts";
import { spawnErrand } from "../_harness/errand.ts";
import { Visitor } from "../_harness/oauth-flow.ts";

const PHONE = { width: 360, height: 700 };

describe("the pages before somebody is signed in", () => {
  let web: ConsoleWeb;
  let resetPath: string;

  beforeAll(async () => {
    web = await startConsoleWeb();
    const email = await new Visitor(web.service.url).signUp();
    const { stdout } = await spawnErrand(["user", "reset-password", "--user", email, "--json"], {
      DATABASE_URL: web.service.database.url,
      ERRAND_PUBLIC_URL: web.service.url,
    });
    resetPath = JSON.parse(stdout).url.slice(web.service.url.length);
  });
  afterAll(() => web[Symbol.asyncDispose]());

  it.each([
    ["/", "If an app acts for you through Errand"],
    ["/sign-in", "What is Errand, and can I trust it?"],
    ["/sign-up", "What is Errand, and can I trust it?"],
    ["/forgot-password", "Ask whoever runs this Errand for a new password."],
    ["/reset-password?token=none", "This link does not work any more"],
  ])("%s is accessible, fits on a phone and says what it is", async (path, sentence) => {
    await using opened = await web.browser.openPage({ viewport: PHONE });
    const { page } = opened;
    await page.goto(web.service.url + path);
    const text = page.getByText(sentence);
    await text.waitFor();
    const about = page.locator("summary");
    if ((await about.count()) > 0) {
      await about.click();
      await page.getByText("Your password is passed on to the site and is not stored, unless you agree").waitFor();
    }
    await expectAccessible(page);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
  });

  it("lead from a link to a new password", async () => {
    await using opened = await web.browser.openPage({ viewport: PHONE });
    const { page } = opened;
    await page.goto(web.service.url + resetPath);
    await expectAccessible(page);
    await page.getByLabel("New password").fill("entirely new password");
    await page.getByRole("button", { name: "Save password" }).click();
    await page.getByText("Your new password is saved. Sign in with it.").waitFor();
    await page.getByLabel("Password", { exact: true }).fill("entirely new password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${web.service.url}/`);
  });
});
