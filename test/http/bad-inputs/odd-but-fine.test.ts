import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../../_harness/api.ts";
import { bearer, expectNothingBroke, JSON_TYPE, type RawAnswer, sendRaw } from "../../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

describe("unusual but valid requests", () => {
  let service: TestService;
  let connection: TestConnection;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    api = createApi(service.url, connection);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const post = (body: string | Buffer, headers: [string, string][] = [JSON_TYPE]): Promise<RawAnswer> =>
    sendRaw(service.url, {
      method: "POST",
      target: `/v1/applications/${connection.applicationId}/executions`,
      headers: [bearer(connection), ...headers],
      body,
    });

  it.each([
    ["20,000 letters", "a".repeat(20_000)],
    ["20,000 emoji, each of which counts as one character", "🛒".repeat(20_000)],
    ["one letter surrounded by white space, which is kept", " \n x \t"],
    ["control characters other than NUL", "a\u0001\u001b\u007f\u0085b"],
    ["right-to-left text, joined emoji and unusual code points", "שלום 👩‍👩‍👧 \u202e \uffff \u{10ffff}"],
    ["the text __proto__", "__proto__"],
  ])("accept a prompt of %s and return it unchanged", async (_name, prompt) => {
    const { id } = await api.created({ prompt });
    expect((await api.get(id)).body.execution.prompt).toBe(prompt);
  });

  it.each([
    ["https://a.example"],
    ["http://127.0.0.1:4010/path?query=1#fragment"],
    ["https://bücher.example/straße?q=größe"],
    ["HTTPS://A.EXAMPLE/"],
    ["http://[::1]:8080/"],
    [`https://a.example/${"a".repeat(2_048 - 18)}`],
  ])("accept the start_url %s and return it unchanged", async (startUrl) => {
    const { id } = await api.created({ prompt: "x", start_url: startUrl });
    expect((await api.get(id)).body.execution.start_url).toBe(startUrl);
  });

  it("accept null for start_url and output_schema, which means absent", async () => {
    const execution = await api.created({ prompt: "x", start_url: null, output_schema: null });
    expect(execution).toMatchObject({ start_url: null, output_schema: null });
  });

  it.each([
    ["application/json; charset=utf-8"],
    ["application/json;charset=UTF-8"],
    ["Application/JSON"],
    ["application/json; charset=iso-8859-1"],
  ])("accept the content type %s: JSON is always UTF-8", async (type) => {
    const answer = await post('{"prompt":"größer"}', [["content-type", type]]);
    expect(answer.status, answer.body).toBe(201);
    expect(JSON.parse(answer.body).execution.prompt).toBe("größer");
  });

  it("accept a byte order mark before the JSON", async () => {
    const answer = await post('\ufeff{"prompt":"x"}');
    expect(answer.status, answer.body).toBe(201);
  });

  it("accept a body of exactly 1 MiB", async () => {
    const answer = await post('{"prompt":"x"}'.padEnd(1024 * 1024, " "));
    expect(answer.status, answer.body).toBe(201);
  });

  it("accept a duplicate key: the last one counts, also for the Idempotency-Key", async () => {
    const headers: [string, string][] = [JSON_TYPE, ["idempotency-key", "twice"]];
    const first = await post('{"prompt":"ignored","prompt":"counts"}', headers);
    expect(first.status, first.body).toBe(201);
    expect(JSON.parse(first.body).execution.prompt).toBe("counts");
    const replay = await post('{"prompt":"counts"}', headers);
    expect([replay.status, replay.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
  });

  it.each([
    ["255 characters", "k".repeat(255)],
    ["one character", "k"],
    ["latin-1", "schlüssel-\xff"],
    ["punctuation", `"'\\;,=%00<>{}`],
  ])("accept an Idempotency-Key of %s: a second use replays", async (_name, key) => {
    const headers: [string, string][] = [JSON_TYPE, ["idempotency-key", key]];
    const first = await post('{"prompt":"x"}', headers);
    expect(first.status, first.body).toBe(201);
    const second = await post('{"prompt":"x"}', headers);
    expect(second.status, second.body).toBe(200);
    expect(JSON.parse(second.body).execution.id).toBe(JSON.parse(first.body).execution.id);
  });

  it("distinguish Idempotency-Keys that differ only in case or in an accent", async () => {
    const ids = new Set<string>();
    for (const key of ["grün", "GRÜN", "grun"]) {
      const answer = await post('{"prompt":"x"}', [JSON_TYPE, ["idempotency-key", key]]);
      expect(answer.status, answer.body).toBe(201);
      ids.add(JSON.parse(answer.body).execution.id);
    }
    expect(ids.size).toBe(3);
  });

  it("accept uppercase ids everywhere", async () => {
    const capitals = createApi(service.url, { ...connection, applicationId: connection.applicationId.toUpperCase() });
    const older = await api.created();
    const newer = await api.created();
    expect((await capitals.get(newer.id.toUpperCase())).body.execution.id).toBe(newer.id);
    expect((await capitals.events(newer.id.toUpperCase())).body.events).toHaveLength(1);
    expect((await capitals.list(`?limit=1&after=${newer.id.toUpperCase()}`)).body.executions[0].id).toBe(older.id);
    expect((await capitals.cancel(newer.id.toUpperCase())).body.execution.status).toBe("FAILED");
    const made = await capitals.create({ prompt: "x" });
    expect(made.headers.get("location")).toBe(
      `/v1/applications/${connection.applicationId}/executions/${made.body.execution.id}`,
    );
  });

  it.each(["", "&", "limit=1", "limit=50"])("accept the query ?%s", async (query) => {
    expect((await api.list(`?${query}`)).status).toBe(200);
  });

  it.each(["bearer", "BEARER", "bEaReR"])("accept the scheme %s", async (scheme) => {
    const target = `/v1/applications/${connection.applicationId}/executions`;
    const headers: [string, string][] = [["authorization", `${scheme} ${connection.token}`]];
    expect((await sendRaw(service.url, { target, headers })).status).toBe(200);
  });

  it("accept a cancel with an empty body of any type", async () => {
    for (const headers of [[], [JSON_TYPE], [["content-length", "0"]]] as [string, string][][]) {
      const { id } = await api.created();
      const target = `/v1/applications/${connection.applicationId}/executions/${id}/cancel`;
      const answer = await sendRaw(service.url, { method: "POST", target, headers: [bearer(connection), ...headers] });
      expect(answer.status, answer.body).toBe(200);
    }
  });

  it("cause no internal errors", () => expectNothingBroke(service));
});
