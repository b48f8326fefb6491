import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CallbackServer,
  signUp,
  startCallbackServer,
  startLoopbackServer,
  startTestBrowser,
  type TestBrowser,
  type TestPage,
} from "../_harness/browser.ts";
import {
  authorizePath,
  type Client,
  type Fields,
  newEmail,
  newVisitor,
  PASSWORD,
  registerClient,
  type Visit,
  Visitor,
} from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

describe("the pages", () => {
  let service: TestService;
  let browser: TestBrowser;
  let callbacks: CallbackServer;
  let app: Client;

  beforeAll(async () => {
    [service, browser, callbacks] = await Promise.all([startTestService(), startTestBrowser(), startCallbackServer()]);
    app = await registerClient(service);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await callbacks[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  function link(): string {
    return service.url + authorizePath(app.id, { redirect_uri: callbacks.redirectUri, state: "s" });
  }

  /** What must be impossible from outside. */
  async function countTraces(): Promise<unknown> {
    const [traces] = await service.database.query(
      `select (select count(*)::int from authorization_codes) as codes, (select count(*)::int from connections) as connections,
         (select count(*)::int from sessions) as sessions, (select count(*)::int from users) as users`,
    );
    return traces;
  }

  async function openSignedIn(): Promise<TestPage> {
    const visit = await browser.openPage();
    await visit.page.goto(link());
    await signUp(visit.page, newEmail());
    await visit.page.getByRole("button", { name: "Allow" }).waitFor();
    return visit;
  }

  describe("are isolated:", () => {
    it("each says so in its headers", async () => {
      const person = await newVisitor(service);
      const stranger = new Visitor(service.url);
      const pages: [Visit, formAction: string][] = [
        [await stranger.get("/sign-in"), "'self'"],
        [await stranger.get("/sign-up"), "'self'"],
        [await stranger.get(authorizePath("nobody")), "'self'"],
        [await person.get(authorizePath(app.id)), "'self' http: https:"],
      ];
      for (const [{ headers }, formAction] of pages) {
        expect(Object.fromEntries(headers)).toMatchObject({
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
          "x-frame-options": "DENY",
          "x-content-type-options": "nosniff",
          "referrer-policy": "same-origin",
          "cache-control": "no-store",
        });
        expect(headers.has("access-control-allow-origin")).toBe(false);
      }
    });

    it("they load nothing from other origins, run no script and cause no browser errors", async () => {
      await using visit = await openSignedIn();
      const { page, requests, complaints } = visit;
      await page.goto(`${service.url}/sign-in`);
      expect(requests.filter((address) => !address.startsWith(`${service.url}/`))).toEqual([]);
      expect(requests.filter((address) => address.endsWith("/assets/errand.css")).length).toBeGreaterThan(0);
      expect(await page.evaluate("document.styleSheets[0].cssRules.length > 0")).toBe(true);
      expect(await page.locator("script").count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    it("they send the application no referrer", async () => {
      const referrers: (string | undefined)[] = [];
      await using server = await startLoopbackServer((request, response) => {
        referrers.push(request.headers.referer);
        response.end("Welcome back");
      });
      await using visit = await openSignedIn();
      await visit.page.goto(service.url + authorizePath(app.id, { redirect_uri: `${server.url}/callback` }));
      await visit.page.getByRole("button", { name: "Allow" }).click();
      await visit.page.waitForURL(`${server.url}/**`);
      expect(new Set(referrers)).toEqual(new Set([undefined]));
    });

    it.each(["the sign-in page", "the consent page"])("%s cannot be framed by another origin", async (what) => {
      await using visit = what === "the consent page" ? await openSignedIn() : await browser.openPage();
      await using site = await startLoopbackServer((_request, response) =>
        response
          .setHeader("content-type", "text/html")
          .end(`<iframe src="${link().replaceAll("&", "&amp;")}"></iframe>`),
      );
      await visit.page.goto(site.url);
      const [, frame] = visit.page.frames();
      expect(frame?.url()).toBe("chrome-error://chromewebdata/");
      expect(await frame?.locator("form").count()).toBe(0);
      expect(visit.complaints.join()).toContain("frame-ancestors 'none'");
    });

    it("their cookies are HttpOnly and SameSite, and Secure under https", async () => {
      await using secure = await startTestService({ settings: { ERRAND_PUBLIC_URL: "https://errand.example" } });
      for (const [{ service: running }, isSecure] of [
        [service, false],
        [secure, true],
      ] as const) {
        const { port } = running.app.server.address() as AddressInfo;
        const visitor = new Visitor(`http://127.0.0.1:${port}`);
        const email = newEmail();
        const page = await visitor.get("/sign-up");
        await visitor.submit(page.form("/sign-up"), { email, password: PASSWORD });
        const form = (await visitor.get("/sign-in")).form("/sign-in");
        const answer = await visitor.submit(form, { email, password: PASSWORD });
        const cookies = [...page.headers.getSetCookie(), ...answer.headers.getSetCookie()];
        expect(cookies.map((cookie) => cookie.split("=")[0]?.replace("__Secure-", ""))).toEqual([
          "errand.form",
          "errand.session_token",
          "errand.browser",
        ]);
        for (const cookie of cookies) {
          expect(cookie).toMatch(/; HttpOnly/i);
          expect(cookie).toMatch(/; SameSite=Lax/i);
          expect(/; Secure/i.test(cookie)).toBe(isSecure);
          expect(cookie).not.toMatch(/; Domain=/i);
        }
      }
    });

    it("signing out invalidates the session cookie", async () => {
      const visitor = await newVisitor(service);
      const old = new Map(visitor.cookies);
      const consent = await visitor.get(authorizePath(app.id));
      const { location } = await visitor.submit(consent.form("/sign-out"), {});
      expect(location?.href).toBe(new URL(authorizePath(app.id), service.url).href);
      for (const [name, value] of old) visitor.cookies.set(name, value);
      expect((await visitor.get(authorizePath(app.id))).location?.pathname).toBe("/sign-in");
    });
  });

  describe("accept only their own forms:", () => {
    type Form = [action: string, page: string, filledIn: (email: string) => Fields];
    const FORMS: Form[] = [
      ["/sign-in", "/sign-in", (email) => ({ email, password: PASSWORD })],
      ["/sign-up", "/sign-up", () => ({ email: newEmail(), password: PASSWORD })],
      ["/sign-out", "the consent page", () => ({})],
      ["/v1/oauth/authorize", "the consent page", () => ({ decision: "allow" })],
    ];

    describe.each(FORMS)("%s, sent from %s,", (action, page, filledIn) => {
      let visitor: Visitor;
      let email: string;

      beforeAll(async () => {
        visitor = new Visitor(service.url);
        email = await visitor.signUp();
      });

      async function openForm() {
        return (await visitor.get(page.startsWith("/") ? page : authorizePath(app.id))).form(action);
      }

      type Case = [what: string, fields: Fields, headers: Record<string, string>];

      it.each<Case>([
        ["without the form token", { form_token: undefined }, {}],
        ["with an empty form token", { form_token: "" }, {}],
        ["with a made-up form token", { form_token: "x".repeat(43) }, {}],
        ["with the form token twice", { form_token: ["a", "b"] }, {}],
        ["from another origin", {}, { origin: "https://evil.example" }],
        ["from an opaque origin", {}, { origin: "null" }],
        ["from another site, according to the browser", {}, { "sec-fetch-site": "cross-site" }],
        ["from another port, according to the browser", {}, { "sec-fetch-site": "same-site" }],
      ])("is refused %s", async (_what, fields, headers) => {
        const form = await openForm();
        const before = await countTraces();
        expectRefusal(await visitor.submit(form, { ...filledIn(email), ...fields }, headers));
        expect(await countTraces()).toEqual(before);
      });

      it("is rejected without the matching cookie, and with another person's", async () => {
        const form = await openForm();
        const before = await countTraces();
        visitor.cookies.delete("errand.form");
        expectRefusal(await visitor.submit(form, filledIn(email)));
        await visitor.get("/sign-in");
        expectRefusal(await visitor.submit(form, filledIn(email)));
        expect(await countTraces()).toEqual(before);
      });

      it("is accepted with the headers that a browser sends", async () => {
        const headers = { origin: service.url, "sec-fetch-site": "same-origin" };
        expect((await visitor.submit(await openForm(), filledIn(email), headers)).status).toBe(303);
      });
    });

    function expectRefusal({ status, location, text, headers }: Visit): void {
      expect(status).toBe(400);
      expect(location).toBeNull();
      expect(headers.getSetCookie()).toEqual([]);
      expect(text).toContain("This form has expired");
    }

    it.each(["127.0.0.1", "localhost"])(
      "in a browser, a page on %s cannot consent on a visitor's behalf",
      async (host) => {
        await using visit = await openSignedIn();
        const { page } = visit;
        // Even if it knew this visitor's form token.
        const fields = await page.locator('form[action="/v1/oauth/authorize"] input').all();
        const stolen = await Promise.all(
          fields.map(async (field) => [await field.getAttribute("name"), await field.inputValue()] as const),
        );
        expect(Object.fromEntries(stolen)).toHaveProperty("form_token");
        await using site = await startLoopbackServer((_request, response) => {
          const inputs = [...stolen, ["decision", "allow"]].map(
            ([name, value]) => `<input name="${name}" value="${value}">`,
          );
          const form = `<form method="post" action="${service.url}/v1/oauth/authorize">${inputs.join("")}<button>Win</button></form>`;
          response.setHeader("content-type", "text/html").end(form);
        }, host);
        await page.goto(site.url);
        const before = await countTraces();
        await page.getByRole("button", { name: "Win" }).click();
        await page.getByText("This form has expired").waitFor();
        expect(page.url()).toBe(`${service.url}/v1/oauth/authorize`);
        expect(await countTraces()).toEqual(before);
      },
    );

    it("in a browser, a page of another origin cannot sign a visitor in to another account", async () => {
      const email = newEmail();
      const attacker = new Visitor(service.url);
      await attacker.signUp(email);
      const { fields } = (await attacker.get("/sign-in")).form("/sign-in");
      await using site = await startLoopbackServer((_request, response) => {
        const filledIn = Object.entries({ ...fields, email, password: PASSWORD });
        const inputs = filledIn.map(([name, value]) => `<input name="${name}" value="${value}">`);
        const form = `<form method="post" action="${service.url}/sign-in">${inputs.join("")}<button>Win</button></form>`;
        response.setHeader("content-type", "text/html").end(form);
      });
      await using visit = await browser.openPage();
      await visit.page.goto(site.url);
      const before = await countTraces();
      await visit.page.getByRole("button", { name: "Win" }).click();
      await visit.page.getByText("This form has expired").waitFor();
      expect(await countTraces()).toEqual(before);
      expect((await visit.page.context().cookies()).map(({ name }) => name)).not.toContain("errand.session_token");
    });

    it("a person who opened the page in two tabs can submit either", async () => {
      const visitor = new Visitor(service.url);
      const [first, second] = [await visitor.get("/sign-up"), await visitor.get("/sign-up")];
      for (const page of [second, first]) {
        const filledIn = { email: newEmail(), password: PASSWORD };
        expect((await visitor.submit(page.form("/sign-up"), filledIn)).status).toBe(303);
      }
    });

    it("a decision counts for the person named on the page, not for one who signed in since", async () => {
      const visitor = await newVisitor(service);
      const consent = await visitor.get(authorizePath(app.id));
      await visitor.signUp();
      const before = await countTraces();
      const { location } = await visitor.submit(consent.form("/v1/oauth/authorize"), { decision: "allow" });
      expect(location?.searchParams.has("code") ?? false).toBe(false);
      expect(await countTraces()).toEqual(before);
    });
  });

  describe("do not redirect elsewhere by return_to:", () => {
    it.each([
      "https://evil.example/",
      "//evil.example/",
      "///evil.example/",
      "/\\evil.example/",
      "\\\\evil.example/",
      "/\t/evil.example/",
      "/\n/evil.example/",
      "/.//evil.example/",
      "/x/..//evil.example/",
      "/%2e//evil.example/",
      "/.\\/evil.example/",
      "//evil.example@127.0.0.1/",
      "http:evil.example",
      "javascript:alert(1)",
      " https://evil.example/",
      "evil.example",
      "",
    ])("%j", async (returnTo) => {
      const visitor = new Visitor(service.url);
      const page = await visitor.get(`/sign-up?return_to=${encodeURIComponent(returnTo)}`);
      const { action, fields } = page.form("/sign-up");
      expect(new URL(fields["return_to"] ?? "", service.url).origin).toBe(service.url);
      const filledIn = { email: newEmail(), password: PASSWORD, return_to: returnTo };
      const signedUp = await visitor.submit({ action, fields }, filledIn);
      expect([signedUp.status, signedUp.location?.origin]).toEqual([303, service.url]);
      const form = (await visitor.get(signedUp.location?.href ?? "")).form("/sign-in");
      const signedIn = await visitor.submit(form, filledIn);
      expect([signedIn.status, signedIn.location?.origin]).toEqual([303, service.url]);
      const consent = await visitor.get(authorizePath(app.id));
      const signedOut = await visitor.submit(consent.form("/sign-out"), { return_to: returnTo });
      expect([signedOut.status, signedOut.location?.origin]).toEqual([303, service.url]);
    });
  });
});
