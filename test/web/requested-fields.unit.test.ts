import { expect, test } from "vitest";
import {
  type Field,
  findFieldProblem,
  fromOutputSchema,
  type RequestedData,
  toOutputSchema,
} from "../../web/src/pages/new-errand/requested-fields.ts";

const FIELDS: readonly Field[] = [
  { name: "name", type: "text", isRequired: true },
  { name: "Price with VAT", type: "number", isRequired: false },
  { name: "inStock", type: "boolean", isRequired: true },
  { name: "due", type: "date", isRequired: false },
  { name: "page", type: "url", isRequired: false },
];

test.each([true, false])("fields become a schema, and the schema the same fields again (list: %s)", (isList) => {
  const data: RequestedData = { kind: "fields", isList, fields: FIELDS };
  expect(fromOutputSchema(toOutputSchema(data))).toEqual(data);
});

test("a simple schema that somebody wrote is shown as fields", () => {
  const schema = { type: "object", required: ["price"], properties: { price: { type: "number" } } };
  expect(fromOutputSchema(schema)).toEqual({
    kind: "fields",
    isList: false,
    fields: [{ name: "price", type: "number", isRequired: true }],
  });
});

test.each([
  { type: "array", items: { type: "string" } },
  { type: "object", properties: { size: { enum: ["S", "M"] } } },
  { type: "object", properties: { price: { type: "number", minimum: 0 } } },
  { type: "object", properties: { maker: { type: "object", properties: { name: { type: "string" } } } } },
  { type: "object", properties: { price: { type: "number" } }, additionalProperties: true },
  { $ref: "#/$defs/x", $defs: { x: { type: "object" } } },
  {},
])("a schema that fields cannot show stays as it is: %j", (schema) => {
  const data = fromOutputSchema(schema);
  expect(data.kind).toBe("schema");
  expect(toOutputSchema(data)).toEqual(schema);
});

test("nothing requested is no schema", () => {
  expect(toOutputSchema(fromOutputSchema(null))).toBeNull();
  expect(toOutputSchema({ kind: "schema", text: " \n" })).toBeNull();
});

test("mistakes are found before anything is sent", () => {
  const named = (...names: string[]): RequestedData => ({
    kind: "fields",
    isList: false,
    fields: names.map((name) => ({ name, type: "text", isRequired: true })),
  });
  expect(findFieldProblem(named("a", "b"))).toBeNull();
  expect(findFieldProblem(named("a", " "))).toMatch(/Give each field a name/);
  expect(findFieldProblem(named("Unit price", "unit_price"))).toMatch(/Two fields are named “unit_price”/);
  expect(findFieldProblem({ kind: "schema", text: "[]" })).toMatch(/not valid JSON/);
  expect(findFieldProblem({ kind: "schema", text: '{"type":"object"}' })).toBeNull();
});
