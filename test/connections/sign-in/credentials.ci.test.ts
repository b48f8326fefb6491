import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../../_harness/api.ts";
import {
  type CallbackServer,
  signUp,
  startCallbackServer,
  startTestBrowser,
  type TestBrowser,
} from "../../_harness/browser.ts";
import { startBrowsingWorker } from "../../_harness/browsing-worker.ts";
import { visitConsole } from "../../_harness/console.ts";
import { expectAccessible } from "../../_harness/console-web.ts";
import { startLiveService } from "../../_harness/live-sign-in.ts";
import { authorizePath, newEmail, postForm, registerClient } from "../../_harness/oauth-flow.ts";
import type { TestService } from "../../_harness/service.ts";
import { type Library, openLibrary } from "../../_harness/stored-credentials.ts";
import { READER } from "../../sites/sign-in/two-factor.ts";

const PHONE = { width: 360, height: 740 };

describe("a user who signs in by hand and stores their credentials", () => {
  const parts = new AsyncDisposableStack();
  let library: Library;
  let service: TestService;
  let browser: TestBrowser;
  let callbacks: CallbackServer;

  beforeAll(async () => {
    library = parts.use(await openLibrary());
    Object.assign(library.state, { form: "one page", asksForCode: false });
    const privateHosts = [new URL(library.url).host];
    browser = parts.use(await startTestBrowser());
    callbacks = parts.use(await startCallbackServer());
    service = parts.use(await startLiveService(privateHosts));
    // Without an installation owner the console shows only the setup page.
    await visitConsole(service, { isOperator: true });
    parts.use(await startBrowsingWorker(service, { privateHosts }));
  });
  afterAll(() => parts.disposeAsync());

  it("is asked once on the way back, and their errands go on after the site has signed them out", async () => {
    const { id } = await registerClient(service, {
      name: "Book helper",
      homeUrl: library.url,
      signInUrl: `${library.url}/sign-in`,
      storedCredentials: true,
    });
    await using opened = await browser.openPage({ viewport: PHONE });
    const { page } = opened;
    await page.goto(service.url + authorizePath(id, { redirect_uri: callbacks.redirectUri }));
    await signUp(page, newEmail());
    await page.getByText("For that it has to store your password, encrypted.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(/\/connect\//);
    await page.locator("#host", { hasText: "127.0.0.1" }).waitFor();
    await page.locator("#keys").focus();
    for (const key of ["Tab", "Tab"]) await page.keyboard.press(key);
    await page.keyboard.type(READER.userName);
    await page.keyboard.press("Tab");
    await page.keyboard.type(READER.password);
    await page.keyboard.press("Enter");
    await page.getByText("You seem to be signed in.").waitFor();
    await page.getByRole("button", { name: /continue/ }).click();

    await page.getByRole("heading", { name: "Let Errand sign in again by itself?" }).waitFor();
    await expectAccessible(page);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
    await page.getByLabel("User name").fill(READER.userName);
    await page.getByLabel("Password").fill(READER.password);
    await page.getByLabel("One-time code secret").fill(READER.totpSecret);
    await page.getByRole("button", { name: "Store and continue" }).click();
    await page.getByRole("heading", { name: "Compare the code" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => callbacks.arrived.length, { timeout: 100_000 }).toBe(1);

    const { body } = await postForm(`${service.url}/v1/oauth/token`, {
      grant_type: "authorization_code",
      code: callbacks.arrived[0]?.searchParams.get("code") ?? "",
      redirect_uri: callbacks.redirectUri,
      client_id: id,
    });
    library.state.sessions.clear();
    library.state.asksForCode = true;
    const api = createApi(service.url, { applicationId: id, token: body.access_token });
    const { id: executionId } = await api.created({ prompt: "Tell me the name.", start_url: `${library.url}/account` });
    await api.get(executionId, "?wait=30");
    const { execution } = (await api.get(executionId, "?wait=30")).body;
    expect(execution).toMatchObject({ status: "COMPLETED", result: { final_text: READER.name } });

    await page.goto(`${service.url}/console/connections`);
    await page.getByText("Renews itself.").waitFor();
    await page.getByText("Store other credentials").click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Delete password" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Your password isn't stored.").waitFor();
    expect(await service.database.query("select 1 from sign_in_credentials")).toEqual([]);
  });
});
