import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  basic,
  type Client,
  type Fields,
  type FormAnswer,
  newVisitor,
  obtainCode,
  postForm,
  REDIRECT_URI,
  registerClient,
  type Visitor,
} from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

interface Attempt {
  fields?: Fields;
  headers?: Record<string, string>;
}

describe("client authentication", () => {
  let service: TestService;
  let visitor: Visitor;
  let confidential: Client & { secret: string };
  let publicApp: Client;

  beforeAll(async () => {
    service = await startTestService();
    visitor = await newVisitor(service);
    publicApp = await registerClient(service);
    confidential = await registerConfidential();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function registerConfidential(): Promise<Client & { secret: string }> {
    const { id, secret } = await registerClient(service, { type: "confidential" });
    if (secret === null) throw new Error("a confidential application came without a secret");
    return { id, secret };
  }

  function exchange(code: string, { fields = {}, headers = {} }: Attempt): Promise<FormAnswer> {
    const form = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI, ...fields };
    return postForm(`${service.url}/v1/oauth/token`, form, headers);
  }

  /** Both endpoints authenticate in the same way. */
  async function expectAccepted({ id }: Client, attempt: Attempt): Promise<void> {
    const { status, body } = await exchange(await obtainCode(visitor, id), attempt);
    expect(status, JSON.stringify(body)).toBe(200);
    const form = { token: body.access_token, ...attempt.fields };
    expect((await postForm(`${service.url}/v1/oauth/revoke`, form, attempt.headers)).status).toBe(200);
    const path = `${service.url}/v1/applications/${id}/executions`;
    expect((await fetch(path, { headers: { authorization: `Bearer ${body.access_token}` } })).status).toBe(401);
  }

  /** Rejected at both endpoints, without using up the code. */
  async function expectRefused(client: Client, attempt: Attempt, error: "invalid_client" | "invalid_request") {
    const code = await obtainCode(visitor, client.id);
    const revocation = { token: "whatever", ...attempt.fields };
    for (const answer of [
      await exchange(code, attempt),
      await postForm(`${service.url}/v1/oauth/revoke`, revocation, attempt.headers),
    ]) {
      expect(answer.body).toEqual({ error, error_description: expect.stringMatching(/\w/) });
      expect(answer.status).toBe(error === "invalid_client" ? 401 : 400);
      const challenge = answer.headers.get("www-authenticate");
      expect(challenge).toBe(error === "invalid_client" ? 'Basic realm="errand"' : null);
    }
    const right = client.secret === null ? {} : { client_secret: client.secret };
    expect((await exchange(code, { fields: { client_id: client.id, ...right } })).status).toBe(200);
  }

  describe("of a confidential application is accepted", () => {
    it("as HTTP Basic", async () => {
      await expectAccepted(confidential, { headers: basic(confidential.id, confidential.secret) });
    });

    it("as HTTP Basic whose credentials are form-encoded, every character of them", async () => {
      const encode = (text: string) => text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
      await expectAccepted(confidential, { headers: basic(encode(confidential.id), encode(confidential.secret)) });
    });

    it("as HTTP Basic in any case of the scheme", async () => {
      const { authorization } = basic(confidential.id, confidential.secret);
      await expectAccepted(confidential, { headers: { authorization: authorization.replace("Basic", "bAsIc") } });
    });

    it("as HTTP Basic with the same client_id in the form, in any case", async () => {
      const headers = basic(confidential.id, confidential.secret);
      await expectAccepted(confidential, { headers, fields: { client_id: confidential.id } });
      await expectAccepted(confidential, { headers, fields: { client_id: confidential.id.toUpperCase() } });
    });

    it("as HTTP Basic with an empty client_secret in the form, which counts as absent", async () => {
      const headers = basic(confidential.id, confidential.secret);
      await expectAccepted(confidential, { headers, fields: { client_id: confidential.id, client_secret: "" } });
    });

    it("as client_secret in the form", async () => {
      const fields = { client_id: confidential.id, client_secret: confidential.secret };
      await expectAccepted(confidential, { fields });
    });
  });

  describe("of a confidential application is rejected", () => {
    type Case = [what: string, attempt: (client: { id: string; secret: string }) => Attempt];

    it.each<Case>([
      ["with only its client_id", ({ id }) => ({ fields: { client_id: id } })],
      ["with an empty client_secret", ({ id }) => ({ fields: { client_id: id, client_secret: "" } })],
      ["with a wrong client_secret", ({ id }) => ({ fields: { client_id: id, client_secret: "errand_cs_wrong" } })],
      ["with a wrong secret as Basic", ({ id }) => ({ headers: basic(id, "errand_cs_wrong") })],
      ["with an empty secret as Basic", ({ id }) => ({ headers: basic(id, "") })],
      ["with its secret and an extra character", ({ id, secret }) => ({ headers: basic(id, `${secret}0`) })],
      ["with an unknown id", ({ secret }) => ({ headers: basic(UNKNOWN_ID, secret) })],
      ["with Basic that has no colon", ({ id }) => ({ headers: { authorization: `Basic ${btoa(id)}` } })],
      ["with Basic that is not base64", () => ({ headers: { authorization: "Basic ä" } })],
      ["with Basic that is empty", () => ({ headers: { authorization: "Basic" } })],
      ["with a broken percent sign in Basic", ({ id }) => ({ headers: basic(id, "%zz") })],
      ["with a NUL in Basic", ({ secret }) => ({ headers: basic("a\0b", secret) })],
      ["with a NUL in the secret of Basic", ({ id, secret }) => ({ headers: basic(id, `${secret}%00`) })],
      ["with a bearer token", ({ id }) => ({ headers: { authorization: "Bearer x" }, fields: { client_id: id } })],
      ["without any credentials", () => ({})],
    ])("%s", async (_what, attempt) => {
      await expectRefused(confidential, attempt(confidential), "invalid_client");
    });

    it.each<Case>([
      [
        "when its secret is in both places",
        ({ id, secret }) => ({ headers: basic(id, secret), fields: { client_id: id, client_secret: secret } }),
      ],
      [
        "when the two places name different applications",
        ({ id, secret }) => ({ headers: basic(id, secret), fields: { client_id: UNKNOWN_ID } }),
      ],
      ["when client_id is repeated", ({ id, secret }) => ({ fields: { client_id: [id, id], client_secret: secret } })],
    ])("as an invalid request %s", async (_what, attempt) => {
      await expectRefused(confidential, attempt(confidential), "invalid_request");
    });

    it("with the secret of another application", async () => {
      const other = await registerConfidential();
      await expectRefused(confidential, { headers: basic(confidential.id, other.secret) }, "invalid_client");
    });
  });

  describe("of a public application", () => {
    it("is its client_id in the form", async () => {
      await expectAccepted(publicApp, { fields: { client_id: publicApp.id } });
    });

    it("is its client_id with an empty secret, in the form or as Basic", async () => {
      await expectAccepted(publicApp, { fields: { client_id: publicApp.id, client_secret: "" } });
      await expectAccepted(publicApp, { headers: basic(publicApp.id, "") });
    });

    it("is rejected when it sends a secret, in the form or as Basic", async () => {
      const fields = { client_id: publicApp.id, client_secret: "made up" };
      await expectRefused(publicApp, { fields }, "invalid_client");
      await expectRefused(publicApp, { headers: basic(publicApp.id, "made up") }, "invalid_client");
    });
  });

  it("accepts both secrets after one rotation, and not the oldest after two", async () => {
    const { id, secret: first } = await registerConfidential();
    const statusWith = async (secret: string) =>
      (await exchange(await obtainCode(visitor, id), { headers: basic(id, secret) })).status;

    const second = await service.operations.applications.rotateSecret(id);
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);

    const third = await service.operations.applications.rotateSecret(id);
    expect([await statusWith(first), await statusWith(second), await statusWith(third)]).toEqual([401, 200, 200]);
  });

  it("leaves no secret, code or token in the log", async () => {
    const code = await obtainCode(visitor, confidential.id);
    const wrong = await exchange(code, { headers: basic(confidential.id, "errand_cs_wrong") });
    expect(wrong.status).toBe(401);
    const { body } = await exchange(code, { headers: basic(confidential.id, confidential.secret) });
    const log = service.log.join("\n");
    expect(log).toContain("/v1/oauth/token");
    for (const secret of [code, confidential.secret, body.access_token, "errand_cs_wrong", "errand_ac_"]) {
      expect(log).not.toContain(secret);
    }
  });
});
