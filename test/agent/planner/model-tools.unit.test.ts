import { describe, expect, test } from "vitest";
import { ACTIONS } from "../../../src/agent/actions/catalogue.ts";
import { SYSTEM_PROMPT } from "../../../src/agent/planner/model/prompt.ts";
import { listTools } from "../../../src/agent/planner/model/tools.ts";
import { estimateTokens } from "../../../src/lib/estimate-tokens.ts";
import { readCalls, ToolChecker } from "../../../src/models/read-calls.ts";

const TOOLS = listTools({ seesImages: false, wantsData: false, canAsk: false });

describe("the tool act", () => {
  test("describes every action and lists every input that an ordinary task needs", () => {
    const [act] = listTools({ seesImages: true, wantsData: true, canAsk: true });
    const { properties } = (act?.input ?? {}) as { properties: { actions: { items: { properties: object } } } };
    const listed = Object.keys(properties.actions.items.properties);
    for (const { name, input } of ACTIONS.values()) {
      expect(act?.description.split("\n").map((line) => line.split(":", 1)[0])).toContain(name);
      for (const required of (input as { required?: string[] }).required ?? []) expect(listed).toContain(required);
    }
  });

  test("offers no screenshot and no points to a model that sees none", () => {
    const [act] = TOOLS;
    expect(act?.description).not.toMatch(/^look/m);
    expect(JSON.stringify(act?.input)).not.toContain('"x"');
  });
});

test("the rules and the tools take few tokens", () => {
  const tools = listTools({ seesImages: true, wantsData: false, canAsk: false });
  const sent = tools.map(({ name, description, input }) => ({
    type: "function",
    function: { name, description, parameters: input },
  }));
  expect(estimateTokens(SYSTEM_PROMPT) + estimateTokens(JSON.stringify(sent))).toBeLessThanOrEqual(1_200);
});

describe("a call of act", () => {
  const read = (input: unknown) => readCalls([{ name: "act", value: input }], TOOLS, 5, new ToolChecker());

  test("counts as calls of its actions, each checked by itself", () => {
    const input = {
      actions: [
        { action: "fill", ref: "e1", label: "Name", text: "Ada", submit: "true" },
        { action: "click", ref: "e2", label: "Save", text: null },
      ],
    };
    expect(read(input)).toEqual({
      usable: true,
      calls: [
        { tool: "fill", input: { ref: "e1", label: "Name", text: "Ada", submit: true } },
        { tool: "click", input: { ref: "e2", label: "Save", text: null } },
      ],
    });
  });

  test("is performed up to the first invalid action", () => {
    expect(read({ actions: [{ action: "back" }, { action: "fill", ref: "e1" }, { action: "back" }] })).toEqual({
      usable: true,
      calls: [{ tool: "back", input: {} }],
    });
  });

  test("may be a list as text, a single list, or one action called by its own name", () => {
    const calls = [{ tool: "back", input: {} }];
    expect(read({ actions: '[{"action":"back"}]' })).toMatchObject({ calls });
    expect(read([{ action: "back" }])).toMatchObject({ calls });
    expect(readCalls([{ name: "back", input: "" }], TOOLS, 5, new ToolChecker())).toMatchObject({ calls });
  });

  test.each([
    [{ actions: [] }, /each of its actions must name one of goto, back, click/],
    [{ actions: [{ action: "fly" }] }, /each of its actions must name one of goto/],
    [{}, /must have required property 'actions'/],
    [{ actions: [{ action: "fill", ref: "e1", label: "Name" }] }, /in the call of fill, .*'text'/],
  ])("%j is reported to the model", (input, problem) => {
    expect(read(input)).toMatchObject({ usable: false, problem: expect.stringMatching(problem) });
  });

  test("has no more actions than are performed in a turn", () => {
    const reading = read({ actions: Array.from({ length: 9 }, () => ({ action: "back" })) });
    expect(reading.usable && reading.calls).toHaveLength(5);
  });
});
