import { describe, expect, test } from "vitest";
import { InvalidSteps, isStepFile, parseStepFile } from "../../../src/agent/steps/step-file.ts";

function problemOf(text: string): string {
  try {
    parseStepFile(text);
  } catch (error) {
    if (error instanceof InvalidSteps) return error.message;
    throw error;
  }
  throw new Error("The file was accepted.");
}

/** In milliseconds of CPU, so that a busy machine does not count. */
function cpuOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

const YAML = `
# The price of the cheapest lamps
start_url: https://shop.example/
steps:
  - fill: { target: { role: search field }, value: lamp, submit: true }
  - collect:
      list: products
      where:
        - { column: price, less_than: 20 }
  - if: { text: Try again }
    steps:
      - reload: true
`;

describe("a file of steps", () => {
  const steps = [
    { fill: { target: { role: "search field" }, value: "lamp", submit: true } },
    { collect: { list: "products", where: [{ column: "price", less_than: 20 }] } },
    { if: { text: "Try again" }, steps: [{ reload: true }] },
  ];

  test("is YAML or JSON", () => {
    const file = { start_url: "https://shop.example/", steps };
    expect(parseStepFile(YAML)).toEqual(file);
    expect(parseStepFile(JSON.stringify(file))).toEqual(file);
    expect(parseStepFile(JSON.stringify(file, null, 2))).toEqual(file);
  });

  test.each([
    YAML,
    JSON.stringify({ steps }),
    "---\nsteps: []",
    "# a\n# b\n\nsteps:\n",
    '{ "start_url": "/" }',
    "steps: [",
  ])("is told from English: %#", (text) => {
    expect(isStepFile(text)).toBe(true);
  });

  test.each(["Click steps: 1", "List the steps.", "Steps", "", "{", `${"# a\n".repeat(5_000)}`, " ".repeat(20_000)])(
    "is told from English by its first key only: %#",
    (text) => {
      expect(isStepFile(text)).toBe(false);
    },
  );

  test("may have a step that is not plain text in YAML", () => {
    expect(parseStepFile("steps:\n  - fill: { target: Code, value: 007 }\n").steps).toEqual([
      { fill: { target: "Code", value: 7 } },
    ]);
    expect(parseStepFile('steps:\n  - fill: { target: Code, value: "007" }\n').steps).toEqual([
      { fill: { target: "Code", value: "007" } },
    ]);
  });
});

