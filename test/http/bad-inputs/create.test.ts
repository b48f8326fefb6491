import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi, expectContract } from "../../_harness/api.ts";
import {
  bearer,
  expectNothingBroke,
  expectRefusal,
  JSON_TYPE,
  type RawAnswer,
  sendRaw,
  takeStock,
} from "../../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

type Body = string | Buffer | undefined;

const TEMPLATE = "/v1/applications/{applicationId}/executions";
const EMOJI = "🛒";

/** Bodies that are not valid JSON: 400, without details. */
const UNREADABLE: [string, Body][] = [
  ["truncated JSON", '{"prompt":'],
  ["JSON with something after it", '{"prompt":"x"} x'],
  ["JSON with a comment", '{"prompt":"x"/**/}'],
  ["JSON with a trailing comma", '{"prompt":"x",}'],
  ["JSON in single quotes", "{'prompt':'x'}"],
  ["only white space", " \n "],
  ["a form", "prompt=x"],
  ["invalid UTF-8", Buffer.from([...Buffer.from('{"prompt":"'), 0xff, 0xfe, ...Buffer.from('"}')])],
  ["an overlong encoding", Buffer.from([...Buffer.from('{"prompt":"'), 0xc0, 0xaf, ...Buffer.from('"}')])],
  ["a surrogate in UTF-8", Buffer.from([...Buffer.from('{"prompt":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')])],
  ["UTF-16", Buffer.from('\ufeff{"prompt":"x"}', "utf16le")],
  ["a raw NUL inside a string", '{"prompt":"x\0"}'],
  ["a raw line break inside a string", '{"prompt":"x\n"}'],
  ["a __proto__ key", '{"prompt":"x","__proto__":{"prompt":"y"}}'],
  ["a __proto__ key that is null", '{"prompt":"x","__proto__":null}'],
  ["a __proto__ key written with escapes", '{"prompt":"x","__proto\\u005f_":{}}'],
  ["a prompt only in __proto__", '{"__proto__":{"prompt":"x"}}'],
  ["a __proto__ key in the output schema", '{"prompt":"x","output_schema":{"__proto__":{"type":"object"}}}'],
  ["a constructor with a prototype", '{"prompt":"x","constructor":{"prototype":{"prompt":"y"}}}'],
];

/** Bodies that are JSON but not a valid request: 400, and the details say where. */
const REFUSED: [string, Body, string[]][] = [
  ["an empty body", "", ["body"]],
  ["no body at all", undefined, ["body"]],
  ["null", "null", ["body"]],
  ["an array", '[{"prompt":"x"}]', ["body"]],
  ["a string", '"Buy milk."', ["body"]],
  ["a number", "1", ["body"]],
  ["a boolean", "true", ["body"]],
  ["no prompt", "{}", ["prompt"]],
  ["a prompt that is null", '{"prompt":null}', ["prompt"]],
  ["a prompt that is a number", '{"prompt":1}', ["prompt"]],
  ["a prompt that is a boolean", '{"prompt":true}', ["prompt"]],
  ["a prompt that is an array", '{"prompt":["x"]}', ["prompt"]],
  ["a prompt that is an object", '{"prompt":{"text":"x"}}', ["prompt"]],
  ["an array of half a million levels as the prompt", `{"prompt":${"[".repeat(5e5)}${"]".repeat(5e5)}}`, ["prompt"]],
  ["a prompt in another case", '{"Prompt":"x"}', ["prompt", "Prompt"]],
  ["an empty prompt", '{"prompt":""}', ["prompt"]],
  ["a prompt of spaces, line breaks and tabs", '{"prompt":" \\n\\t\\r "}', ["prompt"]],
  ["a prompt of Unicode white space", '{"prompt":"\u00a0\u2003\u3000\ufeff"}', ["prompt"]],
  ["a prompt of 20,001 letters", JSON.stringify({ prompt: "a".repeat(20_001) }), ["prompt"]],
  ["a prompt of 20,001 emoji", JSON.stringify({ prompt: EMOJI.repeat(20_001) }), ["prompt"]],
  ["NUL in the prompt", '{"prompt":"a\\u0000b"}', ["prompt"]],
  ["a high surrogate alone in the prompt", '{"prompt":"a\\ud83d"}', ["prompt"]],
  ["a low surrogate alone in the prompt", '{"prompt":"\\ude00a"}', ["prompt"]],
  ["surrogates in the wrong order in the prompt", '{"prompt":"\\ude00\\ud83d"}', ["prompt"]],
  ["NUL in start_url", '{"prompt":"x","start_url":"https://a.example/\\u0000"}', ["start_url"]],
  ["a lone surrogate in start_url", '{"prompt":"x","start_url":"https://a.example/\\ud800"}', ["start_url"]],
  ["an unknown field", '{"prompt":"x","startUrl":"https://a.example/"}', ["startUrl"]],
  ["several unknown fields", '{"prompt":"x","a":1,"b":null,"c":{}}', ["a", "b", "c"]],
  ["a field of the response", '{"prompt":"x","status":"COMPLETED"}', ["status"]],
  ["a connection in the body", '{"prompt":"x","connection_id":"x"}', ["connection_id"]],
  ["a constructor field", '{"prompt":"x","constructor":1}', ["constructor"]],
  ["a toString field", '{"prompt":"x","toString":1}', ["toString"]],
  ["an unknown field with NUL and a lone surrogate", '{"prompt":"x","a\\u0000\\ud800":1}', ["a\0\ud800"]],
  ["two mistakes at once", '{"prompt":" ","start_url":"ftp://a.example/"}', ["prompt", "start_url"]],
  ["start_url that is a number", '{"prompt":"x","start_url":1}', ["start_url"]],
  ["start_url that is an array", '{"prompt":"x","start_url":["https://a.example/"]}', ["start_url"]],
  ["start_url that is false", '{"prompt":"x","start_url":false}', ["start_url"]],
  ...[
    "",
    "a.example",
    "/orders",
    "//a.example/",
    "?page=2",
    "http://",
    "https:///",
    "http://a.example:99999/",
    "http://[::1",
    "ftp://a.example/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "about:blank",
    "chrome://settings",
    "blob:https://a.example/x",
    "view-source:https://a.example/",
    "ws://a.example/",
    "https://ann@a.example/",
    "https://ann:secret@a.example/",
    "https://:secret@a.example/",
    `https://a.example/${"a".repeat(2_049 - 18)}`,
  ].map((url): [string, Body, string[]] => [
    `start_url ${JSON.stringify(url).slice(0, 40)}`,
    JSON.stringify({ prompt: "x", start_url: url }),
    ["start_url"],
  ]),
];

