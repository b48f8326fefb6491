import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOutputSchemaChecker, type OutputSchemaChecker } from "../../src/executions/output-schema-checker.ts";

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

describe("the output schema checker", () => {
  /** With a long deadline, so that the result does not depend on the machine's load. */
  let checker: OutputSchemaChecker;
  /** With the service's own deadline. */
  let strict: OutputSchemaChecker;

  beforeAll(() => {
    checker = createOutputSchemaChecker({ deadlineMs: 60_000 });
    strict = createOutputSchemaChecker();
  });
  afterAll(async () => {
    await checker[Symbol.asyncDispose]();
    await strict[Symbol.asyncDispose]();
  });

  const findProblem = (schema: object, requester = "somebody") => checker.findProblem(schema, requester);

  const order = {
    $schema: DRAFT,
    title: "Order",
    description: "The newest order.",
    type: "object",
    properties: {
      number: { type: "string", pattern: "^[A-Z]{2}-\\d+$", examples: ["AB-12"] },
      total: { type: "number", minimum: 0, multipleOf: 0.01 },
      lines: { type: "array", items: { type: "object", properties: { name: { type: "string" } } }, minItems: 1 },
      state: { enum: ["open", "sent", null] },
      kind: { const: "order" },
      note: { anyOf: [{ type: "string", maxLength: 200 }, { type: "null" }] },
    },
    required: ["number", "total"],
    additionalProperties: false,
  };
  const tree = {
    $defs: { node: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } } },
    $ref: "#/$defs/node",
  };

  it.each<[string, object]>([
    ["an ordinary one", order],
    ["an empty one", {}],
    ["one for a list", { type: "array", items: { type: "string" }, uniqueItems: true }],
    ["one for text alone", { type: "string", minLength: 1 }],
    ["dates and URLs by format", { properties: { at: { format: "date-time" }, link: { format: "uri" } } }],
    ["an unknown format", { type: "string", format: "order-number" }],
    ["unknown keywords", { type: "object", "x-order": 1, propertyOrder: ["a"], widget: { any: [1] } }],
    ["definitions", { $defs: { money: { type: "number" } }, properties: { total: { $ref: "#/$defs/money" } } }],
    ["definitions by their old name", { definitions: { a: { type: "number" } }, items: { $ref: "#/definitions/a" } }],
    ["a definition that refers to itself", tree],
    ["one that refers to itself as a whole", { properties: { parent: { $ref: "#" } } }],
    ["one that refers to itself by its $id", { $id: "https://a.example/s", properties: { up: { $ref: "s" } } }],
    ["a reference to an anchor", { $defs: { a: { $anchor: "money", type: "number" } }, items: { $ref: "#money" } }],
    ["a reference to an $id inside", { $defs: { a: { $id: "https://a.example/a" } }, $ref: "https://a.example/a" }],
    ["tuples and conditions", { prefixItems: [{}, {}], if: { minItems: 2 }, else: { items: false } }],
    ["unevaluated properties", { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }],
    ["patterns with Unicode", { pattern: "^\\p{Lu}", patternProperties: { "^ä+$": true } }],
    ["properties named like object methods", { properties: { constructor: {}, hasOwnProperty: {}, toString: {} } }],
    ["a pattern that is slow to match, which is not matched here", { pattern: "^(a+)+$" }],
    ["3,000 properties", { properties: Object.fromEntries(names(3_000).map((name) => [name, { type: "string" }])) }],
    ["3,000 enum values", { enum: names(3_000) }],
  ])("accepts %s", async (_name, schema) => {
    expect(await findProblem(schema)).toBeNull();
  });

  it.each<[string, object, string]>([
    ["an unknown type", { type: "objekt" }, "type"],
    ["a property that is not a schema", { properties: { total: "number" } }, "properties/total"],
    ["a bound that is not a number", { minimum: "0" }, "minimum"],
    ["a list of items, as in older drafts", { items: [{ type: "string" }] }, "items"],
    ["an empty enum", { enum: [] }, "enum"],
    ["an invalid pattern", { pattern: "(" }, "regular expression: /(/"],
    ["an invalid property pattern", { patternProperties: { "[": {} } }, "regular expression: /[/"],
    ["a reference to nothing", { items: { $ref: "#/$defs/money" } }, "#/$defs/money"],
    ["a reference to another host", { $ref: "https://schemas.example/a.json" }, "https://schemas.example/a.json"],
    [
      "another draft",
      { $schema: "http://json-schema.org/draft-07/schema#" },
      "http://json-schema.org/draft-07/schema#",
    ],
    ["an $id that is not a string", { $id: 5 }, "$id"],
    ["the id of JSON Schema itself", { $id: DRAFT, type: "object" }, DRAFT],
    ["$async, which would turn every later check into a promise", { $async: true, type: "object" }, "$async"],
  ])("refuses %s and names it", async (_name, schema, named) => {
    const problem = await findProblem(schema);
    expect(problem).toMatch(/^is not a usable JSON Schema: /);
    expect(problem).toContain(named);
  });

  it("keeps its messages short", async () => {
    const problem = await findProblem({ required: Array(1_000).fill(5), title: 5 });
    expect(problem).toMatch(/^is not a usable/);
    expect(problem?.length).toBeLessThan(400);
  });

  it("handles many at once, each with its own result", async () => {
    const schemas = names(40).map((name, index) => (index % 2 === 0 ? { title: name } : { $ref: `#/${name}` }));
    const problems = await Promise.all(schemas.map((schema, index) => findProblem(schema, `requester ${index}`)));
    for (const [index, problem] of problems.entries()) {
      if (index % 2 === 0) expect(problem).toBeNull();
      else expect(problem).toContain(`#/p${index}`);
    }
  });

  it("shares nothing between schemas", async () => {
    const id = "https://schemas.example/kept";
    for (const part of [{ type: "string" }, { type: "number" }, { type: "string" }]) {
      expect(await findProblem({ $id: id, $defs: { a: { $id: `${id}/a`, ...part } }, $ref: "kept/a" })).toBeNull();
    }
    for (const $ref of [id, `${id}/a`]) expect(await findProblem({ $ref })).toContain($ref);
  });

  it("is not affected by a schema with the id of JSON Schema itself", async () => {
    for (const schema of [{ $id: DRAFT }, { $defs: { a: { $id: DRAFT } } }, { $id: `${DRAFT}#` }]) {
      await findProblem(schema);
      // A new schema, so that no cached result is used.
      expect(await findProblem({ type: "objekt", $comment: JSON.stringify(schema) })).toContain("type");
      expect(await findProblem({ ...order, $comment: JSON.stringify(schema) })).toBeNull();
    }
  });

  it("gives up on a hostile schema and continues with the ones queued behind it", async () => {
    const answers: string[] = [];
    const note = (name: string) => (problem: string | null) => answers.push(`${name}: ${problem}`);
    await Promise.all([
      strict.findProblem({ allOf: Array(32_000).fill(5) }, "somebody").then(note("hostile")),
      strict.findProblem({ ...order, $comment: "behind" }, "somebody").then(note("behind")),
      strict
        .findProblem({ type: "objekt", $comment: "last" }, "somebody")
        .then((problem) => answers.push(`last: ${problem?.slice(0, 15)}`)),
    ]);
    expect(answers).toEqual(["hostile: is too complex to be checked", "behind: null", "last: is not a usable"]);
  });

  it("survives a thousand circular references", async () => {
    const $defs = Object.fromEntries(
      names(1_000).map((name, index) => [name, { $ref: `#/$defs/p${(index * 7) % 1_000}` }]),
    );
    await strict.findProblem({ $defs, allOf: names(1_000).map((name) => ({ $ref: `#/$defs/${name}` })) }, "somebody");
    expect(await strict.findProblem(order, "somebody")).toBeNull();
  });

  it("checks one schema of each requester at a time, so that none blocks the others", async () => {
    const answers: string[] = [];
    const ask = (requester: string, schema: object) =>
      checker.findProblem(schema, requester).then(() => answers.push(requester));
    await Promise.all([
      ...names(3).map((name) => ask("greedy", { $comment: name, properties: { [name]: {} } })),
      ask("modest", { $comment: "modest" }),
    ]);
    expect(answers.indexOf("modest")).toBeLessThan(2);
  });

  it("limits how many schemas a requester can queue, and says when to retry", async () => {
    const results = await Promise.allSettled(
      names(30).map((name) => checker.findProblem({ $comment: `pile ${name}` }, "piler")),
    );
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(10);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: "RATE_LIMITED", retryAfterSeconds: 5 });
    expect(await checker.findProblem({ $comment: "afterwards" }, "piler")).toBeNull();
  });

  it("accepts matching data, and names every path where other data does not match", async () => {
    expect(await checker.findDataProblems(order, { number: "AB-1", total: 2.5 })).toEqual([]);
    expect(await checker.findDataProblems(order, { number: "x", total: -1, more: 1 })).toEqual([
      expect.stringMatching(/^\/ .*additional properties/),
      expect.stringMatching(/^\/number .*pattern/),
      expect.stringMatching(/^\/total .*>= 0/),
    ]);
  });

  it("gives up on data that a pattern never finishes matching, and does not accept it", async () => {
    const endless = strict.findDataProblems({ pattern: "^(a+)+$" }, `${"a".repeat(60)}!`);
    const behind = strict.findDataProblems(order, { number: "AB-1", total: 1 });
    expect(await endless).toEqual([expect.stringContaining("could not be checked")]);
    expect(await behind).toEqual([]);
  });

  it("does not modify the schema", async () => {
    const given = { $id: "https://a.example/given", properties: { a: { default: 1 } } };
    const copy = structuredClone(given);
    await findProblem(given);
    expect(given).toEqual(copy);
  });
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `p${index}`);
}
