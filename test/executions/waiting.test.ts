import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { finishDirectly, startDirectly } from "../_harness/engine.ts";
import { readerOf, readToEnd, readUntil } from "../_harness/event-stream.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

describe("waiting for an execution", () => {
  let service: TestService;
  let connection: TestConnection;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    api = createApi(service.url, connection);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it("returns as soon as it has ended, whichever process ended it", async () => {
    const { id } = await api.created();
    await startDirectly(service, id);
    const waiting = api.get(id, "?wait=30");
    await finishDirectly(service, id, "COMPLETED");
    const { status, headers, body } = await waiting;
    expect(status).toBe(200);
    expect(body.execution).toMatchObject({
      status: "COMPLETED",
      terminal: { status: "verified" },
      result: { final_text: "Done." },
    });
    expect(headers.get("retry-after")).toBeNull();
  });

  it("returns the current state after the timeout", async () => {
    const { id } = await api.created();
    expect((await api.get(id, "?wait=1")).body.execution.status).toBe("QUEUED");
  });

  it("returns at once for one that has ended, and 404 at once for an unknown one", async () => {
    const { id } = await api.created();
    await api.cancel(id);
    expect((await api.get(id, "?wait=30")).body.execution.status).toBe("FAILED");
    expect((await api.get("01890000-0000-7000-8000-000000000000", "?wait=30")).status).toBe(404);
  });

  it("returns the current state when the service starts to stop", async () => {
    await using stopping = await startTestService();
    const own = await stopping.connect();
    const ownApi = createApi(stopping.url, own);
    const { id } = await ownApi.created();
    const waiting = ownApi.get(id, "?wait=30");
    const events = await fetch(`${stopping.url}/v1/applications/${own.applicationId}/executions/${id}/events`, {
      headers: { authorization: `Bearer ${own.token}`, accept: "text/event-stream" },
    });
    const reader = readerOf(events);
    await readUntil(reader, "event: execution.queued");
    stopping.service.beginStopping();
    expect((await waiting).body.execution.status).toBe("QUEUED");
    expect(await readToEnd(reader)).not.toContain("event:");
  });
});
