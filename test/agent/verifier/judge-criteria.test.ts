import { describe, expect, test } from "vitest";
import type { Task } from "../../../src/agent/grounding/claim.ts";
import { createModelJudge } from "../../../src/agent/verifier/model-judge.ts";
import { ModelFailure } from "../../../src/models/model.ts";
import { CostMeter } from "../../../src/models/usage.ts";
import { type ModelReply, modelAt, startModelServer } from "../../_harness/model-server.ts";

const TASK: Task = {
  prompt: "Put two blue mugs into the cart.",
  startUrl: "https://shop.example/start?session=abc",
  outputSchema: null,
  now: new Date("2026-03-11T10:00:00Z"),
};
const WHOLE = expect.stringContaining("Everything the task asks for was done");
const ANSWERED = expect.stringContaining("is exactly what the task asks for");

function listing(...criteria: unknown[]): ModelReply {
  return { calls: [{ name: "list_criteria", input: { criteria } }] };
}

async function ask(task: Partial<Task>, ...replies: ModelReply[]) {
  await using server = await startModelServer(replies);
  const judge = createModelJudge(await modelAt(server));
  const meter = new CostMeter(100_000);
  const { criteria } = await judge.readTask({ ...TASK, ...task }, { meter, signal: new AbortController().signal });
  return { criteria, texts: criteria.map(({ text }) => text), request: server.lastRequest, meter };
}

describe("criteria", () => {
  test("come from the task only, each with an id", async () => {
    const { criteria, request, meter } = await ask({}, listing("The cart holds two blue mugs."));
    expect(criteria).toEqual([
      { id: "c1", text: "The cart holds two blue mugs." },
      { id: "c2", text: WHOLE },
    ]);
    expect(request.text).toContain("Put two blue mugs into the cart.");
    expect(request.text).toContain("https://shop.example/start?session=…");
    expect(request.text).toContain("2026-03-11");
    expect(meter.total?.requests).toBe(1);
  });

  test("always include the whole task, whatever the model leaves out", async () => {
    expect((await ask({}, listing())).texts).toEqual([WHOLE]);
  });

  test.each(["What does the blue mug cost?", "Tell me the price of the mug.", "List the mugs."])(
    "always include an answer when the task asks for one: %s",
    async (prompt) => {
      expect((await ask({ prompt }, listing())).texts).toEqual([WHOLE, ANSWERED]);
    },
  );

  test("always include an answer when data is requested, and name its schema", async () => {
    const { texts, request } = await ask({ outputSchema: { type: "object", title: "Mug" } }, listing("a"));
    expect(texts).toEqual(["a", WHOLE, ANSWERED]);
    expect(request.text).toContain('"title":"Mug"');
  });

  test("include at most eight of the model's, each once and short", async () => {
    const many = Array.from({ length: 12 }, (_, index) => `Criterion ${index}\nof many ${"x".repeat(400)}`);
    const { texts } = await ask({}, listing("same", "same", " ", ...many));
    expect(texts).toHaveLength(9);
    expect(texts[0]).toBe("same");
    expect(texts.every((text) => text.length <= 240 && !text.includes("\n"))).toBe(true);
  });

  test("are requested without the task's secrets", async () => {
    const { request } = await ask({ prompt: 'Sign in with the password "hunter22" and buy a mug.' }, listing("a"));
    expect(JSON.stringify(request.body)).not.toContain("hunter22");
  });

  test("fail with the model's error", async () => {
    await expect(ask({}, { status: 401, body: "{}" })).rejects.toThrow(ModelFailure);
  });

  test("fail when the model calls no tool", async () => {
    const prose = { text: "I would look at the cart." };
    await expect(ask({}, prose, prose, prose, prose)).rejects.toThrow(ModelFailure);
  });
});
