import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { signUp, startTestBrowser, type TestBrowser, type TestPage } from "../_harness/browser.ts";
import { newEmail } from "../_harness/oauth-flow.ts";
import { PATIENCE } from "../_harness/webhooks.ts";
import { createProject, type Project, ROOT, type RunningProgram } from "./_project.ts";
import { type DeveloperService, findFreePort, startDeveloperService } from "./_service.ts";

const [, CODE = ""] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(ROOT, "docs/integrating.md"), "utf8")) ?? [];

describe("the application of docs/integrating.md", () => {
  let parts: AsyncDisposableStack;
  let project: Project;
  let service: DeveloperService;
  let browser: TestBrowser;
  let visitor: TestPage;
  let app: RunningProgram;
  let appUrl: string;
  let webhookSecret: string;

  beforeAll(async () => {
    parts = new AsyncDisposableStack();
    project = parts.use(await createProject());
    browser = parts.use(await startTestBrowser());
    appUrl = `http://127.0.0.1:${await findFreePort()}`;
    service = parts.use(await startDeveloperService({ ERRAND_ALLOW_HOSTS: new URL(appUrl).host }));
    const applicationId = await service.register("--redirect-uri", `${appUrl}/callback`);
    const webhook = ["--application", applicationId, "--url", `${appUrl}/webhooks/errand`];
    webhookSecret = (await service.command<{ secret: string }>("webhook", "create", ...webhook)).secret;
    project.write("app.ts", CODE);
    app = parts.use(
      await project.start("app.ts", {
        APP_URL: appUrl,
        API_URL: service.url,
        APPLICATION_ID: applicationId,
        WEBHOOK_SECRET: webhookSecret,
      }),
    );
    visitor = await browser.openPage();
  });
  afterAll(() => parts.disposeAsync());

  const agree = () => visitor.page.getByRole("button", { name: "Allow" }).click();
  const seesPrice = () => visitor.page.getByText(/^The kettle costs 64\.9\. /).waitFor();

  it("is short", () => {
    expect(CODE.trim().split("\n").length).toBeGreaterThan(50);
    expect(
      CODE.trim()
        .split("\n")
        .filter((line) => line.trim() !== "").length,
    ).toBeLessThan(80);
  });

  it("connects a user, runs an errand in their name and shows its result", async () => {
    await visitor.page.goto(`${appUrl}/`);
    await signUp(visitor.page, newEmail());
    await agree();
    await seesPrice();
    expect(app.output()).toMatch(/^Step 1 /m);
  });

  it("hears of it by a webhook, and rejects messages of others", async () => {
    await vi.waitFor(() => expect(app.output()).toMatch(/^Done: .*64\.90/m), PATIENCE);
    const response = await fetch(`${appUrl}/webhooks/errand`, { method: "POST", body: "{}" });
    expect(response.status).toBe(400);
  });

  it("sends the user to Errand when they must connect again, and continues", async () => {
    await service.database.query("update connections set state = 'REAUTHORIZATION_REQUIRED'");
    await visitor.page.goto(`${appUrl}/`);
    await agree();
    await seesPrice();
  });

  it("does the same when the token was revoked", async () => {
    const { connections } = await service.command<{ connections: { id: string }[] }>("connection", "list");
    await service.command("connection", "revoke-token", "--connection", connections[0]?.id ?? "");
    await visitor.page.goto(`${appUrl}/`);
    await agree();
    await seesPrice();
  });
});