describe("a body that create refuses", () => {
  let service: TestService;
  let connection: TestConnection;
  let before: Record<string, unknown>;
  const keys: string[] = [];

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    await createApi(service.url, connection).created();
    before = await takeStock(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Each has its own key, which a refusal must leave free. */
  async function send(body: Body, headers: [string, string][] = [JSON_TYPE]): Promise<RawAnswer> {
    const key = `key-${keys.length}`;
    keys.push(key);
    const target = TEMPLATE.replace("{applicationId}", connection.applicationId);
    const all: [string, string][] = [bearer(connection), ["idempotency-key", key], ...headers];
    const answer = await sendRaw(service.url, {
      method: "POST",
      target,
      headers: all,
      ...(body === undefined ? {} : { body }),
    });
    expectContract(TEMPLATE, "POST", answer.status, JSON.parse(answer.body));
    return answer;
  }

  it.each(UNREADABLE)("returns 400 because it is %s", async (_name, body) => {
    expectRefusal(await send(body), { status: 400, code: "INVALID_REQUEST" });
  });

  it.each(REFUSED)("returns 400 and says where because of %s", async (_name, body, details) => {
    expectRefusal(await send(body), { status: 400, code: "INVALID_REQUEST", details });
  });

  it.each([
    ["none", []],
    ["an empty one", [["content-type", ""]]],
    ["text/plain", [["content-type", "text/plain"]]],
    ["a form", [["content-type", "application/x-www-form-urlencoded"]]],
    ["one that only starts like JSON", [["content-type", "application/jsonx"]]],
    ["another kind of JSON", [["content-type", "application/vnd.api+json"]]],
    ["one that is not a media type", [["content-type", "///"]]],
  ] satisfies [string, [string, string][]][])("returns 415 with %s as the content type", async (_name, headers) => {
    const answer = await send('{"prompt":"x"}', headers);
    expectRefusal(answer, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
    expect(answer.body).toContain("Content-Type: application/json.");
  });

  it("leaves no trace", async () => {
    expect(await takeStock(service)).toEqual(before);
    expectNothingBroke(service);
  });

  it("leaves its Idempotency-Key free", async () => {
    const api = createApi(service.url, connection);
    for (const key of keys) await api.created({ prompt: "Now right." }, { "idempotency-key": key });
    expect(keys.length).toBeGreaterThan(80);
  });
});

describe("an Idempotency-Key that create refuses", () => {
  let service: TestService;
  let connection: TestConnection;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const key = (value: string): [string, string] => ["Idempotency-Key", value];

  it.each([
    ["an empty one", [key("")]],
    ["one of spaces", [key("   ")]],
    ["one of 256 characters", [key("k".repeat(256))]],
    ["two of them", [key("a"), key("b")]],
    ["the same one twice", [key("a"), key("a")]],
    ["an empty one and a valid one", [key(""), key("a")]],
  ])("is %s", async (_name, headers) => {
    const before = await takeStock(service);
    const answer = await sendRaw(service.url, {
      method: "POST",
      target: TEMPLATE.replace("{applicationId}", connection.applicationId),
      headers: [bearer(connection), JSON_TYPE, ...headers],
      body: '{"prompt":"x"}',
    });
    expectRefusal(answer, { status: 400, code: "INVALID_REQUEST", details: ["Idempotency-Key"] });
    expect(await takeStock(service)).toEqual(before);
    expectNothingBroke(service);
  });
});
