import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, expectContract } from "../../_harness/api.ts";
import { bearer, expectNothingBroke, expectRefusal, JSON_TYPE, sendRaw, takeStock } from "../../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

const TEMPLATE = "/v1/applications/{applicationId}/executions";

function nested(levels: number): object {
  let schema: object = {};
  for (let depth = 1; depth < levels; depth += 1) schema = { not: schema };
  return schema;
}

/** As many properties as fit into this many bytes of JSON. */
function wide(bytes: number, property: unknown = { type: "string" }): object {
  const properties: Record<string, unknown> = {};
  const schema = { type: "object", properties };
  let length = JSON.stringify(schema).length;
  for (let number = 0; ; number += 1) {
    const entry = JSON.stringify({ [`p${number}`]: property }).length - 2 + (number > 0 ? 1 : 0);
    if (length + entry > bytes) return schema;
    properties[`p${number}`] = property;
    length += entry;
  }
}

/** Exactly this many bytes of JSON. */
function padded(bytes: number): object {
  return { title: "a".repeat(bytes - '{"title":""}'.length) };
}

/** Within the size limit, but finding all of its errors takes many seconds. */
function hostile(): object {
  return { allOf: Array(32_000).fill(5) };
}

describe("an output_schema that create refuses", () => {
  let service: TestService;
  let connection: TestConnection;
  let before: Record<string, unknown>;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    before = await takeStock(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each([
    ["true", "true"],
    ["false", "false"],
    ["an array", "[]"],
    ["a string", '"object"'],
    ["a number", "1"],
    ["of an unknown type", '{"type":"objekt"}'],
    ["with a property that is not a schema", '{"properties":{"a":"string"}}'],
    ["with properties that are an array", '{"properties":["a"]}'],
    ["with required that is a boolean", '{"properties":{"a":{"required":true}}}'],
    ["with an invalid pattern", '{"pattern":"("}'],
    ["with an invalid property pattern", '{"patternProperties":{"[":{}}}'],
    ["with a $ref to nothing", '{"$ref":"#/$defs/nothing"}'],
    ["with a $ref to another server", '{"$ref":"https://schemas.example/order.json"}'],
    ["with a $ref to this service", '{"$ref":"http://127.0.0.1/openapi.json"}'],
    ["with a $ref to a file", '{"$ref":"file:///etc/passwd"}'],
    ["with a $ref relative to a remote $id", '{"$id":"https://schemas.example/a","$ref":"b"}'],
    ["with a $ref that is not a URL", '{"$ref":"%"}'],
    ["with a $ref that is a number", '{"$ref":5}'],
    ["of draft 7", '{"$schema":"http://json-schema.org/draft-07/schema#"}'],
    ["of an unknown draft", '{"$schema":"https://schemas.example/draft"}'],
    ["with a $schema that is a number", '{"$schema":5}'],
    ["with an $id that is a number", '{"$id":5}'],
    ["with one $id in two places", '{"$defs":{"a":{"$id":"https://a.example/"},"b":{"$id":"https://a.example/"}}}'],
    ["33 levels deep", JSON.stringify(nested(33))],
    ["33 levels deep in data", JSON.stringify({ const: nested(32) })],
    ["100,000 levels deep", `${'{"not":'.repeat(1e5)}{}${"}".repeat(1e5)}`],
    ["100,000 arrays deep", `{"enum":${"[".repeat(1e5)}${"]".repeat(1e5)}}`],
    ["one byte too large", JSON.stringify(padded(65_537))],
    ["too large in bytes, not in characters", JSON.stringify({ title: "é".repeat(33_000) })],
    ["of half a megabyte", JSON.stringify(wide(500_000))],
    ["with NUL in a key", '{"properties":{"a\\u0000":{}}}'],
    ["with NUL in a value", '{"title":"a\\u0000"}'],
    ["with a lone surrogate in a key", '{"properties":{"\\ud800":{}}}'],
    ["with a lone surrogate in a value", '{"enum":[["\\udfff"]]}'],
    ["with a number that JSON cannot represent", '{"maximum":1e999}'],
  ])("is one %s", async (_name, schema) => {
    const answer = await sendRaw(service.url, {
      method: "POST",
      target: TEMPLATE.replace("{applicationId}", connection.applicationId),
      headers: [bearer(connection), JSON_TYPE, ["idempotency-key", "schema"]],
      body: `{"prompt":"x","output_schema":${schema}}`,
    });
    expectRefusal(answer, { status: 400, code: "INVALID_REQUEST", details: ["output_schema"] });
    expectContract(TEMPLATE, "POST", answer.status, JSON.parse(answer.body));
  });

  it("leaves no trace, and its Idempotency-Key free", async () => {
    expect(await takeStock(service)).toEqual(before);
    expectNothingBroke(service);
    await createApi(service.url, connection).created({ prompt: "x" }, { "idempotency-key": "schema" });
  });
});

describe("an output_schema that create accepts", () => {
  let service: TestService;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
    api = createApi(service.url, await service.connect());
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each<[string, object]>([
    ["an empty one", {}],
    ["one 32 levels deep", nested(32)],
    ["one of exactly 64 KiB", padded(65_536)],
    ["one of nearly 64 KiB with thousands of properties", wide(65_536)],
    ["one that names its draft", { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" }],
    [
      "one that refers to itself",
      { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } },
    ],
    ["one with custom keywords", { type: "object", "x-order": ["a"], "x-deep": { any: [1, null] } }],
    ["one with a property called constructor", { properties: { constructor: { type: "string" }, toString: {} } }],
  ])("is %s, and is returned as it was sent", async (_name, schema) => {
    const { id } = await api.created({ prompt: "x", output_schema: schema });
    expect((await api.get(id)).body.execution.output_schema).toEqual(schema);
  });

  it("is one whose $id was used before by a different schema", async () => {
    const ids = [{ type: "string" }, { type: "number" }].map((part) => ({
      $id: "https://schemas.example/order",
      $defs: { part: { $id: "https://schemas.example/part", ...part } },
      $ref: "part",
    }));
    for (const schema of ids) await api.created({ prompt: "x", output_schema: schema });
  });
});

describe("a hostile output_schema", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it("is refused, and requests without a schema are answered first", async () => {
    const attacker = createApi(service.url, await service.connect());
    const neighbour = createApi(service.url, await service.connect());
    const finished: string[] = [];
    const attack = attacker.create({ prompt: "x", output_schema: hostile() }).finally(() => finished.push("attack"));
    for (let round = 1; round <= 5; round += 1) {
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      await neighbour.list();
      await neighbour.created();
      finished.push("others");
    }
    const answer = await attack;
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST" } } });
    expect(answer.body.error.details).toEqual([{ path: "output_schema", message: expect.any(String) }]);
    expect(finished).toEqual([...Array(5).fill("others"), "attack"]);
    expectNothingBroke(service);
  });

  it("does not affect other schemas that come after it", async () => {
    const attacker = createApi(service.url, await service.connect());
    const neighbour = createApi(service.url, await service.connect());
    const metaSchema = "https://json-schema.org/draft/2020-12/schema";
    for (const schema of [{ $id: metaSchema }, { $defs: { a: { $id: metaSchema } } }, { $id: "__proto__" }]) {
      await attacker.create({ prompt: "x", output_schema: schema });
      await neighbour.created({ prompt: "x", output_schema: { $schema: metaSchema, type: "object" } });
      await neighbour.created({ prompt: "x", output_schema: { type: "object" } });
    }
  });

  it("does not share its definitions with others", async () => {
    const attacker = createApi(service.url, await service.connect());
    const neighbour = createApi(service.url, await service.connect());
    const id = "https://schemas.example/lent";
    await attacker.created({ prompt: "x", output_schema: { $id: id, $defs: { deep: { $id: `${id}/deep` } } } });
    for (const $ref of [id, `${id}/deep`]) {
      expect(await neighbour.create({ prompt: "x", output_schema: { $ref } })).toMatchObject({ status: 400 });
    }
  });
});