describe("a bad file is refused with the step and the reason", () => {
  test.each([
    ["steps: [{ goto: / }, { klick: Save }]", /^Step 2 is not a step\. It has: klick\. .*click/],
    ["steps: [{ goto: / }, Click Save]", /^Step 2 is not a step\..*click/],
    ["steps: [[]]", /^Step 1 is not a step/],
    ["steps: [{}]", /^Step 1 is not a step/],
    ["steps: [{ click: 3 }]", /^Step 1 is not a valid "click": click must be/],
    ["steps: [{ click: { role: link, nam: Save } }]", /^Step 1 is not a valid "click": click cannot have nam\./],
    ["steps: [{ click: Save, goto: / }]", /^Step 1 .*cannot have goto/],
    ["steps: [{ fill: { target: Name } }]", /^Step 1 is not a valid "fill": fill needs value\./],
    ["steps: [{ scroll: left }]", /^Step 1 .*scroll must be one of down, up, bottom, top\./],
    ["steps: [{ wait_for: { seconds: 600 } }]", /^Step 1 .*wait_for\.seconds must be at most 60\./],
    [
      "steps: [{ collect: { where: [{ colum: price, is: 1 }] } }]",
      /^Step 1 .*number 1 of collect\.where cannot have colum\./,
    ],
    ["steps: [{ edit: { target: A, append: x, clear: true } }]", /"append" and "clear" cannot be used together/],
    ["steps: [{ edit: { target: A, replace: x } }]", /"replace" needs "with"/],
    ["steps: [{ edit: { target: A, insert: x } }]", /"insert" needs "after"/],
    ["steps: [{ edit: { target: A, all: true } }]", /needs one of "replace", "insert", "append", "clear"/],
    ["steps: [{ read: { label: Price, heading: true } }]", /"label" and "heading" cannot be used together/],
    ["steps: [{ read: { label: Price, row: A, column: B } }]", /"label" and "row" cannot be used together/],
    ["steps: [{ read: { row: A } }]", /"row" needs "column"/],
    ["steps: [{ read: { label: A, verb: seat } }]", /"verb" needs "number_of"/],
    ["steps: [{ read: {} }]", /it needs "label"/],
    ["steps: [{ press: Foo+Bar }]", /"press" needs a key/],
    ["steps: [{ press: { key: Click, target: A } }]", /"press" needs a key/],
    ["steps: [{ collect: { list: a, count: true, nth: 2 } }]", /"count" and "nth" cannot be used together/],
    ["steps: [{ collect: { list: a, nth: 1, limit: 2 } }]", /"nth" and "limit" cannot be used together/],
    ["steps: [{ collect: { where: [{ column: price, less_than: cheap }] } }]", /"less_than" needs a number/],
    ["steps: [{ collect: { where: [{ column: placed, before: soon }] } }]", /"before" needs a date/],
    ["steps: [{ collect: { where: [{ column: price }] } }]", /"price" is compared with nothing/],
    ["steps: [{ expect: { field: Name } }]", /"field" needs "value"/],
    ["steps: [{ wait_for: { text: a, gone: b } }]", /"text" and "gone" cannot be used together/],
    ["steps: [{ dialog: dismiss, text: a }]", /"text" is only for "accept"/],
    ["steps: [{ click: { name: a, nth: 0 } }]", /positions begin with 1/],
    ["steps: [{ click: { name: a, within: { row: b, form: c } } }]", /"row" and "form" cannot be used together/],
    ["steps: [{ if: { text: a }, steps: [{ press: Foo }] }]", /^Step 1, Step 1 is not a valid "press"/],
    ['steps: [{ goto: "" }]', /^Step 1 .*goto must not have fewer/],
    ["steps: [{ if: { text: a }, steps: [{ reload: true }, { klick: b }] }]", /^Step 1, Step 2 is not a step/],
    ["steps: [{ if: { text: a }, steps: [] }]", /^Step 1 is not a valid "if"/],
    ["steps: [{ if: { text: a } }]", /^Step 1 is not a valid "if": the step needs steps\./],
    ["steps: [{ if: { txt: a }, steps: [{ reload: true }] }]", /^Step 1 is not a valid "if": if cannot have txt\./],
    ["steps: []", /1 to 200 steps/],
    ["steps: click", /must have a list "steps"/],
    ["start_url: /", /must have a list "steps"/],
    ["steps: [{ reload: true }]\nstep: 1", /only "start_url"/],
    ["steps: [{ reload: true }]\nstart_url: 3", /only "start_url"/],
    ["steps: [", /not valid YAML or JSON/],
    [`steps: ${"[".repeat(200)}`, /the brackets are nested too deeply, on line 1\.$/],
    ["steps: ]", /"\]" closes nothing, on line 1\.$/],
    [`steps:\n${"- back\n".repeat(5_000)}`, /there are too many keys and values, on line \d+\.$/],
    [`steps:\n  ${"- ".repeat(2_400)}x\nb: 1\n`, /the indentation is too deep, on line 2\.$/],
    ["steps:\n- click: &a Save\n- click: *a", /aliases \(\*a\) are not allowed, on line 3\.$/],
    ["steps:\n- click: Save\n---\nsteps: []", /there is more than one document, on line 3\.$/],
    ["steps: [{ click: { ? [a] : b } }]", /not valid YAML or JSON: .*keys must be strings/],
    ["steps: [{ click: { 1: a, '1': b } }]", /map keys must be unique/],
    ["steps:\n  - goto: /\n - click: a", /not valid YAML or JSON/],
    ["steps: [{ reload: true }]\nsteps: [{ back: true }]", /not valid YAML or JSON: map keys must be unique/],
    ["steps: [{ click: { name: a, name: b } }]", /not valid YAML or JSON: map keys must be unique/],
    ["", /must have a list "steps"/],
  ])("%s", (text, message) => {
    expect(problemOf(text)).toMatch(message);
    expect(problemOf(text).length).toBeLessThan(600);
  });
});

