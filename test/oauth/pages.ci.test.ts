import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CallbackServer,
  signIn,
  signUp,
  startCallbackServer,
  startLoopbackServer,
  startTestBrowser,
  type TestBrowser,
  type TestPage,
} from "../_harness/browser.ts";
import { expectAccessible } from "../_harness/console-web.ts";
import {
  authorizePath,
  type Client,
  type Fields,
  newEmail,
  PASSWORD,
  registerClient,
  Visitor,
} from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

describe("a person who connects an application in a browser", () => {
  let service: TestService;
  let browser: TestBrowser;
  let callbacks: CallbackServer;
  let app: Client;

  beforeAll(async () => {
    [service, browser, callbacks] = await Promise.all([startTestService(), startTestBrowser(), startCallbackServer()]);
    app = await registerClient(service, { name: "Milk Runner", homeUrl: "https://shop.example/start" });
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await callbacks[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  function linkTo(clientId: string, fields: Fields = {}): string {
    return service.url + authorizePath(clientId, { redirect_uri: callbacks.redirectUri, state: "s-1", ...fields });
  }

  /** A signed-in person on the consent page. */
  async function openConsent(clientId = app.id, fields: Fields = {}): Promise<TestPage & { email: string }> {
    const email = newEmail();
    const visit = await browser.openPage();
    await visit.page.goto(linkTo(clientId, fields));
    await signUp(visit.page, email);
    await button(visit.page, "Allow").waitFor();
    return { ...visit, email };
  }

  function button(page: Page, name: string) {
    return page.getByRole("button", { name });
  }

  function heading(page: Page): Promise<string | null> {
    return page.getByRole("heading", { level: 1 }).textContent();
  }

  /** Waits until the browser is back at the application; returns the query. */
  async function arrivedWith(page: Page): Promise<Record<string, string>> {
    await page.waitForURL(`${callbacks.redirectUri}?**`);
    return Object.fromEntries(new URL(page.url()).searchParams);
  }

  it("signs up, reads the consent page, allows it and returns with code, state and iss", async () => {
    const email = newEmail();
    await using visit = await browser.openPage();
    const { page } = visit;
    await page.goto(linkTo(app.id));
    expect(await heading(page)).toBe("Sign in");
    expect(await page.getByText("to connect Milk Runner").isVisible()).toBe(true);
    await signUp(page, email);
    await button(page, "Allow").waitFor();
    expect(await heading(page)).toBe("Connect Milk Runner?");
    const consent = await page.getByRole("main").textContent();
    for (const told of [
      "shop.example",
      email,
      "Open pages in a browserRead",
      "Act on your behalf",
      "See your password",
      new URL(callbacks.url).host,
    ]) {
      expect(consent).toContain(told);
    }
    await button(page, "Allow").click();
    const code = expect.stringMatching(/^errand_ac_\w{49}$/);
    expect(await arrivedWith(page)).toEqual({ code, state: "s-1", iss: service.url });
    expect(visit.complaints).toEqual([]);
  });

  it("sees that a read-only application changes nothing", async () => {
    const { id } = await registerClient(service, { access: "read_only" });
    await using visit = await openConsent(id);
    const consent = await visit.page.getByRole("main").textContent();
    expect(consent).toContain("Change anything");
    expect(consent).not.toContain("Act on your behalf");
  });

  it("sees an error for a wrong password, keeps the email address, and continues with the right one", async () => {
    const email = newEmail();
    await new Visitor(service.url).signUp(email);
    await using visit = await browser.openPage();
    const { page } = visit;
    await page.goto(linkTo(app.id));
    await signIn(page, email, "not my password");
    const alert = await page.getByRole("alert").textContent();
    expect(alert).toContain("The email address or the password is wrong.");
    expect(await page.getByLabel("Email address").inputValue()).toBe(email);
    expect(await page.getByLabel("Password").inputValue()).toBe("");
    await signIn(page, newEmail(), "not my password");
    expect(await page.getByRole("alert").textContent(), "nobody learns who has an account").toBe(alert);
    await signIn(page, email.toUpperCase());
    await button(page, "Allow").click();
    expect(await arrivedWith(page)).toHaveProperty("code");
  });

  it("signs up with an email address that has an account, and continues with that account's password", async () => {
    const email = newEmail();
    await new Visitor(service.url).signUp(email);
    await using visit = await browser.openPage();
    const { page } = visit;
    await page.goto(linkTo(app.id));
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password").fill("another password");
    await button(page, "Create account").click();
    await page.getByText("its password has not changed").waitFor();
    expect(await page.getByLabel("Email address").inputValue()).toBe(email);
    await signIn(page, email);
    await button(page, "Allow").waitFor();
  });

  it("gets the same response to signing up, whether or not the email address has an account", async () => {
    const taken = newEmail();
    await new Visitor(service.url).signUp(taken);
    // The operator can make accounts that have no password.
    const connected = newEmail();
    await service.connect({ email: connected });
    const responses = [];
    for (const email of [newEmail(), taken, connected]) {
      const visitor = new Visitor(service.url);
      const form = (await visitor.get("/sign-up")).form("/sign-up");
      const { status, headers, text, location } = await visitor.submit(form, { email, password: "another password" });
      const names = [...headers.keys()].filter((name) => name !== "date");
      const next = await visitor.get(location?.href ?? "");
      const masked = (page: string) =>
        page
          .replaceAll(email, "EMAIL")
          .replaceAll(encodeURIComponent(email), "EMAIL")
          .replace(/form_token" value="[^"]+/, "");
      responses.push({
        status,
        names,
        cookies: headers.getSetCookie(),
        text,
        to: masked(location?.href ?? ""),
        next: masked(next.text),
      });
    }
    expect(responses[0]).toMatchObject({ status: 303, cookies: [], to: expect.stringContaining("/sign-in?") });
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[2]).toEqual(responses[0]);
  });

  it("is asked for consent every time, without signing in again", async () => {
    await using visit = await openConsent();
    const { page } = visit;
    await button(page, "Allow").click();
    const first = await arrivedWith(page);
    await page.goto(linkTo(app.id, { state: "s-2" }));
    expect(await heading(page)).toBe("Connect Milk Runner?");
    await button(page, "Allow").click();
    await page.waitForURL("**state=s-2**");
    expect((await arrivedWith(page))["code"]).not.toBe(first["code"]);
  });

  it("limits what may be spent on a phone; Enter decides nothing, and a wrong amount is explained", async () => {
    await using visit = await openConsent();
    const { page } = visit;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByText("Limit what it may spend").click();
    const perMonth = page.getByLabel("Per month");
    await perMonth.fill("twenty");
    await perMonth.press("Enter");
    expect(await heading(page)).toBe("Connect Milk Runner?");
    await button(page, "Allow").click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("such as 20 or 19.99");
    expect(await perMonth.inputValue()).toBe("twenty");
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    const folder = process.env["ERRAND_TEST_PICTURES"];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/spending-limits.png`, fullPage: true });
    await perMonth.fill("20");
    await button(page, "Allow").click();
    expect(await arrivedWith(page)).toHaveProperty("code");
    const limits = await service.database.query(
      `select spending_currency, spending_per_month::int from connections
       join users on users.id = user_id where email = $1`,
      [visit.email],
    );
    expect(limits).toEqual([{ spending_currency: "EUR", spending_per_month: 2000 }]);
  });

  it("cancels and returns with access_denied, state and iss, and without a code", async () => {
    await using visit = await openConsent();
    await button(visit.page, "Cancel").click();
    expect(await arrivedWith(visit.page)).toEqual({
      error: "access_denied",
      error_description: expect.any(String),
      state: "s-1",
      iss: service.url,
    });
    expect(await service.database.query(CONNECTION_OF, [visit.email, app.id])).toEqual([]);
  });

  it("can switch to another account for the same request, and that account is connected", async () => {
    const other = newEmail();
    await new Visitor(service.url).signUp(other);
    await using visit = await openConsent();
    const { page, email } = visit;
    await button(page, "Use another account").click();
    await button(page, "Sign in").waitFor();
    expect(await page.getByText("to connect Milk Runner").isVisible()).toBe(true);
    await signIn(page, other);
    await button(page, "Allow").click();
    expect(await arrivedWith(page)).toMatchObject({ state: "s-1" });
    expect(await service.database.query(CONNECTION_OF, [email, app.id])).toEqual([]);
    expect(await service.database.query(CONNECTION_OF, [other, app.id])).toHaveLength(1);
  });

  it("finds the email address of the login_hint filled in, on the sign-in and on the sign-up page", async () => {
    await using visit = await browser.openPage();
    const { page } = visit;
    await page.goto(linkTo(app.id, { login_hint: 'ada+"x"@example.com' }));
    expect(await page.getByLabel("Email address").inputValue()).toBe('ada+"x"@example.com');
    await page.getByRole("link", { name: "Create an account" }).click();
    expect(await page.getByLabel("Email address").inputValue()).toBe('ada+"x"@example.com');
  });

  it("sees an error page when the link names an unknown client or an unregistered redirect URI", async () => {
    const stranger = "00000000-0000-4000-8000-000000000000";
    for (const link of [linkTo(stranger), linkTo(app.id, { redirect_uri: "https://evil.example/" })]) {
      await using visit = await browser.openPage();
      expect((await visit.page.goto(link))?.status()).toBe(400);
      expect(await heading(visit.page)).toBe("Something went wrong");
      expect(visit.page.url()).toBe(link);
      expect(visit.requests.filter((address) => !address.startsWith(`${service.url}/`))).toEqual([]);
    }
  });

  it("needs nothing but the keyboard", async () => {
    await using visit = await browser.openPage();
    const { page } = visit;
    const focused = page.locator(":focus");
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 20 && (await focused.textContent()) !== name; presses++) {
        await page.keyboard.press("Tab");
      }
      expect(await focused.textContent()).toBe(name);
    };
    await page.goto(linkTo(app.id));
    await page.locator("#email:focus").waitFor();
    await tabTo("Create an account");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sign-up?**");
    await page.locator("#email:focus").waitFor();
    await page.keyboard.type(newEmail());
    await page.keyboard.press("Tab");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    // The cursor is in the password field already.
    await page.getByText("Now sign in").waitFor();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await button(page, "Allow").waitFor();
    await page.locator("body").press("Tab");
    await tabTo("Allow");
    await page.keyboard.press("Enter");
    expect(await arrivedWith(page)).toHaveProperty("code");
  });

  it("returns to an application that listens on IPv6 or as localhost", async () => {
    for (const host of ["::1", "localhost"]) {
      await using server = await startCallbackServer(host);
      const { id } = await registerClient(service, { redirectUris: [server.redirectUri] });
      await using visit = await openConsent(id, { redirect_uri: server.redirectUri });
      await button(visit.page, "Allow").click();
      await visit.page.waitForURL(({ href }) => href.startsWith(`${server.redirectUri}?`));
      expect(server.arrived.map(({ searchParams }) => searchParams.get("state"))).toEqual(["s-1"]);
    }
  });

  it("can be redirected by the application to another of its URLs", async () => {
    await using front = await startLoopbackServer((_request, response) => response.end("Signed in"), "localhost");
    await using back = await startLoopbackServer((_request, response) =>
      response.writeHead(302, { location: `${front.url}/home` }).end(),
    );
    await using visit = await openConsent(app.id, { redirect_uri: `${back.url}/callback` });
    await button(visit.page, "Allow").click();
    await visit.page.waitForURL(`${front.url}/home`);
    expect(visit.complaints).toEqual([]);
  });

  describe("sees the application's name as plain text:", () => {
    it.each<[name: string, shown: string]>([
      ["<script>alert(1)</script>", "<script>alert(1)</script>"],
      [`"><img src=x onerror=alert(1)>`, `"><img src=x onerror=alert(1)>`],
      ["&lt;b&gt;{{7*7}}", "&lt;b&gt;{{7*7}}"],
      ["W".repeat(100), "W".repeat(100)],
      ["\u202Etxt.exe", "txt.exe"],
      ["متجر الحليب", "متجر الحليب"],
      ["Milk\nRunner\u200B\u2066", "Milk Runner"],
      ["Z̸̡̛̗̤̼̱̫̐̀̓̓algo", "Z̸̡̛̗algo"],
      ["\u200B\u2066", "Unnamed application"],
    ])("%j", async (name, shown) => {
      const { id } = await registerClient(service, { name });
      await using visit = await openConsent(id);
      const { page } = visit;
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await heading(page)).toBe(`Connect ${shown}?`);
      expect(await page.title()).toBe(`Connect ${shown} · Errand`);
      expect(await page.locator("script, img").count()).toBe(0);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(width, "nothing sticks out of a small screen").toBe(320);
      await button(page, "Cancel").click();
      expect(await arrivedWith(page)).toMatchObject({ error: "access_denied" });
      expect(visit.complaints).toEqual([]);
    });
  });
});

const CONNECTION_OF = `select connections.id from connections join users on users.id = user_id
  where email = $1 and application_id = $2`;
