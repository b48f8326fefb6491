import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mintAccessToken } from "../../../src/connections/connections.ts";
import { createApi, expectContract } from "../../_harness/api.ts";
import {
  bearer,
  ENDPOINTS,
  expectNothingBroke,
  expectRefusal,
  type Refusal,
  requestTo,
  sendRaw,
  takeStock,
} from "../../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

const MISSING: Refusal = { status: 401, code: "UNAUTHENTICATED", challenge: 'Bearer realm="errand"' };
const INVALID: Refusal = { ...MISSING, challenge: 'Bearer realm="errand", error="invalid_token"' };

describe("a request without a valid token", () => {
  let service: TestService;
  let connection: TestConnection;
  let executionId: string;
  let revokedToken: string;
  let replacedToken: string;
  let before: Record<string, unknown>;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    const { applicationId } = connection;
    ({ id: executionId } = await createApi(service.url, connection).created());
    ({ token: replacedToken } = await service.connect({ applicationId, email: "again@example.com" }));
    await service.connect({ applicationId, email: "again@example.com" });
    ({ token: revokedToken } = await service.connect({ applicationId }));
    const body = new URLSearchParams({ token: revokedToken, client_id: applicationId });
    expect((await fetch(`${service.url}/v1/oauth/revoke`, { method: "POST", body })).status).toBe(200);
    before = await takeStock(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const authorization = (value: string): [string, string] => ["authorization", value];
  const altered = (token: string, at: number) =>
    token.slice(0, at) + (token.at(at) === "a" ? "b" : "a") + token.slice(at + 1);

  const wrong: [string, () => [string, string][], Refusal][] = [
    ["no credentials", () => [], MISSING],
    ["an empty header", () => [authorization("")], MISSING],
    ["Basic", () => [authorization(`Basic ${btoa(`${connection.applicationId}:${connection.token}`)}`)], MISSING],
    ["the token without a scheme", () => [authorization(connection.token)], MISSING],
    ["the token with another scheme", () => [authorization(`Token ${connection.token}`)], MISSING],
    ["Bearer without a token", () => [authorization("Bearer")], MISSING],
    ["Bearer and spaces", () => [authorization("Bearer   ")], MISSING],
    ["no space between Bearer and the token", () => [authorization(`Bearer${connection.token}`)], MISSING],
    ["the token in quotes", () => [authorization(`Bearer "${connection.token}"`)], MISSING],
    ["two tokens in one header", () => [authorization(`Bearer ${connection.token} ${connection.token}`)], MISSING],
    ["two schemes in one header", () => [authorization(`Bearer ${connection.token}, Basic eDp5`)], MISSING],
    ["characters that are invalid in a token", () => [authorization("Bearer \xe9\xff")], MISSING],
    ["two headers, both valid", () => [bearer(connection), bearer(connection)], MISSING],
    ["two headers, the first valid", () => [bearer(connection), authorization("Bearer x")], MISSING],
    ["two headers, the second valid", () => [authorization("Bearer x"), bearer(connection)], MISSING],
    ["the token in a cookie", () => [["cookie", `access_token=${connection.token}`]], MISSING],
    ["the token in another header", () => [["x-api-key", connection.token]], MISSING],
    ["the token in Proxy-Authorization", () => [["proxy-authorization", `Bearer ${connection.token}`]], MISSING],
    ["a string that is not a token", () => [authorization("Bearer secret")], INVALID],
    ["the id of the connection", () => [authorization(`Bearer ${connection.connectionId}`)], INVALID],
    ["a token with other check digits", () => [authorization(`Bearer ${altered(connection.token, -1)}`)], INVALID],
    ["a token with one character changed", () => [authorization(`Bearer ${altered(connection.token, 20)}`)], INVALID],
    ["a token in uppercase", () => [authorization(`Bearer ${connection.token.toUpperCase()}`)], INVALID],
    ["a truncated token", () => [authorization(`Bearer ${connection.token.slice(0, -1)}`)], INVALID],
    ["a token with an extra character", () => [authorization(`Bearer ${connection.token}=`)], INVALID],
    ["a token of 10,000 characters", () => [authorization(`Bearer ${"a".repeat(10_000)}`)], INVALID],
    ["a well-formed token that was never issued", () => [bearer(mintAccessToken())], INVALID],
    ["a revoked token", () => [authorization(`Bearer ${revokedToken}`)], INVALID],
    ["a token replaced by a newer one", () => [authorization(`Bearer ${replacedToken}`)], INVALID],
  ];

  describe.each(ENDPOINTS)("to $name", (endpoint) => {
    it.each(wrong)("but with %s returns 401", async (_name, credentials, refusal) => {
      const ids = { applicationId: connection.applicationId, executionId };
      const answer = await sendRaw(service.url, requestTo(endpoint, ids, credentials()));
      expectRefusal(answer, refusal);
      expectContract(endpoint.template, endpoint.method, answer.status, JSON.parse(answer.body));
      expect(answer.body).not.toContain(connection.token);
    });

    it.each(["access_token", "token", "authorization"])(
      "but with the token in the query as %s returns 401",
      async (name) => {
        const request = requestTo(endpoint, { applicationId: connection.applicationId, executionId }, []);
        const target = `${request.target}?${new URLSearchParams({ [name]: connection.token })}`;
        expectRefusal(await sendRaw(service.url, { ...request, target }), MISSING);
      },
    );

    it("returns 401 whatever else is wrong with it", async () => {
      const request = requestTo(endpoint, { applicationId: "no-uuid", executionId: "no-uuid" }, []);
      const target = `${request.target}?limit=0&wait=99&after=x`;
      expectRefusal(await sendRaw(service.url, { ...request, target, body: "{" }), MISSING);
    });
  });

  it.each([
    ["JSON", "application/json", () => JSON.stringify({ prompt: "x", access_token: connection.token })],
    ["a form", "application/x-www-form-urlencoded", () => `prompt=x&access_token=${connection.token}`],
  ])("but with the token in the body, as %s, returns 401", async (_name, type, body) => {
    const answer = await sendRaw(service.url, {
      method: "POST",
      target: `/v1/applications/${connection.applicationId}/executions`,
      headers: [["content-type", type]],
      body: body(),
    });
    expectRefusal(answer, MISSING);
  });

  it("leaves no trace", async () => {
    expect(await takeStock(service)).toEqual(before);
    expectNothingBroke(service);
  });
});
