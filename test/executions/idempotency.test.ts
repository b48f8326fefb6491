import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

describe("an Idempotency-Key", () => {
  let service: TestService;
  let connection: TestConnection;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    api = createApi(service.url, connection);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it("returns the original execution, as it is now, for the same body", async () => {
    const key = { "idempotency-key": "same" };
    const original = await api.created({ prompt: "Once." }, key);
    await api.cancel(original.id);
    const replay = await api.create({ prompt: "Once." }, key);
    expect(replay.status).toBe(200);
    expect(replay.headers.get("idempotency-replayed")).toBe("true");
    expect(replay.body.execution).toMatchObject({ id: original.id, status: "FAILED" });
  });

  it("treats bodies as equal that differ in key order, white space and explicit nulls", async () => {
    const key = { "idempotency-key": "canonical" };
    const original = await api.created({ prompt: "Same.", output_schema: { type: "object", title: "A" } }, key);
    const replay = await api.create(
      '{ "start_url": null, "output_schema": {"title":"A","type":"object"}, "prompt":"Same." }',
      key,
    );
    expect(replay).toMatchObject({ status: 200, body: { execution: { id: original.id } } });
  });

  it("is rejected with 409 for a different body, and keeps the original", async () => {
    const key = { "idempotency-key": "reused" };
    const original = await api.created({ prompt: "One." }, key);
    const other = await api.create({ prompt: "Two." }, key);
    expect(other).toMatchObject({ status: 409, body: { error: { code: "IDEMPOTENCY_KEY_REUSED" } } });
    expect((await api.create({ prompt: "One." }, key)).body.execution.id).toBe(original.id);
  });

  it("still finds its execution after the connection lapsed and the credits ran out", async () => {
    const other = await service.connect();
    const otherApi = createApi(service.url, other);
    const key = { "idempotency-key": "lasting" };
    const original = await otherApi.created({ prompt: "Before." }, key);
    await service.database.query("update connections set state = 'REAUTHORIZATION_REQUIRED' where id = $1", [
      other.connectionId,
    ]);
    await service.database.query("update owners set balance = 0");
    expect(await otherApi.create({ prompt: "Before." }, key)).toMatchObject({
      status: 200,
      body: { execution: { id: original.id } },
    });
    expect((await otherApi.create({ prompt: "After." }, key)).body.error.code).toBe("IDEMPOTENCY_KEY_REUSED");
    expect((await otherApi.create({ prompt: "New." })).body.error.code).toBe("CONNECTION_REAUTHORIZATION_REQUIRED");
    await service.database.query("update owners set balance = 1000");
  });

  it("stays unused after a rejected create", async () => {
    const key = { "idempotency-key": "free" };
    await service.database.query("update connections set state = 'REAUTHORIZATION_REQUIRED' where id = $1", [
      connection.connectionId,
    ]);
    expect((await api.create({ prompt: "Refused." }, key)).status).toBe(409);
    await service.database.query("update connections set state = 'ACTIVE' where id = $1", [connection.connectionId]);
    expect((await api.create({ prompt: "Accepted." }, key)).status).toBe(201);
  });
});
