import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { CreateExecution, ListExecutionsQuery } from "../../src/contract/execution-request.ts";
import { toErrorDetails } from "../../src/lib/schema-errors.ts";

const ajv = new Ajv2020({ allErrors: true, strict: false });

function problemsOf(schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema);
  expect(validate(value)).toBe(false);
  return toErrorDetails(validate.errors ?? [], "body").map(({ path, message }) => `${path} ${message}`);
}

const NUMBER = { type: "number" };
const TWO_OBJECTS = {
  properties: {
    value: {
      anyOf: [
        { type: "object", properties: { a: NUMBER, b: NUMBER }, required: ["a", "b"], additionalProperties: false },
        { type: "object", properties: { x: NUMBER, y: NUMBER }, required: ["x", "y"], additionalProperties: false },
      ],
    },
  },
};
const NESTED = {
  properties: { value: { anyOf: [{ anyOf: [{ type: "string" }, NUMBER] }, { type: "null" }] } },
};
const ITEMS = { type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } };

describe("what is wrong with a request", () => {
  test.each<[string, object, unknown, string[]]>([
    [
      "an optional value of another type",
      CreateExecution,
      { prompt: "x", start_url: 5 },
      ["start_url must be string or null"],
    ],
    [
      "a value of a list",
      CreateExecution,
      { prompt: "x", approval: "no" },
      ["approval must be never, commits or null"],
    ],
    [
      "another type than a list's",
      CreateExecution,
      { prompt: "x", approval: 5 },
      ["approval must be never, commits or null"],
    ],
    [
      "a state that does not exist",
      ListExecutionsQuery,
      { status: "failed" },
      ["status must be QUEUED, RUNNING, COMPLETED or FAILED"],
    ],
    [
      "a field inside an optional object",
      CreateExecution,
      { prompt: "x", metadata: { n: 1 } },
      ["metadata.n must be string"],
    ],
    [
      "a long value inside one",
      CreateExecution,
      { prompt: "x", metadata: { n: "v".repeat(501) } },
      ["metadata.n must not have more than 500 characters"],
    ],
    [
      "a long name",
      CreateExecution,
      { prompt: "x", metadata: { ["n".repeat(41)]: "v" } },
      [`metadata.${"n".repeat(41)} has a name that must not have more than 40 characters`],
    ],
    [
      "an empty name",
      CreateExecution,
      { prompt: "x", metadata: { "": "v" } },
      ["metadata has a name that must not have fewer than 1 characters"],
    ],
    [
      "two mistakes",
      CreateExecution,
      { promt: "x", start_url: [] },
      ["prompt is required", "promt is not a known field", "start_url must be string or null"],
    ],
    ["the whole body", CreateExecution, [], ["body must be object"]],
    ["the nearest of two objects", TWO_OBJECTS, { value: { x: 1, y: "1" } }, ["value.y must be number"]],
    ["a union in a union", NESTED, { value: true }, ["value must be string, number or null"]],
    ["each item of a list", ITEMS, [1, null, "a"], ["0 must be string or null"]],
  ])("names %s once", (_name, schema, value, problems) => {
    expect(problemsOf(schema, value)).toEqual(problems);
  });

  test("has an end", () => {
    const value = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 1]));
    expect(problemsOf(CreateExecution, value)).toHaveLength(20);
  });
});
