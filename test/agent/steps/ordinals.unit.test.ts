import { describe, expect, it } from "vitest";
import { readPrompt } from "../../../src/agent/steps/english/read-prompt.ts";
import { findTarget } from "../../../src/agent/steps/find-target.ts";
import { toTarget } from "../../../src/agent/steps/step.ts";
import { field, node, observation } from "../../_harness/observed.ts";

const NAMES = ["User name", "First name", "Last name", "Company name"];
const PAGE = observation("https://shop.example/", [
  node("form", "", {
    children: NAMES.map((name, index) => node("textbox", name, { ref: `e${index}`, field: field("text") })),
  }),
]);

/** The name of the field that a sentence fills in. */
function findField(prompt: string): string | null {
  const reading = readPrompt(prompt);
  const step = reading.kind === "steps" ? reading.steps[0]?.step : undefined;
  if (step === undefined || !("fill" in step)) return null;
  const found = findTarget(PAGE, toTarget(step.fill.target), "fill");
  return found.kind === "found" ? found.node.name : null;
}

describe("first and last", () => {
  it.each([
    ["Type Jo into First name.", "First name"],
    ["Type Jo into the first name field.", "First name"],
    ["Set Last name to Doe.", "Last name"],
    ["Fill in First name with Jo and Last name with Doe.", "First name"],
  ])("are part of a name: %s", (prompt, name) => {
    expect(findField(prompt)).toBe(name);
  });

  it.each([
    ["Type Jo into the first field.", "User name"],
    ["Type Jo into the last field.", "Company name"],
    ["Type Jo into the 2nd field.", "First name"],
  ])("count elements: %s", (prompt, name) => {
    expect(findField(prompt)).toBe(name);
  });
});
