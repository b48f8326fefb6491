import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedCall } from "../_harness/model-completion.ts";
import type { ModelRequest } from "../_harness/model-request.ts";
import { ShownTurn } from "../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../_harness/model-server.ts";
import { agreeingWithEverything, readTrial } from "../_harness/scripted-judge.ts";
import { MAX_STALL_MS, STALL_TIMEOUT, type StallStage, startStallStage } from "../_harness/stall-stage.ts";
import { casesOfTier } from "../_harness/tier.ts";

const times = (count: number, render: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => render(i)).join("");

const FIELDS = "5,000 fields";
const LINKS = "3,000 links";
const ROWS = "a table of 1,000 rows";
const ROWS_WITH_FIELDS = "a table with 2,000 fields";
const PARAGRAPHS = "5,000 paragraphs";
const TEXT = "one text of 1 MB";
const PAGES: Readonly<Record<string, string>> = {
  [FIELDS]: `<h1>Survey</h1><form>${times(5_000, (i) => `<label>Field ${i} <input name="f${i}"></label>`)}<button>Send</button></form>`,
  [LINKS]: `<h1>Index</h1>${times(3_000, (i) => `<a href="/${i}">Link ${i}</a> `)}`,
  [ROWS]: `<h1>Stock</h1><table><tr><th>Item</th><th>Price</th><th>Place</th></tr>${times(1_000, (i) => `<tr><td>Item ${i}</td><td>€${i}.50</td><td>Hall ${i % 7}</td></tr>`)}</table>`,
  [ROWS_WITH_FIELDS]: `<h1>Prices</h1><form><table><tr><th>Item</th><th>Price</th></tr>${times(2_000, (i) => `<tr><td>Row ${i}</td><td><input name="f${i}"></td></tr>`)}</table><button>Save</button></form>`,
  [PARAGRAPHS]: `<h1>Report</h1>${times(5_000, (i) => `<p>Paragraph ${i} is about topic ${i % 17}.</p>`)}<p>Weight: 12 kg</p>`,
  [TEXT]: `<h1>Novel</h1><p>Pages: 700</p><p>${"word ".repeat(200_000)}</p>`,
};

/** On a large page, what is done with it takes longer than reading it. */
const STEPS: readonly (readonly [page: string, prompt: string])[] = [
  [FIELDS, 'Enter "hello" in Field 4998, enter "again" in Field 3, then tell me the heading.'],
  [FIELDS, 'Enter "hello" in Field 4998 and click Send.'],
  [LINKS, "Click Link 2998 and tell me the heading."],
  [ROWS, "What is the price of Item 900?"],
  [ROWS, "List all rows where Place is Hall 3."],
  [ROWS_WITH_FIELDS, 'Enter "7" in Price in the row Row 1900 and click Save.'],
  [PARAGRAPHS, "What is the weight?"],
  [TEXT, "How many pages are there?"],
];

/** What a model looks for, and how it ends. */
const MODEL: readonly (readonly [page: string, find: string, quote: string])[] = [
  [FIELDS, "Field 4998", "Survey"],
  [LINKS, "Link 2998", "Index"],
  [ROWS, "Item 900", "Item 900"],
  [ROWS_WITH_FIELDS, "Row 1900", "Prices"],
  [PARAGRAPHS, "Paragraph 4998", "Weight: 12 kg"],
  [TEXT, "Pages", "Pages: 700"],
];

describe("what is done on a large page does not hold the process", () => {
  let model: ModelServer;
  let withoutModel: StallStage;
  let withModel: StallStage;
  beforeAll(async () => {
    model = await startModelServer();
    withoutModel = await startStallStage(PAGES);
    withModel = await startStallStage(PAGES, {
      ERRAND_MODEL: "openai-compatible:scripted",
      ERRAND_MODEL_BASE_URL: model.url,
      ERRAND_MODEL_API_KEY: "key",
    });
  });
  afterAll(async () => {
    await withoutModel[Symbol.asyncDispose]();
    await withModel[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  it.each(casesOfTier(STEPS, { ci: 1 }))("%s: %s", STALL_TIMEOUT, async (page, prompt) => {
    const body = { prompt, start_url: withoutModel.pageUrl(page), recipe: "off" };
    expect(await withoutModel.measure(`${page}: ${prompt}`, () => withoutModel.run(body))).toBeLessThan(MAX_STALL_MS);
  });

  it.each(casesOfTier(MODEL, { ci: 1 }))(
    "%s, with a model that looks for %s",
    STALL_TIMEOUT,
    async (page, find, quote) => {
      let turn = 0;
      model.answer = (request) => {
        // The first request of a run.
        if (request.toolNames.includes("list_criteria")) turn = 0;
        return { calls: [reply(request, () => turn++, find, quote)] };
      };
      const prompt = `Find ${find}, enter "hello" where it is if there is a field, then tell me "${quote}".`;
      const body = { prompt, start_url: withModel.pageUrl(page), recipe: "off" };
      expect(await withModel.measure(page, () => withModel.run(body))).toBeLessThan(MAX_STALL_MS);
    },
  );
});

function reply(request: ModelRequest, nextTurn: () => number, find: string, quote: string): ScriptedCall {
  const [tool = ""] = request.toolNames;
  if (tool === "list_criteria") return { name: tool, input: { criteria: ["The answer is on the page."] } };
  if (tool === "decide") return { name: tool, input: { agreed: true, reason: "The task asks for it." } };
  if (tool === "give_verdict") return { name: tool, input: agreeingWithEverything(readTrial(request)) };
  const turn = nextTurn();
  const act = (action: object) => ({ name: "act", input: { actions: [action] } });
  if (turn === 0) return act({ action: "find", text: find });
  if (turn === 1) return act({ action: "read" });
  const field = /(e\d+) textbox "([^"]*)"/.exec(new ShownTurn(request).block("What you did last, and the result"));
  if (turn === 2 && field !== null) return act({ action: "fill", ref: field[1], label: field[2], text: "hello" });
  return { name: "done", input: { answer: quote, facts: [{ about: find, value: quote, quote }], proofs: [] } };
}
