import { expect, test } from "vitest";
import type { Question } from "../src/models/model.ts";
import { modelAt, startModelServer } from "./_harness/model-server.ts";

const QUESTION: Question = {
  system: "You run errands.",
  lasting: "Buy a kettle.",
  parts: [{ kind: "text", text: "The page: a button [e1] Buy" }],
  tools: [
    {
      name: "click",
      description: "Clicks.",
      input: {
        type: "object",
        properties: { ref: { type: "string" }, times: { type: "integer" } },
        required: ["ref"],
        additionalProperties: false,
      },
    },
    { name: "done", description: "Ends.", input: { type: "object", properties: {}, additionalProperties: false } },
  ],
  maxCalls: 3,
};
const never = new AbortController().signal;

test("answers the calls that the model makes", async () => {
  await using server = await startModelServer([{ calls: [{ name: "click", input: { ref: "e1" } }] }]);
  const model = await modelAt(server);
  const answer = await model.ask(QUESTION, never);
  expect(answer.calls).toEqual([{ tool: "click", input: { ref: "e1" } }]);
});
