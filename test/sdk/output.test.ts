import { Type } from "typebox";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { CompletedExecution } from "../../packages/sdk/src/api.ts";
import type { Errand } from "../../packages/sdk/src/errand.ts";
import { OutputInvalid } from "../../packages/sdk/src/errors.ts";
import { type Extracted, toJsonSchema, validateOutput } from "../../packages/sdk/src/output.ts";

const PRICE = { type: "object", properties: { price: { type: "number" } }, required: ["price"] } as const;

function completed(extracted: unknown): CompletedExecution {
  return { status: "COMPLETED", result: { final_text: "", extracted } } as CompletedExecution;
}

describe("the schema that is sent", () => {
  it("is what zod makes of it, for the data before its transformations", () => {
    const schema = z.object({ price: z.string().transform(Number), note: z.string().default("none") });
    expect(toJsonSchema(schema)).toEqual({
      type: "object",
      properties: { price: { type: "string" }, note: { type: "string", default: "none" } },
      required: ["price"],
    });
  });

  it("is a JSON Schema or a TypeBox type as it is", () => {
    expect(toJsonSchema(PRICE)).toEqual(PRICE);
    const sent = JSON.parse(JSON.stringify(toJsonSchema(Type.Object({ price: Type.Number() }))));
    expect(sent).toEqual(PRICE);
  });

  it("is what any Standard JSON Schema returns, also of a function", () => {
    const schema = Object.assign(() => {}, {
      "~standard": {
        version: 1 as const,
        vendor: "other",
        jsonSchema: { input: ({ target }: { target: string }) => ({ $comment: target }) },
      },
    });
    expect(toJsonSchema(schema)).toEqual({ $comment: "draft-2020-12" });
  });

  it("cannot be made of types that JSON does not have", () => {
    expect(() => toJsonSchema(z.object({ day: z.date() }))).toThrow(TypeError);
    expect(() => toJsonSchema(z.object({ day: z.date() }))).toThrow(/Date.* z\.iso\.date\(\)/);
    expect(toJsonSchema(z.object({ day: z.iso.date() }))).toMatchObject({ properties: { day: { format: "date" } } });
  });

  it("cannot be made of a Standard Schema that has no JSON Schema", () => {
    const old = { "~standard": { version: 1, vendor: "zod", validate: () => ({ value: null }) } };
    expect(() => toJsonSchema(old)).toThrow(/zod can from 4\.2 on/);
  });
});

describe("the data that comes back", () => {
  it("is validated and transformed by the schema", async () => {
    const schema = z.object({ price: z.string().transform(Number), note: z.string().default("none") });
    const { result } = await validateOutput(completed({ price: "64.9" }), schema);
    expect(result.extracted).toEqual({ price: 64.9, note: "none" });
  });

  it("is rejected with the place and the execution when it does not fit", async () => {
    const schema = z.object({
      items: z.array(z.object({ price: z.number().refine((price) => price < 10, "too much") })),
    });
    const execution = completed({ items: [{ price: 1 }, { price: 11 }] });
    const failure = await validateOutput(execution, schema).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(OutputInvalid);
    expect(failure).toMatchObject({ issues: [{ path: "/items/1/price", message: "too much" }], execution });
  });

  it("is left alone when the schema cannot validate", async () => {
    expect((await validateOutput(completed({ price: "no number" }), PRICE)).result.extracted).toEqual({
      price: "no number",
    });
  });
});

// Checked by tsc.
describe("the type of the data", () => {
  it("is that of the schema", () => {
    const zod = z.object({ price: z.string().transform(Number) });
    expectTypeOf<Extracted<typeof zod>>().toEqualTypeOf<{ price: number }>();

    const typebox = Type.Object({
      name: Type.String(),
      sizes: Type.Optional(Type.Array(Type.Integer())),
      color: Type.Union([Type.Literal("red"), Type.Null()]),
    });
    expectTypeOf<Extracted<typeof typebox>>().toEqualTypeOf<{ name: string; sizes?: number[]; color: "red" | null }>();
    expectTypeOf<Extracted<typeof PRICE>>().toEqualTypeOf<{ price: number }>();
  });

  it("is known where the schema is written inline, and unknown without one", () => {
    const check = async ({ executions }: Errand) => {
      const inline = await executions.createAndWait({
        prompt: "",
        output: {
          type: "object",
          properties: { rows: { type: "array", items: { type: ["string", "null"] } }, kind: { enum: ["a", "b"] } },
          required: ["rows"],
        },
      });
      expectTypeOf(inline.result.extracted).toEqualTypeOf<{ rows: (string | null)[]; kind?: "a" | "b" }>();
      const without = await executions.createAndWait({ prompt: "" });
      expectTypeOf(without.result.extracted).toEqualTypeOf<unknown>();
      expectTypeOf(without.result.final_text).toEqualTypeOf<string>();
    };
    expect(check).toBeTypeOf("function");
  });
});
