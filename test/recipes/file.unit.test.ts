import { describe, expect, it } from "vitest";
import { isStep } from "../../src/agent/steps/check-steps.ts";
import { InvalidSteps, parseStepFile } from "../../src/agent/steps/step-file.ts";
import type { RecipeBody } from "../../src/recipes/recipe.ts";
import {
  type FindStepsProblem,
  InvalidRecipe,
  parseRecipeFile,
  writeRecipeFile,
} from "../../src/recipes/recipe-file.ts";

const findStepsProblem: FindStepsProblem = (steps) => {
  try {
    parseStepFile(JSON.stringify({ steps }));
    return null;
  } catch (error) {
    if (!(error instanceof InvalidSteps)) throw error;
    return { message: error.message, step: steps.findIndex((step) => !isStep(step)) };
  }
};

const BODY: RecipeBody = {
  template: "Order <quantity> of <product> by <day>",
  start_url: "https://shop.example/",
  output_schema: { type: "object", properties: { number: { type: "string" } } },
  variables: { quantity: { kind: "number" }, product: { kind: "text", max_words: 4 }, day: { kind: "date" } },
  steps: [
    { fill: { target: { role: "field", name: "Search: all" }, value: "<product>" } },
    { collect: { list: "Products", where: [{ column: "Stock", at_least: "<quantity>" }], pages: "all" } },
    { for_each: { list: "Products" }, steps: [{ read: { label: "Price" } }, { expect: { text: "yes" } }] },
    { wait_for: { seconds: 2 } },
    { fill: { target: "Note", value: "on\ntwo lines: # no comment" } },
    { fill: { target: "Number", value: "007" } },
    { fill: { target: "Day", value: "by <day>" } },
  ],
  writes: ["POST /cart/items", "POST /orders/:id"],
};

const read = (text: string) => parseRecipeFile(text, findStepsProblem);

function problemOf(text: string): { message: string; line: number | null } {
  try {
    read(text);
  } catch (error) {
    if (error instanceof InvalidRecipe) return { message: error.message, line: error.line };
    throw error;
  }
  throw new Error("it was read");
}

describe("a recipe as a file", () => {
  it("is read as it was written", () => {
    expect(read(writeRecipeFile(BODY))).toEqual(BODY);
    const plain = { ...BODY, start_url: null, output_schema: null, writes: [], variables: {}, template: "Say hello." };
    const { steps, ...bare } = plain;
    const small = { ...bare, steps: [{ click: "Hello" }] };
    expect(steps).toHaveLength(7);
    expect(read(writeRecipeFile(small))).toEqual(small);
  });

  it("keeps the order of keys, of which the first says what a step does", () => {
    expect(JSON.stringify(read(writeRecipeFile(BODY)).steps)).toBe(JSON.stringify(BODY.steps));
  });

  it("says the kind of a variable in a word", () => {
    const text = writeRecipeFile(BODY);
    expect(text).toContain("  quantity: number\n");
    expect(text).toContain("template: Order <quantity> of <product> by <day>\n");
  });

  it("may be JSON", () => {
    expect(read(JSON.stringify(BODY))).toEqual(BODY);
  });

  const FILE = [
    "template: Order <quantity> of <product>",
    "variables:",
    "  quantity: number",
    "  product: { kind: text, max_words: 4 }",
    "steps:",
    "  - fill: { target: Search, value: <quantity> <product> }",
    "  - click: Order",
    "writes:",
    "  - POST /orders",
  ];
  const change = (line: number, text: string) => FILE.with(line - 1, text).join("\n");

  it.each([
    ["an unknown key", 8, "writez:", /"writez" cannot be there: a recipe has template/, 8],
    ["an unknown kind", 3, "  quantity: amount", /"variables.quantity" must be one of text, number/, 3],
    [
      "a variable that is not in the template",
      4,
      "  colour: text",
      /"variables.colour" is not in the template: <colour>/,
      4,
    ],
    [
      "a variable that no step uses",
      6,
      "  - fill: { target: Search, value: <product> }",
      /"variables.quantity" is in no step/,
      3,
    ],
    [
      "a slot without a variable",
      7,
      "  - click: <buton>",
      /"steps.number 2" has <buton>, which is not one of the var/,
      7,
    ],
    ["a bad name", 4, "  Product: text", /"variables.Product" is no name/, 4],
    [
      "a wrong number of words",
      4,
      "  product: { kind: text, max_words: 0 }",
      /"variables.product.max_words" must be/,
      4,
    ],
    ["a step that does not exist", 7, "  - clack: Order", /Step 2 is not a step. It has: clack/, 7],
    ["a step with a wrong field", 6, "  - fill: { target: Search, valu: x }", /Step 1 is not a valid "fill"/, 6],
    ["a step that is none", 7, "  - Order", /"steps.number 2" is not a step/, 7],
    ["something sent without a method", 9, "  - /orders", /"writes.number 1" must be a method/, 9],
    ["a template that is none", 1, "template: 3", /"template" must be the prompt/, 1],
    ["a start URL that is none", 8, "start_url: shop\nwrites:", /"start_url" must be an http/, 8],
    ["a key twice", 8, "template: again\nwrites:", /not valid YAML or JSON: map keys must be unique/, 8],
    ["a list that does not end", 6, "  - fill: { target: Search", /not valid YAML or JSON/, 7],
  ])("with %s names the place and the line", (_, line, text, message, at) => {
    const problem = problemOf(change(line, text));
    expect(problem.message).toMatch(message);
    expect(problem.line).toBe(at);
  });

  it("is refused when it is empty, a list or stands for more than it says", () => {
    expect(problemOf("").message).toMatch(/has these keys/);
    expect(problemOf("- click: Order").message).toMatch(/has these keys/);
    expect(problemOf(`a: &a [x]\n${change(7, "  - *a")}`).message).toMatch(/not valid YAML or JSON|cannot be there/);
  });

  it("has its steps checked with values of the right kind", () => {
    const text = change(7, '  - collect: { list: Products, where: [{ column: Stock, at_least: "<product>" }] }');
    expect(problemOf(text).message).toMatch(/needs a number/);
    expect(read(text.replace('<product>" }', '<quantity>" }')).steps).toHaveLength(2);
  });

  it("may have text in angle brackets that is no slot", () => {
    expect(read(change(7, "  - fill: { target: Note, value: some <b>bold</b> text }")).steps).toHaveLength(2);
  });
});
