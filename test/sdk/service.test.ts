import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Errand } from "../../packages/sdk/src/errand.ts";
import {
  ApplicationMismatch,
  ExecutionFailed,
  ExecutionFinished,
  ExecutionNotFinished,
  ExecutionNotFound,
  IdempotencyKeyReused,
  InvalidCursor,
  InvalidRequest,
  OAuthError,
  ReauthorizationRequired,
  Unauthenticated,
} from "../../packages/sdk/src/errors.ts";
import { agree, newVisitor, REDIRECT_URI, registerClient } from "../_harness/oauth-flow.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("the SDK on the real API", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function connect(): Promise<{ errand: Errand; connectionId: string }> {
    const { applicationId, token: accessToken, connectionId } = await service.connect();
    return {
      errand: new Errand({ baseUrl: service.url, applicationId, accessToken, redirectUri: REDIRECT_URI }),
      connectionId,
    };
  }

  it.each(["public", "confidential"] as const)(
    "connects a user of a %s application and disconnects them",
    async (type) => {
      const { id: applicationId, secret } = await registerClient(service, { type, redirectUris: [REDIRECT_URI] });
      const errand = new Errand({
        baseUrl: service.url,
        applicationId,
        redirectUri: REDIRECT_URI,
        clientSecret: secret ?? undefined,
      });
      const request = await errand.oauth.authorizationUrl({ loginHint: "ada@example.com" });
      const callback = await agree(await newVisitor(service), request.url);

      await expect(errand.oauth.exchange(callback, { ...request, state: "another" })).rejects.toThrow(/state/);
      const token = await errand.oauth.exchange(`${callback.pathname}${callback.search}`, request);
      const connected = errand.withAccessToken(token.access_token);
      expect(await connected.connection.get()).toMatchObject({ id: token.connection_id, state: "ACTIVE" });
      await expect(errand.oauth.exchange(callback, request)).rejects.toMatchObject({
        code: "invalid_grant",
        status: 400,
      });

      await errand.oauth.revoke(token.access_token);
      const failure = await connected.connection.get().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Unauthenticated);
      expect((failure as Unauthenticated).authorization?.url).toContain("/v1/oauth/authorize?");
    },
  );

  it("says that the user refused", async () => {
    const errand = new Errand({ baseUrl: service.url, applicationId: UNKNOWN, redirectUri: REDIRECT_URI });
    const refused = `/callback?${new URLSearchParams({ state: "s", error: "access_denied", error_description: "No." })}`;
    const failure = await errand.oauth
      .exchange(refused, { state: "s", codeVerifier: "v" })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OAuthError);
    expect(failure).toMatchObject({ code: "access_denied", message: "No." });
  });

  it("creates once for a key, lists by status, cancels, and throws the class of each refusal", async () => {
    const { errand } = await connect();
    const { executions } = errand;
    const request = { prompt: "Click Buy.", idempotencyKey: "order-42", metadata: { order: "42" } };
    const first = await executions.create(request);
    expect((await executions.create(request)).id).toBe(first.id);
    await expect(executions.create({ ...request, prompt: "Click Sell." })).rejects.toBeInstanceOf(IdempotencyKeyReused);
    await expect(executions.create({ prompt: " " })).rejects.toMatchObject({
      name: "InvalidRequest",
      details: [{ path: "prompt" }],
    });
    await expect(executions.create({ prompt: "Go", startUrl: "ftp://shop.example/" })).rejects.toBeInstanceOf(
      InvalidRequest,
    );
    await expect(executions.evidence(first.id)).rejects.toBeInstanceOf(ExecutionNotFinished);
    await expect(executions.get(UNKNOWN)).rejects.toBeInstanceOf(ExecutionNotFound);
    await expect(executions.page({ after: UNKNOWN })).rejects.toBeInstanceOf(InvalidCursor);
    expect(await errand.interactions.get(first.id)).toBeNull();
    expect(await errand.artifacts.list(first.id)).toEqual([]);

    const ids = [first.id];
    for (let number = 0; number < 3; number += 1) ids.unshift((await executions.create({ prompt: "Click Buy." })).id);
    expect((await Array.fromAsync(executions.list({ limit: 2 }))).map(({ id }) => id)).toEqual(ids);
    expect(await executions.cancel(first.id)).toMatchObject({ status: "FAILED", terminal: { status: "canceled" } });
    expect((await Array.fromAsync(executions.list({ status: "FAILED" }))).map(({ id }) => id)).toEqual([first.id]);
    await expect(executions.live(first.id)).rejects.toBeInstanceOf(ExecutionFinished);
  });

  it("waits for the end, and says how it failed", async () => {
    const { executions } = (await connect()).errand;
    const { id } = await executions.create({ prompt: "Click Buy." });
    const waiting = executions.wait(id, { onStep: () => {} }).catch((error: unknown) => error);
    await executions.cancel(id);
    const failure = await waiting;
    expect(failure).toBeInstanceOf(ExecutionFailed);
    expect(failure).toMatchObject({
      terminal: { status: "canceled" },
      error: { code: "CANCELED" },
      evidence: { side_effects: [] },
      execution: { id },
      authorization: null,
    });
  });

  it("needs a token of the application, and a user who is signed in", async () => {
    const { errand, connectionId } = await connect();
    const { token } = await service.connect();
    await expect(errand.withAccessToken(token).executions.page()).rejects.toBeInstanceOf(ApplicationMismatch);
    await service.database.query(
      `update connections set state = 'REAUTHORIZATION_REQUIRED' where id = '${connectionId}'`,
    );
    await expect(errand.executions.create({ prompt: "Click Buy." })).rejects.toBeInstanceOf(ReauthorizationRequired);
    expect((await errand.connection.get()).state).toBe("REAUTHORIZATION_REQUIRED");
  });
});
