import { describe, expect, test } from "vitest";
import type { Task } from "../../src/agent/grounding/claim.ts";
import { makePlan } from "../../src/agent/planner/builtin/builtin-planner.ts";
import { PlannerRefusal } from "../../src/agent/planner/planner.ts";

const NOW = new Date("2026-03-11T10:00:00Z");
const SCHEMA = { type: "object", properties: { name: { type: "string" } } };

function plan(prompt: string, more: Partial<Task> = {}) {
  return makePlan({
    prompt,
    startUrl: "https://shop.example/",
    outputSchema: null,
    now: NOW,
    ...more,
  });
}

function refusalOf(prompt: string): string {
  try {
    plan(prompt);
  } catch (error) {
    if (error instanceof PlannerRefusal) return error.message;
    throw error;
  }
  throw new Error(`"${prompt}" was not refused`);
}

describe("what cannot be done without judgement", () => {
  test.each([
    "Book me the best hotel in Paris.",
    "Buy something nice for my mother.",
    "Find a good restaurant nearby.",
    "Delete all my emails.",
    "If the price is below 20, add it to the cart.",
    "Surprise me with something my grandmother would love.",
    "Select words similar to brave.",
    "Solve for x and type your answer into the textbox.",
    "Type the total number of blocks into the textbox.",
    "Click the button that best describes the figure.",
    "Click on the numbers in ascending order.",
    "Drag all circles into the black box.",
    "Forward that email to Jo.",
    "Open the cart, then negotiate a discount.",
    "Click the cart, ponder the meaning of it.",
    "Type act as one and win into Message.",
    "Enter Robin as the name, Flat 2 and 5 as the age.",
    "",
    "…",
  ])("is refused: %s", (prompt) => {
    expect(() => plan(prompt)).toThrow(PlannerRefusal);
  });

  test("is refused as a whole when one clause among many is not understood", () => {
    expect(refusalOf("Open the cart, ponder the meaning of it and click Pay.")).toContain("ponder");
  });

  test("is refused with the clause, with what is understood, and with how to get more", () => {
    const message = refusalOf("Open the cart. Negotiate a discount.");
    expect(message).toContain('"Negotiate a discount."');
    expect(message).toMatch(/click.*type.*select/i);
    expect(message).toContain("ERRAND_MODEL");
  });

  test("is refused without repeating a password", () => {
    expect(refusalOf("Hack the site with password hunter2 somehow.")).not.toContain("hunter2");
  });
});

describe("a plan", () => {
  test("says what it will do, line by line, and no secret", () => {
    const { outline } = plan('Type "jo" into User name, type "hunter2" into Password and click Sign in.');
    expect(outline).toHaveLength(3);
    expect(outline.join("\n")).toContain("click Sign in");
    expect(outline.join("\n")).not.toContain("hunter2");
    expect(plan("Log in as jo with password hunter2.").outline.join("\n")).not.toContain("hunter2");
  });

  test("signs in only when the task brings the password", () => {
    expect(plan("Log in as jo with password hunter2.").signsIn).toBe(true);
    expect(plan('Type "x" into Password and click Sign in.').signsIn).toBe(true);
    expect(plan("Click Sign in.").signsIn).toBe(false);
  });

  test("starts where the task says, else where its first instruction leads", () => {
    expect(plan("Open https://other.example/a and click Go.").startUrl).toBe("https://shop.example/");
    expect(plan("Open https://other.example/a and click Go.", { startUrl: null }).startUrl).toBe(
      "https://other.example/a",
    );
    expect(plan("Click Go.", { startUrl: null }).startUrl).toBeNull();
  });

  test("takes words about the data when a schema says what is wanted", () => {
    const prompt = "Get me everything there is to know about the shop owner.";
    expect(() => plan(prompt)).toThrow(PlannerRefusal);
    expect(plan(prompt, { outputSchema: SCHEMA }).outline).toEqual([]);
    expect(plan("", { outputSchema: SCHEMA }).outline).toEqual([]);
  });
});

describe("a prompt without end", () => {
  test.each([
    ["spaces", `click${" ".repeat(19_000)}x`],
    ["commas", `click ${"a, ".repeat(6_000)}`],
    ["places", `click ${"x of y in ".repeat(1_900)}`],
    ["filler", `${"please ".repeat(2_800)}click x`],
    ["steps", "Click a. ".repeat(2_000)],
    ["pairs", `fill in the form with ${"name: Jo, ".repeat(95)}`],
    ["options", `select ${"red and ".repeat(120)}blue`],
  ])("is read or refused all the same: %s", (_name, prompt) => {
    try {
      expect(plan(prompt).outline.length).toBeGreaterThan(0);
    } catch (error) {
      expect(error).toBeInstanceOf(PlannerRefusal);
    }
  });
});
