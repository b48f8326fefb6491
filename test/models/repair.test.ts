import { describe, expect, it } from "vitest";
import { ModelFailure } from "../../src/models/model.ts";
import { type ModelReply, modelAt, startModelServer } from "../_harness/model-server.ts";
import { patience, question } from "../_harness/question.ts";

const CLICK_E1 = { name: "click", input: { ref: "e1" } };
const GOOD: ModelReply = { calls: [CLICK_E1] };

describe("an invalid call", () => {
  it.each<[string, ModelReply, RegExp]>([
    ["is not JSON", { calls: [{ name: "click", arguments: '{"ref": "e1' }] }, /input of click is not valid JSON/],
    ["is two objects", { calls: [{ name: "click", arguments: '{"ref":"e1"}{"ref":"e2"}' }] }, /not valid JSON/],
    ["lacks a field", { calls: [{ name: "click", input: {} }] }, /call of click, .*required property 'ref'/],
    ["has an extra field", { calls: [{ name: "click", input: { ref: "e1", x: 1 } }] }, /additional properties: "x"/],
    ["has a value outside the enum", { calls: [{ name: "click", input: { ref: "e1", button: "middle" } }] }, /left/],
    ["repeats a key", { calls: [{ name: "click", arguments: '{"ref":"e1","ref":"e2"}' }] }, /same key twice/],
    ["is a list", { calls: [{ name: "click", input: ["e1"] }] }, /must be an object/],
    ["names an unknown tool", { calls: [{ name: "buy", input: {} }] }, /no tool with that name.*click, done/],
    ["is cut off inside a string", { calls: [{ name: "click", arguments: '{"ref":"e1' }] }, /not valid JSON/],
    ["escapes a line break", { calls: [{ name: "click", arguments: '{"ref":"e1\\\n"}' }] }, /not valid JSON/],
    ["has single quotes", { calls: [{ name: "click", arguments: "{'ref':'e1'}" }] }, /not valid JSON/],
    ["holds NaN", { calls: [{ name: "click", arguments: '{"ref":"e1","times":NaN}' }] }, /not valid JSON/],
    [
      "is nested without end",
      { calls: [{ name: "click", arguments: `{"ref":${"[".repeat(50_000)}` }] },
      /nested too deeply/,
    ],
    ["is prose", { text: "I would click on Buy." }, /no call of a tool/],
    ["is nothing", { text: "" }, /no call of a tool/],
    ["was cut off by the limit", { calls: [{ name: "click", arguments: '{"re' }], finish: "length" }, /too long/],
  ])("is requested again when it %s", async (_, bad, complaint) => {
    await using server = await startModelServer([bad, GOOD]);
    const { calls } = await (await modelAt(server)).ask(question(), patience());
    expect(calls).toEqual([{ tool: "click", input: { ref: "e1" } }]);
    const { messages } = server.lastRequest;
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(messages.at(-1)?.text).toMatch(complaint);
  });

  it("is dropped with everything after it when there are valid calls before it", async () => {
    await using server = await startModelServer([{ calls: [CLICK_E1, { name: "buy", input: {} }, CLICK_E1] }]);
    const { calls } = await (await modelAt(server)).ask(question(), patience());
    expect(calls).toEqual([{ tool: "click", input: { ref: "e1" } }]);
  });

  it("fails the question when it is not fixed in two rounds", async () => {
    const bad: ModelReply = { calls: [{ name: "click", input: { reference: "the secret of the page" } }] };
    await using server = await startModelServer([bad, bad, bad, GOOD]);
    const failure = await (await modelAt(server)).ask(question(), patience()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelFailure);
    expect(failure).toMatchObject({
      kind: "unusable",
      message: expect.stringMatching(/supports tool calls in ERRAND_MODEL/),
    });
    expect((failure as Error).message).not.toContain("secret");
    expect(server.unsaid).toBe(1);
  });

  it("is not requested again when the provider withheld it", async () => {
    await using server = await startModelServer([{ text: "", finish: "content_filter" }, GOOD]);
    const model = await modelAt(server);
    await expect(model.ask(question(), patience())).rejects.toMatchObject({ kind: "unusable" });
    expect(server.unsaid).toBe(1);
  });
});

describe("a slightly malformed call", () => {
  it.each<[string, string, object]>([
    ["a number as text", '{"ref":"e1","times":"2"}', { ref: "e1", times: 2 }],
    ["null for omitted fields", '{"ref":"e1","times":null,"button":null}', { ref: "e1" }],
    ["a trailing comma", '{"ref":"a, ]","times":2,}', { ref: "a, ]", times: 2 }],
    ["a line break inside a string", '{"ref":"one\ntwo\tthree"}', { ref: "one\ntwo\tthree" }],
    ["Python's None", '{"ref":"None","times":None}', { ref: "None" }],
  ])("is accepted: %s", async (_, text, input) => {
    await using server = await startModelServer([{ calls: [{ name: "functions.click", arguments: text }] }]);
    const { calls } = await (await modelAt(server)).ask(question(), patience());
    expect(calls).toEqual([{ tool: "click", input }]);
  });

  it("needs no input for a tool that takes none", async () => {
    await using server = await startModelServer([{ calls: [{ name: "done", arguments: "" }] }]);
    const { calls } = await (await modelAt(server)).ask(question(), patience());
    expect(calls).toEqual([{ tool: "done", input: {} }]);
  });

  it("has characters replaced that the database cannot store", async () => {
    await using server = await startModelServer([
      { text: "a\u0000b", calls: [{ name: "click", arguments: '{"ref":"e\\u00001\\ud800"}' }] },
    ]);
    const { calls, text } = await (await modelAt(server)).ask(question(), patience());
    expect(calls[0]?.input).toEqual({ ref: "e\ufffd1\ufffd" });
    expect(text).toBe("a\ufffdb");
  });

  it("is refused with a number that overflows, even where any value is valid", async () => {
    const anything = { name: "note", description: "Keeps.", input: { type: "object" } };
    await using server = await startModelServer([
      { calls: [{ name: "note", arguments: '{"x":1e999}' }] },
      { calls: [{ name: "note", input: { x: 1 } }] },
    ]);
    const { calls } = await (await modelAt(server)).ask(question({ tools: [anything] }), patience());
    expect(calls).toEqual([{ tool: "note", input: { x: 1 } }]);
  });
});

describe("an endless answer", () => {
  it("is aborted, and a shorter one is requested", async () => {
    await using server = await startModelServer([{ text: "blah ".repeat(100_000) }, GOOD]);
    const { calls } = await (await modelAt(server)).ask(question(), patience());
    expect(calls).toHaveLength(1);
    expect(server.lastRequest.text).toMatch(/too long/);
  });
});
