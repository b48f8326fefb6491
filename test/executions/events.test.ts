import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { finishDirectly, startDirectly } from "../_harness/engine.ts";
import { readerOf, readToEnd, readUntil } from "../_harness/event-stream.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

describe("an execution's events", () => {
  let service: TestService;
  let connection: TestConnection;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    api = createApi(service.url, connection);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const follow = (id: string, headers: Record<string, string> = {}, query = "") =>
    fetch(`${service.url}/v1/applications/${connection.applicationId}/executions/${id}/events${query}`, {
      headers: { authorization: `Bearer ${connection.token}`, accept: "text/event-stream", ...headers },
    });

  it("are listed in order, with ids for paging", async () => {
    const { id } = await api.created();
    await api.cancel(id);
    const { body } = await api.events(id);
    expect(body).toEqual({
      events: [
        { id: 1, type: "execution.queued", at: expect.any(String), data: {} },
        {
          id: 2,
          type: "execution.failed",
          at: expect.any(String),
          data: { terminal: expect.objectContaining({ status: "canceled" }) },
        },
      ],
      has_more: false,
    });
    expect((await api.events(id, "?limit=1")).body).toMatchObject({ events: [{ id: 1 }], has_more: true });
    expect((await api.events(id, "?after=1")).body).toMatchObject({ events: [{ id: 2 }], has_more: false });
    expect((await api.events(id, "?after=2")).body).toEqual({ events: [], has_more: false });
  });

  it("stream as they are recorded, and the stream ends after the last", async () => {
    const { id } = await api.created();
    const response = await follow(id);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = readerOf(response);
    await readUntil(reader, "event: execution.queued");
    await startDirectly(service, id);
    await finishDirectly(service, id, "COMPLETED");
    const rest = await readUntil(reader, "event: execution.completed");
    expect(rest).toContain("id: 2\n");
    expect(await readToEnd(reader)).not.toContain("event:");
  });

  it("continue after Last-Event-ID, which overrides the query", async () => {
    const { id } = await api.created();
    await api.cancel(id);
    const text = await (await follow(id, { "last-event-id": "1" }, "?after=0")).text();
    expect(text).not.toContain("id: 1\n");
    expect(text).toContain("id: 2\nevent: execution.failed\n");
    expect(await (await follow(id, { "last-event-id": "2" })).text()).not.toContain("event:");
  });

  it("return a plain 404 for an unknown execution, streamed or not", async () => {
    const response = await follow("01890000-0000-7000-8000-000000000000");
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toContain("application/json");
  });

  it("can be neither changed nor reordered in the database", async () => {
    const { id } = await api.created();
    await expect(
      service.database.query("update execution_events set type = 'step' where execution_id = $1", [id]),
    ).rejects.toThrow("append-only");
    await expect(
      service.database.query(
        "insert into execution_events (execution_id, id, type, data) values ($1, 1, 'step', '{}')",
        [id],
      ),
    ).rejects.toThrow("duplicate key");
  });
});
