import { describe, expect, it } from "vitest";
import { generateTypes } from "../../scripts/generate-sdk-types.ts";
import type { OpenApi } from "../../scripts/openapi-document.ts";

function typeOf(schema: object): string | undefined {
  const text = generateTypes({ components: { schemas: { Thing: schema } } } as OpenApi);
  return /^export type Thing = (.*?);\n\n/ms.exec(text)?.[1];
}

describe("types generated from a JSON Schema", () => {
  it.each([
    [{ type: "string", format: "uuid" }, "string"],
    [{ type: "integer" }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
    [{ const: "a" }, '"a"'],
    [{}, "unknown"],
    [{ $ref: "#/components/schemas/Other" }, "Other"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
    [{ type: "array", items: { oneOf: [{ type: "string" }, { type: "number" }] } }, "Array<string | number>"],
    [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
    [{ type: "object", additionalProperties: { type: "string" } }, "Record<string, string>"],
    [{ type: "object", additionalProperties: true }, "{\n  [name: string]: unknown;\n}"],
    [{ type: "object", properties: {}, additionalProperties: false }, "Record<string, never>"],
    [
      { type: "object", properties: { "a-b": { type: "string" }, c: {} }, required: ["c"] },
      '{\n  "a-b"?: string;\n  c: unknown;\n}',
    ],
    [{ properties: { a: { description: "An a. */", const: 1 } } }, "{\n  /** An a. *\\/ */\n  a?: 1;\n}"],
    [
      {
        type: "object",
        discriminator: {},
        oneOf: [{ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/B" }],
      },
      "A | B",
    ],
    [
      { allOf: [{ $ref: "#/components/schemas/A" }, { anyOf: [{ type: "string" }, { type: "null" }] }] },
      "A & (string | null)",
    ],
  ])("%j", (schema, expected) => {
    expect(typeOf(schema)).toBe(expected);
  });

  it.each([{ $ref: "#/elsewhere" }, { type: "text" }])("refuses what it does not understand: %j", (schema) => {
    expect(() => typeOf(schema)).toThrow();
  });

  it("has the query, the body and the responses of each operation", () => {
    const json = (schema: object) => ({ content: { "application/json": { schema } } });
    const text = generateTypes({
      components: { parameters: { Limit: { in: "query", name: "limit", schema: { type: "integer" } } } },
      paths: {
        "/things": {
          post: {
            operationId: "createThing",
            parameters: [{ $ref: "#/components/parameters/Limit" }, { in: "path", name: "id", schema: {} }],
            requestBody: json({ type: "string" }),
            responses: { 200: json({ type: "number" }), 201: json({ type: "boolean" }), 400: json({ type: "null" }) },
          },
          delete: { operationId: "deleteThings", responses: { 204: {} } },
        },
      },
    } as unknown as OpenApi);
    expect(text).toContain(
      "createThing: {\n    query: {\n      limit?: number;\n    };\n    body: string;\n    response: number | boolean;\n  };",
    );
    expect(text).toContain("deleteThings: {\n    response: undefined;\n  };");
  });
});