const LIMIT = 20_000;
const fillUp = (head: string, unit: string, tail = "") =>
  head + unit.repeat(Math.floor((LIMIT - head.length - tail.length) / unit.length)) + tail;

/** Ten lines that stand for 9¹⁰ nodes. */
const BOMB = [
  "a0: &a0 [x, x, x, x, x, x, x, x, x]",
  ...Array.from({ length: 10 }, (_, index) => {
    const alias = `*a${index}`;
    return `a${index + 1}: &a${index + 1} [${Array(9).fill(alias).join(", ")}]`;
  }),
  "steps: *a10",
].join("\n");

const HOSTILE: readonly (readonly [string, string])[] = [
  ["an alias", "steps: &a [{ reload: true }]\nstart_url: *a"],
  ["an alias to itself", "steps: &a [*a]"],
  ["an alias bomb", BOMB],
  ["a merge key", "a: &a { click: x }\nsteps: [{ <<: *a }]"],
  ["the key __proto__", 'steps: [{ "__proto__": { "click": "x" } }]'],
  ["the key __proto__ at the top", '{ "steps": [{ "reload": true }], "__proto__": { "start_url": "/" } }'],
  ["the key constructor", "steps: [{ constructor: { prototype: { click: x } } }]"],
  ["the key toString", "steps: [{ toString: x }]"],
  ["a key that is a list", "steps: [{ [click]: x }]"],
  ["a tag", "steps: !!js/function 'function () {}'"],
  ["binary data", "steps: !!binary aGVsbG8="],
  ["a set", "steps: !!set { ? a }"],
  ["two documents", "steps: [{ reload: true }]\n---\nsteps: [{ back: true }]"],
  ["deep lists", fillUp("steps: ", "[")],
  ["deep lists that end", `steps: ${"[".repeat(9_000)}${"]".repeat(9_000)}`],
  ["deep maps", fillUp("steps: ", "{a: ")],
  ["deep sequences", fillUp("steps:\n", "- ")],
  ["deep steps", `steps: [${"{ if: { text: a }, steps: [".repeat(500)}{ klick: x }${"] }".repeat(500)}]`],
  ["many steps", fillUp("steps:\n", "- reload: true\n")],
  ["many bad steps", fillUp("steps:\n", "- x: 1\n")],
  ["many keys", `steps:\n${Array.from({ length: 1_500 }, (_, index) => `  k${index}: 1`).join("\n")}`],
  ["many anchors", `steps:\n${Array.from({ length: 1_500 }, (_, index) => `- &a${index} b`).join("\n")}`],
  ["an open quotation", fillUp('steps: "', "a ")],
  ["many quotation marks", fillUp("steps: ", '"')],
  ["many comments", fillUp("steps: [{ x: 1 }]\n", "# a\n")],
  ["many lines", fillUp("steps: x", "\n")],
  ["a long key", fillUp("steps: [{ ", "k", ": 1 }]")],
  ["control characters", fillUp("steps: ", "\u0000\u0007")],
  ["lone surrogates", fillUp("steps: ", "\ud800")],
  ["a block scalar", fillUp("steps: |\n", "  a\n")],
];

describe("a hostile file", () => {
  test.each(HOSTILE)("is refused quickly: %s", (_, text) => {
    let message = "";
    const cpuMs = cpuOf(() => {
      message = problemOf(text);
    });
    expect(message).not.toBe("");
    expect(message.length).toBeLessThan(600);
    expect(cpuMs).toBeLessThan(1_000);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
