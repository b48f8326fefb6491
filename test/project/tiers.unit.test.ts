import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { casesOfTier, tierOf } from "../_harness/tier.ts";

const ROOT = join(import.meta.dirname, "../..");
const NUMBERS = Array.from({ length: 25 }, (_, index) => index);

describe("the tiers of the tests", () => {
  it("are named in every test file's name, or it is in the default tier", () => {
    const names = globSync("test/**/*.test.ts", { cwd: ROOT, exclude: ["**/node_modules"] }).map((path) =>
      basename(path),
    );
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name) => !/^[a-z\d-]+(\.unit|\.ci|\.nightly)?\.test\.ts$/.test(name))).toEqual([]);
    expect(names.filter((name) => tierOf(name) === "ci").length).toBeGreaterThan(50);
  });

  it.each([1, 2, 3, 7, 24, 25, 99])("take %s cases of a corpus, spread evenly, with the last one", (count) => {
    vi.stubEnv("ERRAND_TEST_TIER", "ci");
    const cases = casesOfTier(NUMBERS, { ci: count });
    expect(cases).toHaveLength(Math.min(count, NUMBERS.length));
    expect(cases.at(-1)).toBe(24);
    const gaps = cases.map((each, index) => each - (cases[index - 1] ?? -1));
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeLessThanOrEqual(1);
    vi.unstubAllEnvs();
  });

  it("take all cases at night", () => {
    vi.stubEnv("ERRAND_TEST_TIER", "nightly");
    expect(casesOfTier(NUMBERS, { default: 1, ci: 3 })).toEqual(NUMBERS);
    vi.unstubAllEnvs();
  });
});
