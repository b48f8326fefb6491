import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_STALL_MS, STALL_TIMEOUT, type StallStage, startStallStage } from "../_harness/stall-stage.ts";
import { casesOfTier } from "../_harness/tier.ts";

const PROMPT_LENGTH = 20_000;

const repeat = (unit: string, length = PROMPT_LENGTH) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const times = (count: number, render: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => render(i)).join("");

const PROMPTS: Record<string, string> = {
  "one word": repeat("a"),
  "open quotes": repeat('"'),
  "nested clauses": repeat("in the list of the "),
  "many steps": repeat('Click "a". '),
  "many conditions": repeat("where a is b and "),
  "many email addresses": repeat("log in a@a "),
  "many hosts": repeat("a.a.a.a."),
  "many URLs": repeat("http://a:"),
  hyphens: repeat("a-"),
  "many secrets": repeat('password "a1b2" '),
  "line breaks": repeat("\n- a"),
  JSON: repeat('{"steps":['),
  YAML: `steps:\n${repeat("- click: a\n", 19_000)}`,
  "YAML with brackets": `steps: ${repeat("[", 19_000)}`,
  "YAML with commas": `steps: [${repeat("a,", 19_000)}`,
  "YAML with keys": `steps:\n${times(1_500, (i) => `a${i}: 1\n`)}`,
  "YAML with anchors": `steps: ${repeat("&a !b ", 19_000)}`,
  "YAML with keys in keys": `steps:\n  ${"? ".repeat(300)}x\n`,
  "YAML with maps as keys": `steps:\n${times(8, () => `- ${"{".repeat(95)}a${"}: 1".repeat(95)}\n`)}`,
  "YAML with errors": `steps: "${repeat("\\q", 19_000)}"`,
  "YAML aliases": `steps:\n${times(20, (i) => `a${i}: &a${i} [${i === 0 ? "1" : `*a${i - 1},*a${i - 1},*a${i - 1}`}]\n`)}`,
};

const SCHEMAS: Record<string, object> = {
  "a pattern that backtracks": {
    type: "object",
    properties: { a: { type: "string", pattern: "^(a+)+$" } },
    required: ["a"],
  },
  "many properties": {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`p${i}`, { type: "string", minLength: 1 }])),
  },
  "many branches": {
    anyOf: Array.from({ length: 500 }, (_, i) => ({
      type: "object",
      properties: { [`k${i}`]: { enum: [i, `${i}`] } },
    })),
  },
  "deep objects": Array.from({ length: 40 }).reduce<object>(
    (inner) => ({ type: "object", properties: { a: inner }, required: ["a"] }),
    { type: "string" },
  ),
  "rows of rows": {
    type: "array",
    items: {
      type: "array",
      items: {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`c${i}`, { type: "number" }])),
      },
    },
  },
};

const ROWS = "a table of 100 rows";
const table = (rows: number) =>
  `<table><tr>${times(6, (i) => `<th>H${i}</th>`)}</tr>${times(rows, (row) => `<tr>${times(6, (i) => `<td>r${row}c${i}</td>`)}</tr>`)}</table>`;
const PAGES: Record<string, string> = {
  [ROWS]: table(100),
  "a table of 800 rows": table(800),
  "3,000 links": times(3_000, (i) => `<a href="/${i}">Link ${i}</a> `),
  "5,000 fields": `<form>${times(5_000, (i) => `<label>Field ${i} <input name="f${i}"></label>`)}<button>Send</button></form>`,
  "a table with 2,000 fields": `<table><tr><th>A</th><th>B</th></tr>${times(2_000, (i) => `<tr><td>Row ${i}</td><td><input name="f${i}"></td></tr>`)}</table>`,
  "3,000 hidden texts": times(3_000, (i) => `<p>Shown ${i} <span style="opacity:0">hidden ${i} text</span> end</p>`),
  "3,000 hidden texts in one": `<p>${times(3_000, (i) => `shown ${i} <span style="opacity:0">hidden ${i} text</span> `)}</p>`,
  "3,000 words to click": `<p>${times(3_000, (i) => `<span onclick="x()">Word${i}</span> `)}</p>`,
  "5,000 paragraphs": times(5_000, (i) => `<p>Paragraph ${i} is about topic ${i % 17}.</p>`),
  "500 levels": `${times(500, () => "<div>")}<p>Deep</p>${times(500, () => "</div>")}`,
  "one text of 1 MB": `<p>${"word ".repeat(200_000)}</p>`,
  "one word of 1 MB": `<p>${"w".repeat(1_000_000)}</p>`,
  "1 MB in one attribute": `<a href="/x?${"y".repeat(1_000_000)}">Link</a>`,
};

describe("nothing that a user sends or a page contains holds the process", () => {
  let stage: StallStage;
  beforeAll(async () => {
    stage = await startStallStage(PAGES);
    await stage.run({ prompt: "Tell me the heading.", start_url: stage.pageUrl("none") });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it.each(casesOfTier(Object.entries(PROMPTS), { ci: 7 }))("a prompt of %s", STALL_TIMEOUT, async (name, prompt) => {
    const body = { prompt, start_url: stage.pageUrl("none") };
    expect(await stage.measure(name, () => stage.run(body))).toBeLessThan(MAX_STALL_MS);
  });

  it.each(casesOfTier(Object.entries(SCHEMAS), { ci: 2 }))("a schema with %s", STALL_TIMEOUT, async (name, schema) => {
    const body = { prompt: "List the rows.", start_url: stage.pageUrl(ROWS), output_schema: schema };
    expect(await stage.measure(name, () => stage.run(body))).toBeLessThan(MAX_STALL_MS);
  });

  it.each(casesOfTier(Object.keys(PAGES), { ci: 4 }))("%s", STALL_TIMEOUT, async (name) => {
    const body = { prompt: "List all rows of the table.", start_url: stage.pageUrl(name) };
    expect(await stage.measure(name, () => stage.run(body))).toBeLessThan(MAX_STALL_MS);
  });
});
