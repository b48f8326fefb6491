import { expect, test } from "vitest";
import { ReplayPlan } from "../../../src/agent/recipes/replay.ts";
import { createStepsPlanner } from "../../../src/agent/steps/steps-planner.ts";
import type { RecipeUse } from "../../../src/recipes/recipe.ts";

const RECIPE: RecipeUse = {
  id: "01994a3e-0000-7000-8000-000000000001",
  version: 1,
  values: { product: "Kettle" },
  body: {
    template: "Open <product>",
    start_url: "https://shop.example/",
    output_schema: null,
    variables: { product: { kind: "text" } },
    steps: [{ open: "<product>" }],
    writes: [],
  },
};

function replay(product: string) {
  const task = { prompt: "Open it", startUrl: "https://shop.example/", outputSchema: null, now: new Date(0) };
  const signal = new AbortController().signal;
  const use = { ...RECIPE, values: { product } };
  return new ReplayPlan(use, task, createStepsPlanner(), { signal, readTask: async () => [] } as never);
}

test("a value that is too long for its step is refused, and the message names the step", () => {
  expect(replay("Kettle").outline).toEqual(['Open the element "Kettle"']);
  expect(() => replay("x".repeat(1_990))).toThrow(
    /^The recipe's steps are not valid with these values\. Step 1 is not a valid "open": .*characters/,
  );
});
