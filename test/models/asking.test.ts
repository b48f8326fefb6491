import { describe, expect, it } from "vitest";
import { modelAt, startModelServer } from "../_harness/model-server.ts";
import { patience, question, questionWithPicture } from "../_harness/question.ts";

const CLICK_E1 = { name: "click", input: { ref: "e1" } };

describe("a question", () => {
  it("streams and returns the calls that the model makes", async () => {
    await using server = await startModelServer([
      { text: "I buy it.", calls: [CLICK_E1, { name: "done", input: {} }] },
    ]);
    const model = await modelAt(server);
    const { calls, text } = await model.ask(question(), patience());
    expect(calls).toEqual([
      { tool: "click", input: { ref: "e1" } },
      { tool: "done", input: {} },
    ]);
    expect(text).toBe("I buy it.");
    expect(server.lastRequest).toMatchObject({ stream: true, toolChoice: "required", temperature: 0 });
  });

  it("starts with the constant part, unchanged, followed by the new part", async () => {
    await using server = await startModelServer(() => ({ calls: [CLICK_E1] }));
    const model = await modelAt(server);
    await model.ask(question({ parts: [{ kind: "text", text: "page one" }] }), patience());
    await model.ask(question({ parts: [{ kind: "text", text: "page two" }] }), patience());
    expect(server.requests.map(({ messages }) => messages)).toEqual(
      ["page one", "page two"].map((page) => [
        { role: "system", text: "You run errands.", images: 0 },
        { role: "user", text: `The errand: buy a kettle.\n\n${page}`, images: 0 },
      ]),
    );
    expect(server.lastRequest.toolNames).toEqual(["click", "done"]);
  });

  it("sends images", async () => {
    await using server = await startModelServer([{ calls: [CLICK_E1] }]);
    const model = await modelAt(server);
    await model.ask(questionWithPicture(), patience());
    expect(server.lastRequest.images).toBe(1);
    expect(model.seesImages).toBe(true);
  });

  it("takes no more calls than the maximum", async () => {
    await using server = await startModelServer([{ calls: [CLICK_E1, CLICK_E1, CLICK_E1, CLICK_E1, CLICK_E1] }]);
    const { calls } = await (await modelAt(server)).ask(question({ maxCalls: 2 }), patience());
    expect(calls).toHaveLength(2);
  });

  it("limits the model's output", async () => {
    await using server = await startModelServer([{ calls: [CLICK_E1] }]);
    await (await modelAt(server, { maxOutputTokens: 500 })).ask(question(), patience());
    expect(server.lastRequest.body["max_tokens"]).toBe(500);
  });
});

describe("the cost of a question", () => {
  it("is what the server reports, including cached tokens", async () => {
    await using server = await startModelServer([
      { calls: [CLICK_E1], usage: { input: 1_000, output: 20, cached: 900 } },
    ]);
    const { usage } = await (await modelAt(server)).ask(question(), patience());
    expect(usage).toMatchObject({
      model: "openai-compatible:scripted",
      inputTokens: 1_000,
      cachedInputTokens: 900,
      outputTokens: 20,
      requests: 1,
    });
  });

  it.each([
    ["no usage", null],
    ["impossible usage", { input: -5, output: 1e12, cached: 77 }],
  ])("is estimated when the server reports %s", async (_, reported) => {
    await using server = await startModelServer([{ calls: [CLICK_E1], usage: reported }]);
    const { usage } = await (await modelAt(server)).ask(question(), patience());
    expect(usage.inputTokens).toBeGreaterThan(50);
    expect(usage.inputTokens).toBeLessThan(1_000);
    expect(usage.outputTokens).toBeGreaterThan(3);
    expect(usage.outputTokens).toBeLessThan(100);
    expect(usage.cachedInputTokens).toBeLessThanOrEqual(usage.inputTokens);
  });

  it("includes repairs, broken answers and refused attempts", async () => {
    await using server = await startModelServer([
      { status: 500 },
      { calls: [CLICK_E1], text: "Let me see what there is.", midway: "break" },
      { text: "I would buy it.", usage: { input: 100, output: 5 } },
      { calls: [CLICK_E1], usage: { input: 120, output: 7 } },
    ]);
    const { usage } = await (await modelAt(server)).ask(question(), patience());
    expect(usage.requests).toBe(4);
    expect(usage.inputTokens).toBeGreaterThan(220);
    expect(usage.outputTokens).toBeGreaterThan(12);
  });

  it("is reported when the question fails, too", async () => {
    await using server = await startModelServer(() => ({ text: "No.", usage: { input: 100, output: 2 } }));
    const model = await modelAt(server);
    await expect(model.ask(question(), patience())).rejects.toMatchObject({
      kind: "unusable",
      usage: { inputTokens: 300, outputTokens: 6, requests: 3 },
    });
  });
});
