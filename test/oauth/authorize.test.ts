import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  agree,
  authorizePath,
  type Client,
  type Fields,
  newPkce,
  newVisitor,
  obtainCode,
  postForm,
  REDIRECT_URI,
  registerClient,
  Visitor,
} from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const { verifier, challenge } = newPkce();

describe("the authorization link", () => {
  let service: TestService;
  let visitor: Visitor;
  let app: Client;

  beforeAll(async () => {
    service = await startTestService();
    visitor = await newVisitor(service);
    app = await registerClient(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function countCodes(): Promise<number> {
    const rows = await service.database.query<{ count: number }>("select count(*)::int from authorization_codes");
    return rows[0]?.count ?? 0;
  }

  /** Our own error page, signed in or not, without a redirect. */
  async function expectErrorPage(address: string, said: string): Promise<void> {
    for (const person of [visitor, new Visitor(service.url)]) {
      const { status, headers, location, text } = await person.get(address);
      expect(status).toBe(400);
      expect(location).toBeNull();
      expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(text).toContain("Something went wrong");
      expect(text).toContain(said);
      expect(text).not.toContain("<form");
    }
  }

  describe("shows an error page and never redirects when", () => {
    const unknownId = "00000000-0000-4000-8000-000000000000";

    it.each<[what: string, fields: Fields]>([
      ["client_id is missing", { client_id: undefined }],
      ["client_id is empty", { client_id: "" }],
      ["client_id is unknown", { client_id: unknownId }],
      ["client_id is not a UUID", { client_id: "my-app" }],
      ["client_id is repeated", { client_id: [unknownId, unknownId] }],
      ["client_id has a NUL", { client_id: "a\0b" }],
      ["client_id is SQL", { client_id: "' or 1=1 --" }],
    ])("%s", async (_what, fields) => {
      await expectErrorPage(authorizePath(app.id, fields), "(client_id)");
    });

    it.each<[what: string, redirectUri: string | string[] | undefined]>([
      ["is missing", undefined],
      ["is empty", ""],
      ["is repeated", [REDIRECT_URI, REDIRECT_URI]],
      ["is another site", "https://evil.example/callback"],
      ["is a script", "javascript:alert(1)"],
      ["is relative", "/callback"],
      ["is loopback with another path", "http://127.0.0.1:4567/callback2"],
      ["is loopback with a longer path", "http://127.0.0.1:4567/callback/x"],
      ["is loopback with another case of the path", "http://127.0.0.1:4567/Callback"],
      ["is loopback with a query", "http://127.0.0.1:4567/callback?x=1"],
      ["is loopback with a fragment", "http://127.0.0.1:4567/callback#x"],
      ["is loopback by another name", "http://localhost:4567/callback"],
      ["is loopback in IPv6", "http://[::1]:4567/callback"],
      ["is loopback in another notation", "http://127.1:4567/callback"],
      ["is loopback with https", "https://127.0.0.1:4567/callback"],
      ["is loopback as a user name", "http://127.0.0.1:4567@evil.example/callback"],
      ["is loopback as the beginning of a name", "http://127.0.0.1.evil.example/callback"],
      ["is loopback with an impossible port", "http://127.0.0.1:99999/callback"],
      ["is loopback with a backslash", "http://127.0.0.1\\@evil.example/callback"],
      ["has a space before it", " http://127.0.0.1:4567/callback"],
      ["has a line break in it", "http://127.0.0.1:4567/callback\r\nset-cookie: x=1"],
      ["has a NUL in it", "http://127.0.0.1:4567/callback\0"],
    ])("redirect_uri %s", async (_what, redirectUri) => {
      await expectErrorPage(authorizePath(app.id, { redirect_uri: redirectUri }), "(redirect_uri)");
    });

    it.each([
      "https://app.example/cb/",
      "https://app.example/cb?a=1",
      "https://app.example/CB",
      "https://app.example:443/cb",
      "https://app.example:8443/cb",
      "https://www.app.example/cb",
      "https://app.example./cb",
      "http://app.example/cb",
      "https://app.example/x/../cb",
      "https://app.example/%63b",
      "HTTPS://app.example/cb",
    ])("redirect_uri is %s and https://app.example/cb is registered", async (redirectUri) => {
      const { id } = await registerClient(service, { redirectUris: ["https://app.example/cb"] });
      await expectErrorPage(authorizePath(id, { redirect_uri: redirectUri }), "(redirect_uri)");
    });

    it("the application has no registered redirect URI", async () => {
      const { id } = await registerClient(service, { redirectUris: [] });
      await expectErrorPage(authorizePath(id), "(redirect_uri)");
    });

    it("both the redirect URI and another parameter are wrong", async () => {
      const fields = { redirect_uri: "https://evil.example/", response_type: "token", state: "s" };
      await expectErrorPage(authorizePath(app.id, fields), "(redirect_uri)");
    });
  });

  describe("goes back to the application with the error when", () => {
    const text = "x".repeat(5_000);

    it.each<[what: string, fields: Fields, error: string]>([
      ["response_type is missing", { response_type: undefined }, "invalid_request"],
      ["response_type is empty", { response_type: "" }, "invalid_request"],
      ["response_type is token", { response_type: "token" }, "unsupported_response_type"],
      ["response_type is code id_token", { response_type: "code id_token" }, "unsupported_response_type"],
      ["response_type is repeated", { response_type: ["code", "code"] }, "invalid_request"],
      ["response_mode is fragment", { response_mode: "fragment" }, "invalid_request"],
      ["response_mode is form_post", { response_mode: "form_post" }, "invalid_request"],
      ["there is a request object", { request: "eyJhbGciOiJub25lIn0.e30." }, "invalid_request"],
      ["there is a request_uri", { request_uri: "https://evil.example/request" }, "invalid_request"],
      ["an unknown parameter is repeated", { whatever: ["1", "2"] }, "invalid_request"],
      ["login_hint is repeated", { login_hint: ["a@example.com", "b@example.com"] }, "invalid_request"],
      ["the challenge has no method", { ...challenge, code_challenge_method: undefined }, "invalid_request"],
      ["the challenge is plain", { ...challenge, code_challenge_method: "plain" }, "invalid_request"],
      ["the method is s256 in lowercase", { ...challenge, code_challenge_method: "s256" }, "invalid_request"],
      ["the method has no challenge", { ...challenge, code_challenge: undefined }, "invalid_request"],
      ["the challenge is too short", { ...challenge, code_challenge: "short" }, "invalid_request"],
      ["the challenge is padded", { ...challenge, code_challenge: `${challenge.code_challenge}=` }, "invalid_request"],
      ["the challenge is not base64url", { ...challenge, code_challenge: "+".repeat(43) }, "invalid_request"],
      ["the challenge is repeated", { ...challenge, code_challenge: ["a", "b"] }, "invalid_request"],
      ["a parameter has a NUL", { login_hint: "a\0b" }, "invalid_request"],
      ["a parameter has 5,000 characters", { login_hint: text }, "invalid_request"],
    ])("%s", async (_what, fields, error) => {
      const codes = await countCodes();
      for (const person of [visitor, new Visitor(service.url)]) {
        const { status, headers, location } = await person.get(authorizePath(app.id, { state: "a b&c=ü", ...fields }));
        expect(status).toBe(303);
        expect(headers.get("cache-control")).toBe("no-store");
        expect(`${location?.origin}${location?.pathname}`).toBe(REDIRECT_URI);
        expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
          error,
          error_description: expect.stringMatching(/\w/),
          state: "a b&c=ü",
          iss: service.url,
        });
      }
      expect(await countCodes()).toBe(codes);
    });

    it("state is repeated, and then without a state", async () => {
      const { location } = await visitor.get(authorizePath(app.id, { state: ["one", "two"] }));
      expect(location?.searchParams.get("error")).toBe("invalid_request");
      expect(location?.searchParams.has("state")).toBe(false);
    });

    it("the application requires PKCE and there is no challenge", async () => {
      const strict = await registerClient(service, { requirePkce: true });
      const { location } = await visitor.get(authorizePath(strict.id, { state: "s" }));
      expect(location?.href.startsWith(`${REDIRECT_URI}?error=invalid_request&`)).toBe(true);
      const code = await obtainCode(visitor, strict.id, challenge);
      const exchange = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI, client_id: strict.id };
      const form = { ...exchange, code_verifier: verifier };
      expect((await postForm(`${service.url}/v1/oauth/token`, form)).status).toBe(200);
    });

    it("the consent form was tampered with, and gives no code", async () => {
      const consent = await visitor.get(authorizePath(app.id, { state: "s" }));
      const codes = await countCodes();
      const changed = { decision: "allow", response_type: "token" };
      const { location } = await visitor.submit(consent.form("/v1/oauth/authorize"), changed);
      expect(location?.searchParams.get("error")).toBe("unsupported_response_type");
      const redirected = { decision: "allow", redirect_uri: "https://evil.example/" };
      const refused = await visitor.submit(consent.form("/v1/oauth/authorize"), redirected);
      expect([refused.status, refused.location]).toEqual([400, null]);
      expect(await countCodes()).toBe(codes);
    });
  });

  describe("ends with a code and only the standard's parameters", () => {
    it("on any port of a loopback address", async () => {
      for (const redirectUri of ["http://127.0.0.1/callback", "http://127.0.0.1:65535/callback"]) {
        const callback = await agree(visitor, authorizePath(app.id, { redirect_uri: redirectUri }));
        expect(`${callback.origin}${callback.pathname}`).toBe(redirectUri);
        expect([...callback.searchParams.keys()]).toEqual(["code", "iss"]);
      }
    });

    it("on any port of localhost and of the IPv6 loopback, when these are registered", async () => {
      const redirectUris = ["http://localhost:3000/callback", "http://[::1]/callback"];
      const { id } = await registerClient(service, { redirectUris });
      for (const redirectUri of ["http://localhost:4567/callback", "http://[::1]:4567/callback"]) {
        const callback = await agree(visitor, authorizePath(id, { redirect_uri: redirectUri }));
        expect(callback.href.startsWith(`${redirectUri}?code=`)).toBe(true);
      }
    });

    it("on a redirect URI with its own query, which is kept", async () => {
      const redirectUri = "https://app.example/cb?tenant=a%2Fb&x=%20y";
      const { id } = await registerClient(service, { redirectUris: [redirectUri] });
      const callback = await agree(visitor, authorizePath(id, { redirect_uri: redirectUri, state: "s" }));
      expect(callback.href.startsWith(`${redirectUri}&code=errand_ac_`)).toBe(true);
      expect([...callback.searchParams.keys()]).toEqual(["tenant", "x", "code", "state", "iss"]);
    });

    it("on a redirect URI with non-ASCII characters, registered percent-encoded", async () => {
      await expect(
        registerClient(service, { redirectUris: ["https://app.example/zurück/返回"] }),
      ).rejects.toMatchObject({
        details: [
          { path: "redirect_uri", message: expect.stringContaining("percent-encode characters outside ASCII") },
        ],
      });
      const redirectUri = new URL("https://app.example/zurück/返回").href;
      const { id } = await registerClient(service, { redirectUris: [redirectUri] });
      const callback = await agree(visitor, authorizePath(id, { redirect_uri: redirectUri }));
      expect(callback.href.startsWith(`${redirectUri}?code=errand_ac_`)).toBe(true);
    });

    it("on the custom scheme of a native application", async () => {
      const { id } = await registerClient(service, { redirectUris: ["com.example.app:/cb"] });
      const callback = await agree(visitor, authorizePath(id, { redirect_uri: "com.example.app:/cb", state: "s" }));
      expect(callback.href).toMatch(/^com\.example\.app:\/cb\?code=errand_ac_\w+&state=s&iss=http/);
    });

    it("with the state unchanged, whatever it contains", async () => {
      for (const state of ["&code=evil&x=", "ü 😀 \"'<b>", "a+b%20c", "\r\nset-cookie: x=1", "s".repeat(4_000)]) {
        const callback = await agree(visitor, authorizePath(app.id, { state }));
        expect(callback.searchParams.getAll("state")).toEqual([state]);
        expect(callback.searchParams.getAll("code")).toEqual([expect.stringMatching(/^errand_ac_\w{49}$/)]);
      }
    });

    it("without a state when there was none, or an empty one", async () => {
      for (const state of [undefined, ""]) {
        const callback = await agree(visitor, authorizePath(app.id, { state }));
        expect(callback.searchParams.has("state")).toBe(false);
      }
    });

    it("despite unknown parameters such as scope and prompt", async () => {
      const fields = { scope: "openid email", prompt: "consent", response_mode: "query", nonce: "n" };
      expect(await obtainCode(visitor, app.id, fields)).toMatch(/^errand_ac_/);
    });

    it("with a unique code that is not stored in plain text", async () => {
      const codes = [await obtainCode(visitor, app.id), await obtainCode(visitor, app.id)];
      expect(codes[0]).not.toBe(codes[1]);
      const rows = await service.database.query("select encode(code_hash, 'escape'), * from authorization_codes");
      for (const code of codes) expect(JSON.stringify(rows)).not.toContain(code);
    });
  });
});
