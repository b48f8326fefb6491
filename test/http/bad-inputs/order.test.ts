import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../_harness/api.ts";
import { takeStock } from "../../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

const BALANCE = 1_000;
const WRONG = { prompt: "" };
const RIGHT = { prompt: "Buy milk." };
const KEY = { "idempotency-key": "used" };

/** One execution costs all credits, so after the first one none are left. */
describe("when several things are wrong with a create", () => {
  let service: TestService;
  let connection: TestConnection;
  let foreign: TestConnection;
  let api: Api;
  let original: string;

  beforeAll(async () => {
    service = await startTestService({ settings: { ERRAND_EXECUTION_PRICE: String(BALANCE) } });
    connection = await service.connect();
    foreign = await service.connect();
    api = createApi(service.url, connection);
    ({ id: original } = await api.created(RIGHT, KEY));
    await service.database.query("update connections set state = 'REAUTHORIZATION_REQUIRED' where id = $1", [
      connection.connectionId,
    ]);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function expectError(by: Api, body: unknown, headers: Record<string, string>, error: [number, string]) {
    const before = await takeStock(service);
    const answer = await by.create(body, headers);
    expect([answer.status, answer.body.error?.code]).toEqual(error);
    expect(await takeStock(service)).toEqual(before);
  }

  it("the token is checked first", async () => {
    const unknown = createApi(service.url, { applicationId: foreign.applicationId, token: "unknown" });
    await expectError(unknown, WRONG, KEY, [401, "UNAUTHENTICATED"]);
    await expectError(unknown, "{", { "content-type": "text/plain" }, [401, "UNAUTHENTICATED"]);
  });

  it("the application is checked before the body", async () => {
    const elsewhere = createApi(service.url, { ...connection, applicationId: foreign.applicationId });
    await expectError(elsewhere, WRONG, KEY, [403, "APPLICATION_MISMATCH"]);
    await expectError(elsewhere, "{", { "content-type": "text/plain" }, [403, "APPLICATION_MISMATCH"]);
  });

  it("the body is checked before a key that was used", async () => {
    await expectError(api, WRONG, KEY, [400, "INVALID_REQUEST"]);
    await expectError(api, { ...RIGHT, output_schema: { type: "nope" } }, KEY, [400, "INVALID_REQUEST"]);
    await expectError(api, { ...RIGHT, unknown: 1 }, KEY, [400, "INVALID_REQUEST"]);
  });

  it("a key used with another body is reported before an expired sign-in", async () => {
    await expectError(api, { prompt: "Buy oats." }, KEY, [409, "IDEMPOTENCY_KEY_REUSED"]);
  });

  it("a retry finds its execution even if the sign-in has expired and the credits are used up", async () => {
    const answer = await api.create(RIGHT, KEY);
    expect([answer.status, answer.body.execution.id]).toEqual([200, original]);
    expect(answer.headers.get("idempotency-replayed")).toBe("true");
  });

  it("the sign-in is checked before the credits", async () => {
    await expectError(api, RIGHT, { "idempotency-key": "new" }, [409, "CONNECTION_REAUTHORIZATION_REQUIRED"]);
  });

  it("the credits are checked last, and a refusal leaves the key free", async () => {
    const poor = createApi(service.url, foreign);
    const key = { "idempotency-key": "new" };
    await expectError(poor, RIGHT, key, [402, "INSUFFICIENT_CREDITS"]);
    const [owner] = await service.database.query<{ id: string }>("select id from owners");
    await service.operations.credits.grant(owner?.id ?? "", BALANCE);
    await poor.created({ prompt: "Another body." }, key);
  });
});
