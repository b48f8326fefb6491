import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

describe("executions", () => {
  let service: TestService;
  let connection: TestConnection;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect({ registration: { homeUrl: "https://shop.example/" } });
    api = createApi(service.url, connection);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it("are created QUEUED, with every key of the contract present", async () => {
    const { status, headers, body } = await api.create({ prompt: "Buy milk." });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(
      `/v1/applications/${connection.applicationId}/executions/${body.execution.id}`,
    );
    expect(body.execution).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{14}7/),
      status: "QUEUED",
      terminal: null,
      prompt: "Buy milk.",
      start_url: "https://shop.example/",
      output_schema: null,
      result: null,
      error: null,
      usage: { credits: 1, charged: false },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.execution.created_at,
      completed_at: null,
    });
  });

  it("return the output schema unchanged, in its own key order", async () => {
    const schema = {
      type: "object",
      properties: { zeta: { type: "number" }, alpha: { type: "string" } },
      required: ["zeta"],
    };
    const execution = await api.created({
      prompt: "Read it.",
      output_schema: schema,
      start_url: "https://elsewhere.example/x",
    });
    expect(JSON.stringify(execution.output_schema)).toBe(JSON.stringify(schema));
    expect(execution.start_url).toBe("https://elsewhere.example/x");
  });

  it("are returned as they were created, with an ETag that leads to 304", async () => {
    const execution = await api.created();
    const first = await api.get(execution.id);
    expect(first).toMatchObject({ status: 200, body: { execution } });
    expect(first.headers.get("retry-after")).toBe("1");
    const tag = first.headers.get("etag") ?? "";
    expect((await api.get(execution.id, "", { "if-none-match": `"other", W/${tag}` })).status).toBe(304);
    expect((await api.get(execution.id, "", { "if-none-match": '"other"' })).status).toBe(200);
    await api.cancel(execution.id);
    expect((await api.get(execution.id, "", { "if-none-match": tag })).status).toBe(200);
  });

  it("are found by an uppercase id", async () => {
    const { id } = await api.created();
    expect((await api.get(id.toUpperCase())).body.execution.id).toBe(id);
  });
});
