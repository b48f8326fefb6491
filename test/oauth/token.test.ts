import type { Static } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AuthorizationServerMetadata } from "../../src/contract/oauth.ts";
import { createApi, expectContract } from "../_harness/api.ts";
import {
  agree,
  authorizePath,
  basic,
  type Client,
  type Fields,
  type FormAnswer,
  newPkce,
  newVisitor,
  obtainCode,
  postForm,
  REDIRECT_URI,
  registerClient,
  type Visitor,
} from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CODE_SECONDS = 5 * 60;
let service: TestService;
let visitor: Visitor;

beforeAll(async () => {
  service = await startTestService();
  visitor = await newVisitor(service);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Makes all codes older: their age is by the database's clock. */
async function age({ seconds }: { seconds: number }): Promise<void> {
  await service.database.query(
    "update authorization_codes set expires_at = expires_at - make_interval(secs => $1), used_at = used_at - make_interval(secs => $1)",
    [seconds],
  );
}

/** Every response is documented in OpenAPI, is JSON and is not cached. */
async function post(path: string, fields: Fields, headers?: Record<string, string>): Promise<FormAnswer> {
  const answer = await postForm(service.url + path, fields, headers);
  expectContract(path, "POST", answer.status, answer.body);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  return answer;
}

/** A complete exchange; `fields` override its parameters, undefined omits one. */
function exchange(code: string, fields: Fields = {}, headers?: Record<string, string>): Promise<FormAnswer> {
  const usual = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI };
  return post("/v1/oauth/token", { ...usual, ...fields }, headers);
}

function revoke(fields: Fields, headers?: Record<string, string>): Promise<FormAnswer> {
  return post("/v1/oauth/revoke", fields, headers);
}

async function connect(client: Client, who = visitor): Promise<{ token: string; connectionId: string }> {
  const { status, body } = await exchange(await obtainCode(who, client.id), credentials(client));
  expect(status).toBe(200);
  return { token: body.access_token, connectionId: body.connection_id };
}

function credentials({ id, secret }: Client): Fields {
  return { client_id: id, ...(secret === null ? {} : { client_secret: secret }) };
}

async function bearerStatus(client: Client, token: string): Promise<number> {
  return (await createApi(service.url, { applicationId: client.id, token }).list()).status;
}

function expectRefusal(answer: FormAnswer, status: number, error: string): void {
  expect(answer.body).toEqual({ error, error_description: expect.stringMatching(/\w/) });
  expect(answer.status).toBe(status);
  const challenge = answer.headers.get("www-authenticate");
  if (status === 401) expect(challenge).toMatch(/^Basic realm="/);
  else expect(challenge).toBeNull();
}

describe("a code is exchanged", () => {
  let app: Client;
  beforeAll(async () => {
    app = await registerClient(service);
  });

  it("for a token that works, in a response with exactly four keys", async () => {
    const { status, body } = await exchange(await obtainCode(visitor, app.id), { client_id: app.id });
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^errand_ct_\w{49}$/),
      token_type: "Bearer",
      connection_id: expect.stringMatching(UUID),
      user_id: expect.stringMatching(UUID),
    });
    const api = createApi(service.url, { applicationId: app.id, token: body.access_token });
    expect((await api.created()).status).toBe("QUEUED");
  });

  it("by an application with an uppercase id", async () => {
    const code = await obtainCode(visitor, app.id.toUpperCase());
    expect((await exchange(code, { client_id: app.id.toUpperCase() })).status).toBe(200);
  });

  it("for a new token of the same connection, which revokes the previous one", async () => {
    const first = await exchange(await obtainCode(visitor, app.id), { client_id: app.id });
    const second = await exchange(await obtainCode(visitor, app.id), { client_id: app.id });
    const { access_token: previous, ...connection } = first.body;
    expect(second.body).toMatchObject(connection);
    expect(await bearerStatus(app, previous)).toBe(401);
    expect(await bearerStatus(app, second.body.access_token)).toBe(200);
  });

  it("for another connection when another person consents", async () => {
    const mine = await connect(app);
    const theirs = await connect(app, await newVisitor(service));
    expect(theirs.connectionId).not.toBe(mine.connectionId);
    expect(await bearerStatus(app, mine.token)).toBe(200);
  });

  it("up to the moment it is five minutes old, and not from then on", async () => {
    const [inTime, tooLate] = [await obtainCode(visitor, app.id), await obtainCode(visitor, app.id)];
    await age({ seconds: CODE_SECONDS - 60 });
    expect((await exchange(inTime, { client_id: app.id })).status).toBe(200);
    await age({ seconds: 60 });
    expectRefusal(await exchange(tooLate, { client_id: app.id }), 400, "invalid_grant");
  });

  it("once: the second use is rejected and revokes the token of the first", async () => {
    const code = await obtainCode(visitor, app.id);
    const { body } = await exchange(code, { client_id: app.id });
    expectRefusal(await exchange(code, { client_id: app.id }), 400, "invalid_grant");
    expect(await bearerStatus(app, body.access_token)).toBe(401);
  });

  it("once: a second use after the code expired revokes the token as well", async () => {
    const code = await obtainCode(visitor, app.id);
    const { body } = await exchange(code, { client_id: app.id });
    await age({ seconds: CODE_SECONDS * 2 });
    expectRefusal(await exchange(code, { client_id: app.id }), 400, "invalid_grant");
    expect(await bearerStatus(app, body.access_token)).toBe(401);
  });

  it("once: a late second use does not revoke the token of a newer code", async () => {
    const code = await obtainCode(visitor, app.id);
    await exchange(code, { client_id: app.id });
    const { token } = await connect(app);
    expectRefusal(await exchange(code, { client_id: app.id }), 400, "invalid_grant");
    expect(await bearerStatus(app, token)).toBe(200);
  });

  it("once, even when ten exchanges arrive together", async () => {
    const code = await obtainCode(visitor, app.id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(code, { client_id: app.id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
  });
});

describe("an invalid exchange is rejected, and the valid one still works afterwards", () => {
  const unknownId = "00000000-0000-4000-8000-000000000000";
  const { verifier, challenge } = newPkce();
  const other = newPkce().verifier;
  type Case = [what: string, link: Fields, change: Fields, status: number, error: string];

  it.each<Case>([
    ["an unknown code", {}, { code: `errand_ac_${"0".repeat(49)}` }, 400, "invalid_grant"],
    ["a malformed code", {}, { code: "x" }, 400, "invalid_grant"],
    ["no code", {}, { code: undefined }, 400, "invalid_request"],
    ["an empty code", {}, { code: "" }, 400, "invalid_request"],
    ["another redirect_uri", {}, { redirect_uri: "http://127.0.0.1:4567/other" }, 400, "invalid_grant"],
    ["a redirect_uri with another port", {}, { redirect_uri: "http://127.0.0.1:4568/callback" }, 400, "invalid_grant"],
    ["no redirect_uri", {}, { redirect_uri: undefined }, 400, "invalid_request"],
    ["no grant_type", {}, { grant_type: undefined }, 400, "invalid_request"],
    ["another grant_type", {}, { grant_type: "refresh_token" }, 400, "unsupported_grant_type"],
    ["a repeated code", {}, { code: ["a", "b"] }, 400, "invalid_request"],
    ["a repeated grant_type", {}, { grant_type: ["authorization_code", "authorization_code"] }, 400, "invalid_request"],
    ["a repeated unknown field", {}, { whatever: ["1", "2"] }, 400, "invalid_request"],
    ["a NUL in the code", {}, { code: "a\0b" }, 400, "invalid_request"],
    ["a NUL in the client_id", {}, { client_id: "a\0b" }, 400, "invalid_request"],
    ["a code of 5,000 characters", {}, { code: "x".repeat(5_000) }, 400, "invalid_request"],
    ["a wrong code_verifier", challenge, { code_verifier: other }, 400, "invalid_grant"],
    ["the challenge as code_verifier", challenge, { code_verifier: challenge.code_challenge }, 400, "invalid_grant"],
    ["a code_verifier that is too short", challenge, { code_verifier: "short" }, 400, "invalid_grant"],
    ["no code_verifier", challenge, { code_verifier: undefined }, 400, "invalid_grant"],
    ["an empty code_verifier", challenge, { code_verifier: "" }, 400, "invalid_grant"],
    ["a code_verifier without a challenge", {}, { code_verifier: verifier }, 400, "invalid_grant"],
    ["no client_id", {}, { client_id: undefined }, 401, "invalid_client"],
    ["an unknown client", {}, { client_id: unknownId }, 401, "invalid_client"],
    ["a client_id that is not a UUID", {}, { client_id: "me" }, 401, "invalid_client"],
    ["a secret, though the application is public", {}, { client_secret: "errand_cs_1" }, 401, "invalid_client"],
  ])("with %s", async (_what, link, change, status, error) => {
    const app = await registerClient(service);
    const code = await obtainCode(visitor, app.id, link);
    const right = { client_id: app.id, code_verifier: "code_challenge" in link ? verifier : undefined };
    expectRefusal(await exchange(code, { ...right, ...change }), status, error);
    expect((await exchange(code, right)).status).toBe(200);
  });

  it("by another application that found the code", async () => {
    const [app, thief] = [await registerClient(service), await registerClient(service)];
    const code = await obtainCode(visitor, app.id);
    expectRefusal(await exchange(code, { client_id: thief.id }), 400, "invalid_grant");
    const { status, body } = await exchange(code, { client_id: app.id });
    expect(status).toBe(200);
    expectRefusal(await exchange(code, { client_id: thief.id }), 400, "invalid_grant");
    expect(await bearerStatus(app, body.access_token), "the thief cannot revoke by it either").toBe(200);
  });

  it("by a confidential application that sent a challenge and omits the verifier", async () => {
    const app = await registerClient(service, { type: "confidential" });
    const code = await obtainCode(visitor, app.id, challenge);
    expectRefusal(await exchange(code, credentials(app)), 400, "invalid_grant");
    expect((await exchange(code, { ...credentials(app), code_verifier: verifier })).status).toBe(200);
  });

  it("with a redirect_uri of the same application that the code was not sent to", async () => {
    const redirectUris = ["https://a.example/callback", "https://b.example/callback"];
    const app = await registerClient(service, { redirectUris });
    const code = await obtainCode(visitor, app.id, { redirect_uri: redirectUris[0] });
    const wrong = await exchange(code, { client_id: app.id, redirect_uri: redirectUris[1] });
    expectRefusal(wrong, 400, "invalid_grant");
    expect((await exchange(code, { client_id: app.id, redirect_uri: redirectUris[0] })).status).toBe(200);
  });
});

describe("a body that is not a form is rejected with an OAuth error", () => {
  const json = JSON.stringify({ grant_type: "authorization_code" });
  const type = (value: string) => ({ "content-type": value });
  const form = "application/x-www-form-urlencoded";

  it.each<[what: string, body: string | Buffer<ArrayBuffer> | FormData, headers: Record<string, string>]>([
    ["JSON", json, type("application/json")],
    ["multipart", new FormData(), {}],
    ["no content type", Buffer.from("grant_type=authorization_code"), {}],
    ["an unknown content type", "grant_type=authorization_code", type("text/plain")],
    ["an invalid content type", "grant_type=authorization_code", type("nonsense")],
    ["2 MB", `code=${"x".repeat(2_000_000)}`, type(form)],
    ["bytes that are not UTF-8", Buffer.from([0x63, 0x3d, 0xff, 0xfe]), type(form)],
  ])("%s", async (_what, body, headers) => {
    for (const path of ["/v1/oauth/token", "/v1/oauth/revoke"]) {
      const response = await fetch(service.url + path, { method: "POST", body, headers });
      const answer = { status: response.status, headers: response.headers, body: await response.json() };
      expectRefusal(answer, 400, "invalid_request");
      expectContract(path, "POST", answer.status, answer.body);
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("accepts a charset after the content type", async () => {
    const app = await registerClient(service);
    const code = await obtainCode(visitor, app.id);
    const answer = await exchange(code, { client_id: app.id }, type(`${form}; charset=UTF-8`));
    expect(answer.status).toBe(200);
  });
});

describe("a token is revoked", () => {
  it.each(["public", "confidential"] as const)("by its own %s application", async (applicationType) => {
    const app = await registerClient(service, { type: applicationType });
    const { token } = await connect(app);
    const answer = await revoke({ token, ...credentials(app) });
    expect(answer).toMatchObject({ status: 200, body: {} });
    expect(Object.keys(answer.body)).toEqual([]);
    expect(await bearerStatus(app, token)).toBe(401);
    expect(await revoke({ token, ...credentials(app) })).toMatchObject({ status: 200, body: {} });
  });

  it("with any token_type_hint", async () => {
    const app = await registerClient(service);
    const { token } = await connect(app);
    expect((await revoke({ token, client_id: app.id, token_type_hint: "refresh_token" })).status).toBe(200);
    expect(await bearerStatus(app, token)).toBe(401);
  });

  it("and the connection and its history stay: connecting again shows them", async () => {
    const app = await registerClient(service);
    const first = await connect(app);
    const execution = await createApi(service.url, { applicationId: app.id, token: first.token }).created();
    await revoke({ token: first.token, client_id: app.id });
    const again = await connect(app);
    expect(again.connectionId).toBe(first.connectionId);
    const { body } = await createApi(service.url, { applicationId: app.id, token: again.token }).list();
    expect(body.executions.map(({ id }: { id: string }) => id)).toEqual([execution.id]);
  });

  it("by no other application, which gets 200 while the token stays valid", async () => {
    const [app, stranger] = [await registerClient(service), await registerClient(service, { type: "confidential" })];
    const { token } = await connect(app);
    expect(await revoke({ token, ...credentials(stranger) })).toMatchObject({ status: 200, body: {} });
    expect(await bearerStatus(app, token)).toBe(200);
  });

  it("with 200 when it is unknown or malformed", async () => {
    const { id } = await registerClient(service);
    for (const token of ["x", `errand_ct_${"0".repeat(49)}`, "ünïcode", "a".repeat(4_000)]) {
      expect(await revoke({ token, client_id: id })).toMatchObject({ status: 200, body: {} });
    }
  });

  it("only by a valid request", async () => {
    const app = await registerClient(service, { type: "confidential" });
    const { token } = await connect(app);
    expectRefusal(await revoke(credentials(app)), 400, "invalid_request");
    expectRefusal(await revoke({ token: "", ...credentials(app) }), 400, "invalid_request");
    expectRefusal(await revoke({ token: [token, token], ...credentials(app) }), 400, "invalid_request");
    expectRefusal(await revoke({ token: `${token}\0`, ...credentials(app) }), 400, "invalid_request");
    expectRefusal(await revoke({ token }), 401, "invalid_client");
    expectRefusal(await revoke({ token, client_id: app.id }), 401, "invalid_client");
    expectRefusal(await revoke({ token }, basic(app.id, "errand_cs_wrong")), 401, "invalid_client");
    expect(await bearerStatus(app, token)).toBe(200);
  });
});

describe("the metadata", () => {
  it("names every endpoint and what it can do, for any origin", async () => {
    const response = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
    const authentication = ["client_secret_basic", "client_secret_post", "none"];
    expect(await response.json()).toEqual({
      issuer: service.url,
      authorization_endpoint: `${service.url}/v1/oauth/authorize`,
      token_endpoint: `${service.url}/v1/oauth/token`,
      revocation_endpoint: `${service.url}/v1/oauth/revoke`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code"],
      token_endpoint_auth_methods_supported: authentication,
      revocation_endpoint_auth_methods_supported: authentication,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${service.url}/docs`,
    });
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  it("names endpoints that work, one after the other", async () => {
    const response = await fetch(`${service.url}/.well-known/oauth-authorization-server`);
    const metadata = (await response.json()) as Static<typeof AuthorizationServerMetadata>;
    const app = await registerClient(service);
    const link = new URL(metadata.authorization_endpoint);
    link.search = new URL(authorizePath(app.id), service.url).search;
    const callback = await agree(visitor, link.href);
    expect(callback.searchParams.get("iss")).toBe(metadata.issuer);
    const code = callback.searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI, client_id: app.id };
    const { body } = await postForm(metadata.token_endpoint, form);
    expect(await bearerStatus(app, body.access_token)).toBe(200);
    await postForm(metadata.revocation_endpoint, { token: body.access_token, client_id: app.id });
    expect(await bearerStatus(app, body.access_token)).toBe(401);
    expect((await fetch(metadata.service_documentation)).status).toBe(200);
  });
});
