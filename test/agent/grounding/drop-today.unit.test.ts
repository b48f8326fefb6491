import { describe, expect, it } from "vitest";
import { dropToday } from "../../../src/agent/grounding/stated-numbers.ts";

const NOW = new Date("2026-11-04T00:42:16.120Z");

describe("today's date in an answer", () => {
  it.each([
    "As of 2026-11-04 it is open.",
    "As of 4 November 2026 it is open.",
    "As of November 4, 2026 it is open.",
    "As of Nov. 4th it is open.",
    "As of the 4th of November it is open.",
    "As of 04.11.2026 it is open.",
    "As of 11/04/2026 it is open.",
  ])("needs no fact: %s", (answer) => {
    expect(dropToday(answer, NOW).replace("2026", "")).not.toMatch(/\d/);
  });

  it.each([
    "It costs €4.",
    "It costs €42.",
    "There are 11.",
    "It costs 4.11.",
    "At 0:42.",
    "On 14 November.",
    "On November 40.",
  ])("is not confused with other numbers: %s", (answer) => {
    expect(dropToday(answer, NOW)).toBe(answer);
  });
});
