import { expect, test } from "vitest";
import { listTools } from "../../src/agent/planner/model/tools.ts";
import type { ObservedNode } from "../../src/browser/observation/observation.ts";
import { node, observation } from "../_harness/observed.ts";

function toolsFor(children: ObservedNode[], more: { hasScreenshot?: boolean; isStuck?: boolean } = {}) {
  return listTools({
    seesImages: true,
    hasScreenshot: false,
    wantsData: false,
    isLast: false,
    isStuck: false,
    prompt: "Set the table.",
    observation: observation("https://app.example/", children),
    ...more,
  });
}

function namesFor(...given: Parameters<typeof toolsFor>): string[] {
  return toolsFor(...given).map(({ name }) => name);
}

const card = { ...node("generic", "Card"), ref: "e1" };

test("dragging is offered where something can be dragged, or nothing else worked", () => {
  expect(namesFor([card])).not.toContain("drag");
  expect(namesFor([{ ...card, states: { draggable: true } }])).toContain("drag");
  expect(namesFor([{ ...card, role: "slider" }])).toContain("drag");
  expect(namesFor([card], { isStuck: true })).toContain("drag");
});

test("points are offered only with a screenshot, and only for a picture that can be clicked", () => {
  const canvas = { ...card, role: "canvas" };
  const pointOf = (...given: Parameters<typeof toolsFor>) =>
    JSON.stringify(toolsFor(...given).find(({ name }) => name === "click")).includes('"x"');
  expect(pointOf([canvas], { hasScreenshot: true })).toBe(true);
  expect(pointOf([canvas])).toBe(false);
  expect(pointOf([card], { hasScreenshot: true })).toBe(false);
});
