import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { signUp, startTestBrowser, type TestBrowser } from "../_harness/browser.ts";
import { newEmail } from "../_harness/oauth-flow.ts";
import { PATIENCE } from "../_harness/webhooks.ts";
import { createProject } from "./_project.ts";
import { type DeveloperService, findFreePort, startDeveloperService } from "./_service.ts";

interface CreatedWebhook {
  secret: string;
  webhook: { id: string };
}

describe("the examples", () => {
  let service: DeveloperService;
  let browser: TestBrowser;
  let [appUrl, receiverUrl] = ["", ""];

  beforeAll(async () => {
    appUrl = `http://127.0.0.1:${await findFreePort()}`;
    receiverUrl = `http://127.0.0.1:${await findFreePort()}`;
    const hosts = [appUrl, receiverUrl].map((url) => new URL(url).host).join(",");
    browser = await startTestBrowser();
    service = await startDeveloperService({ ERRAND_ALLOW_HOSTS: hosts });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await browser[Symbol.asyncDispose]();
  });

  async function createWebhook(application: string, url: string): Promise<CreatedWebhook> {
    return service.command<CreatedWebhook>("webhook", "create", "--application", application, "--url", url);
  }

  it("web-app: signs in, runs an errand and shows its receipt, its evidence and the webhook", async () => {
    using project = await createProject("web-app");
    const application = await service.register("--redirect-uri", `${appUrl}/callback`);
    const { secret } = await createWebhook(application, `${appUrl}/webhooks/errand`);
    const env = { APP_URL: appUrl, ERRAND_URL: service.url, APPLICATION_ID: application, WEBHOOK_SECRET: secret };
    await using app = await project.start("server.ts", env);
    await using visitor = await browser.openPage();
    const { page } = visitor;

    await page.goto(appUrl);
    await page.getByRole("button", { name: "Sign in with Errand" }).click();
    await signUp(page, newEmail());
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByLabel("What should be done?").fill("Search for kettle, open Brindle Kettle and click Add to cart.");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("heading", { name: "Receipt" }).waitFor();
    expect(await page.locator("body").textContent()).toContain("Done, and verified");
    expect(await page.locator("#changes li").allInnerTexts()).toEqual([expect.not.stringContaining("Nothing")]);
    await vi.waitFor(async () => {
      await page.reload();
      expect(await page.locator("#notice").count(), app.output()).toBe(1);
    }, PATIENCE);

    const screenshot = page.getByRole("link", { name: /\.(?:png|jpe?g|webp)$/ }).first();
    const [download] = await Promise.all([page.waitForEvent("download"), screenshot.click()]);
    expect(await download.failure()).toBeNull();

    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with Errand" }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it("webhook-receiver: prints a message once, and nothing that is not from Errand", async () => {
    using project = await createProject("webhook-receiver");
    const { secret, webhook } = await createWebhook(await service.register(), `${receiverUrl}/`);
    await using receiver = await project.start("receiver.ts", {
      PORT: new URL(receiverUrl).port,
      WEBHOOK_SECRET: secret,
    });
    await service.command("webhook", "ping", "--webhook", webhook.id);
    await vi.waitFor(() => expect(receiver.output()).toMatch(/^Ping$/m), PATIENCE);
    expect((await fetch(receiverUrl, { method: "POST", body: '{"type":"ping"}' })).status).toBe(400);
    expect(receiver.output().match(/^Ping$/gm)).toHaveLength(1);
  });
});
