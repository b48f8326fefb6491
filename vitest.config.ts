import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/_harness/longest-first.ts";
import { readTier, TIERS } from "./test/_harness/tier.ts";
import { TimesReporter } from "./test/_harness/times-reporter.ts";

// As in bin/errand: what one process has compiled, the others need not compile again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/errand");

const tier = readTier();
/** The suffix of a test file is its tier: `x.ci.test.ts` runs from `.ci/run` on. No suffix is the default tier. */
const laterTiers = TIERS.slice(TIERS.indexOf(tier) + 1).map((later) => `test/**/*.${later}.test.ts`);
/** `npm test -- --times` */
const hasTimes = process.env.ERRAND_TEST_TIMES === "yes";
/** Where scripts/test.ts reads the results. */
const report = process.env.ERRAND_TEST_REPORT;
const UNIT = "test/**/*.unit.test.ts";
const SPA = "test/spa/*.test.ts";

export default defineConfig({
  test: {
    // Real PostgreSQL, Chromium and processes on a small, busy machine: slow is not wrong.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 100_000 } },
    maxWorkers: 3,
    pool: "forks",
    // As in bin/errand: otherwise V8 shrinks the heap between two errands.
    execArgv: ["--no-memory-reducer"],
    // No module has state of its own, and loading them all again for each file is a third of the work.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    setupFiles: hasTimes ? ["test/_harness/measure-file.ts"] : [],
    reporters: [
      "default",
      report === undefined ? {} : ["json", { outputFile: report }],
      hasTimes ? new TimesReporter() : {},
    ],
    restoreMocks: true,
    projects: [
      {
        // Pure tests: no PostgreSQL, no browser, no other process.
        extends: true,
        test: { name: "unit", include: [UNIT] },
      },
      {
        extends: true,
        test: {
          name: "system",
          include: ["test/**/*.test.ts"],
          exclude: [UNIT, SPA, "**/node_modules/**", ...laterTiers],
          globalSetup: ["test/_harness/global-setup.ts"],
        },
      },
      {
        // Components of real libraries, with packages of their own.
        extends: true,
        test: {
          name: "spa",
          include: [SPA],
          exclude: laterTiers,
          globalSetup: ["test/spa/_global-setup.ts"],
        },
      },
    ],
  },
});
