import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { finishDirectly, startDirectly } from "../_harness/engine.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

describe("canceling an execution", () => {
  let service: TestService;
  let connection: TestConnection;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    api = createApi(service.url, connection);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const balance = async () =>
    Number((await service.database.query<{ balance: string }>("select balance from owners"))[0]?.balance);

  it("ends a queued one at once, not charged, and releases its credits", async () => {
    const before = await balance();
    const { id } = await api.created();
    expect(await balance()).toBe(before - 1);
    const { status, body } = await api.cancel(id);
    expect(status).toBe(200);
    expect(body.execution).toMatchObject({
      status: "FAILED",
      terminal: { status: "canceled" },
      error: { code: "CANCELED" },
      result: null,
      usage: { credits: 1, charged: false },
      completed_at: expect.any(String),
    });
    expect(await balance()).toBe(before);
    expect((await api.get(id)).body).toEqual(body);
  });

  it("is idempotent", async () => {
    const { id } = await api.created();
    const first = await api.cancel(id);
    expect(await api.cancel(id)).toMatchObject({ status: 200, body: first.body });
  });

  it("asks a running one to stop and leaves its state to the worker", async () => {
    const other = createApi(service.url, await service.connect());
    const { id } = await other.created();
    await startDirectly(service, id);
    expect(await other.cancel(id)).toMatchObject({ status: 200, body: { execution: { status: "RUNNING" } } });
    const rows = await service.database.query(
      "select id from executions where id = $1 and cancel_requested_at is not null",
      [id],
    );
    expect(rows).toHaveLength(1);
  });

  it("returns 409 once the execution has ended another way", async () => {
    const other = createApi(service.url, await service.connect());
    const { id } = await other.created();
    await startDirectly(service, id);
    await finishDirectly(service, id, "COMPLETED");
    expect(await other.cancel(id)).toMatchObject({ status: 409, body: { error: { code: "EXECUTION_FINISHED" } } });
    expect((await other.get(id)).body.execution).toMatchObject({ status: "COMPLETED", usage: { charged: true } });
  });

  it("releases the credits once for 20 requests at once", async () => {
    const before = await balance();
    const { id } = await api.created();
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.cancel(id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await balance()).toBe(before);
  });
});
