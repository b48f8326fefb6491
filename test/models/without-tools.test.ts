import { describe, expect, it } from "vitest";
import { readCallsInText } from "../../src/models/read-calls.ts";
import type { ModelRequest } from "../_harness/model-request.ts";
import { type ModelReply, modelAt, startModelServer } from "../_harness/model-server.ts";
import { patience, question, questionWithPicture } from "../_harness/question.ts";

const GOOD: ModelReply = { calls: [{ name: "click", input: { ref: "e1" } }] };
const IN_TEXT: ModelReply = { text: '{"calls":[{"tool":"click","input":{"ref":"e1"}}]}' };
const CLICKED = [{ tool: "click", input: { ref: "e1" } }];

function refusal(status: number, message: string): ModelReply {
  return { status, body: JSON.stringify({ error: { message } }) };
}

describe("a model without tool calls", () => {
  it.each([
    [400, "registry/library/tiny:2b does not support tools"],
    [404, "No endpoints found that support tool use"],
    [422, "Function calling is not enabled for this model"],
    [500, "tools param requires --jinja flag"],
  ])("is asked for JSON in its text from then on, after %i %j", async (status, message) => {
    await using server = await startModelServer((request) =>
      request.tools.length > 0 ? refusal(status, message) : IN_TEXT,
    );
    const model = await modelAt(server);
    expect((await model.ask(question(), patience())).calls).toEqual(CLICKED);
    expect((await model.ask(question(), patience())).calls).toEqual(CLICKED);
    expect(server.requests.map(({ tools }) => tools.length)).toEqual([2, 0, 0]);
    expect(server.lastRequest.text).toMatch(/Clicks what has this reference/);
    expect(server.lastRequest.text).toContain('"required":["ref"]');
    expect(server.lastRequest.system).toBe("You run errands.");
  });

  it("is detected by its prose when it does better in text", async () => {
    await using server = await startModelServer(({ tools }: ModelRequest) =>
      tools.length > 0 ? { text: "I would click on Buy." } : IN_TEXT,
    );
    const model = await modelAt(server);
    expect((await model.ask(question(), patience())).calls).toEqual(CLICKED);
    expect((await model.ask(question(), patience())).usage.requests).toBe(1);
    expect(server.requests.map(({ tools }) => tools.length)).toEqual([2, 2, 0, 0]);
  });

  it("keeps its tools when it does no better in text", async () => {
    await using server = await startModelServer(() => ({ text: "No." }));
    const model = await modelAt(server);
    await expect(model.ask(question(), patience())).rejects.toMatchObject({ kind: "unusable" });
    server.answer = () => GOOD;
    expect((await model.ask(question(), patience())).calls).toEqual(CLICKED);
    expect(server.lastRequest.tools).toHaveLength(2);
  });

  it.each([
    [
      "a fence and prose around it",
      'Of course:\n```json\n{"calls":[{"tool":"click","input":{"ref":"e1"}}]}\n```\nDone.',
    ],
    ["one call instead of a list", '{"tool":"click","input":{"ref":"e1"}}'],
    ["a list", '[{"tool":"click","input":{"ref":"e1"}}]'],
    ["other names", '{"tool_calls":[{"function":{"name":"click","arguments":"{\\"ref\\":\\"e1\\"}"}}]}'],
    ["the input next to the name", '{"name":"click","ref":"e1"}'],
    ["the name as a key", '{"click":{"ref":"e1"}}'],
    ["trailing commas", '{"calls":[{"tool":"click","input":{"ref":"e1",},},],}'],
    ["reasoning before it", '<think>Perhaps {"tool":"done","input":{}}?</think>{"tool":"click","input":{"ref":"e1"}}'],
    ["a sentence before it", 'I click [e1] now: {"tool":"click","input":{"ref":"e1"}}'],
  ])("is understood with %s", async (_, text) => {
    await using server = await startModelServer((request) =>
      request.tools.length > 0 ? refusal(400, "no tools") : { text },
    );
    expect((await (await modelAt(server)).ask(question(), patience())).calls).toEqual(CLICKED);
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["it offers alternative calls", '{"tool":"click","input":{"ref":"e1"}}\nor\n{"tool":"done","input":{}}'],
    ["a call is part of a sentence", 'The page says {"tool":"done","input":{}} but I do not believe it.'],
    ["the call was cut off", '{"calls":[{"tool":"click","input":{"ref":"e'],
    ["the call does not match the schema", '{"tool":"click","input":{"x":"e1"}}'],
    ["there is nothing but brackets", "[{".repeat(20_000)],
    ["a string is never closed", `{"tool":"${"a".repeat(50_000)}`],
    ["there is nothing but backslashes", `{"${String.raw`\"`.repeat(50_000)}`],
  ])("is asked again when %s", async (_, text) => {
    await using server = await startModelServer((request) =>
      request.tools.length > 0 ? refusal(400, "no tools") : request.messages.length === 2 ? { text } : IN_TEXT,
    );
    expect((await (await modelAt(server)).ask(question(), patience())).calls).toEqual(CLICKED);
    expect(server.requests).toHaveLength(3);
  });
});

describe("a model with tools that writes the call into its text", () => {
  it("is understood when it writes nothing else", async () => {
    await using server = await startModelServer([IN_TEXT]);
    expect((await (await modelAt(server)).ask(question(), patience())).calls).toEqual(CLICKED);
  });

  it("is asked again when it could be quoting a page", async () => {
    await using server = await startModelServer([{ text: 'The page tells me:\n{"tool":"done","input":{}}' }, GOOD]);
    expect((await (await modelAt(server)).ask(question(), patience())).calls).toEqual(CLICKED);
  });
});

describe("a model that lacks another feature", () => {
  it.each([
    [400, "This model does not support image input"],
    [404, "No endpoints found that support image input"],
    [500, "image input is not supported - hint: you may need to provide the mmproj"],
    [422, "messages.1.content must be a string"],
  ])("is asked without images from then on, after %i %j", async (status, message) => {
    await using server = await startModelServer((request) => (request.images > 0 ? refusal(status, message) : GOOD));
    const model = await modelAt(server);
    await model.ask(questionWithPicture(), patience());
    expect(model.seesImages).toBe(false);
    await model.ask(questionWithPicture(), patience());
    expect(server.requests.map(({ images }) => images)).toEqual([1, 0, 0]);
    expect(server.lastRequest.tools).toHaveLength(2);
  });

  it.each<[string, string, (request: ModelRequest) => boolean]>([
    ["a temperature", "Unsupported value: 'temperature'", ({ temperature }) => temperature !== undefined],
    ["a forced call", "tool_choice 'required' is not supported", ({ toolChoice }) => toolChoice === "required"],
    ["streaming", "Streaming is not supported", ({ stream }) => stream],
    ["a usage report", "Unknown field: stream_options", ({ wantsUsage }) => wantsUsage],
    ["the system role", "System role not supported", ({ system }) => system !== ""],
    ["that limit", "max_tokens is too large: 16384", ({ body }) => body["max_tokens"] !== undefined],
  ])("is asked without %s from then on", async (_, message, isRefused) => {
    await using server = await startModelServer((request) => (isRefused(request) ? refusal(400, message) : GOOD));
    const model = await modelAt(server);
    expect((await model.ask(question(), patience())).calls).toEqual(CLICKED);
    expect((await model.ask(question(), patience())).usage.requests).toBe(1);
    expect(server.requests).toHaveLength(3);
    expect(server.lastRequest.text).toContain("You run errands.");
    expect(server.lastRequest.tools).toHaveLength(2);
  });

  it("may send a whole response to a streaming request", async () => {
    await using server = await startModelServer(({ stream, model }) =>
      stream ? { body: JSON.stringify({ model, choices: [] }) } : GOOD,
    );
    expect((await (await modelAt(server)).ask(question(), patience())).calls).toEqual(CLICKED);
    expect(server.requests.map(({ stream }) => stream)).toEqual([true, false]);
  });

  it("loses no feature when a refusal was about something else", async () => {
    await using server = await startModelServer(() => refusal(400, "the function of this service is suspended"));
    const model = await modelAt(server);
    await expect(model.ask(questionWithPicture(), patience())).rejects.toMatchObject({ kind: "rejected" });
    server.answer = () => GOOD;
    await model.ask(questionWithPicture(), patience());
    expect(server.lastRequest).toMatchObject({ images: 1, stream: true, toolChoice: "required" });
  });
});

describe("a call in a text", () => {
  const call = '{"tool":"click","input":{"ref":"e1"}}';
  const blank = " ".repeat(40_000);

  it.each([
    [`${blank}${call}${blank}`, 1],
    [`${blank}\`\`\`json\n${call}\n\`\`\`${blank}`, 1],
    [`${blank}x ${call}`, 0],
    [`${call}${blank}x`, 0],
  ])("counts only when it stands alone, ignoring whitespace (%#)", (text, count) => {
    expect(readCallsInText(text, ["click"], { alone: true }) ?? []).toHaveLength(count);
  });
});
