import { basename, join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// As in bin/errand: what one process has compiled, the others need not compile again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/errand");

/** `npm test -- --full`, or a path in test/full or test/spa. */
const isFull = process.env.ERRAND_TEST_TIER === "full" || process.argv.some((arg) => /test\/(full|spa)/.test(arg));

/** If one of these started last, a single worker would be busy long after the others have finished. */
const LONGEST = [
  "recipes-changes",
  "gate",
  "recipes-many",
  "benchmarks",
  "event-loop-acting",
  "recipes-changes-sites",
  "editors",
  "comboboxes",
  "lists",
  "honesty",
  "killed",
  "faults",
  "egress-every-route",
  "errands-shop",
  "errands-data",
  "errands-phrases",
  "embedded-postgres",
  "metrics",
  "worker-processes",
  "run-command",
  "false-success-answers",
  "false-success-changes",
];

/** Vitest goes by the last run, or by size if there was none. Size says little here. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.includes(basename(moduleId, ".test.ts"));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

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
    restoreMocks: true,
    projects: [
      {
        // Pure tests: no PostgreSQL, no browser, no other process.
        extends: true,
        test: { name: "unit", include: ["test/unit/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "system",
          include: ["test/*.test.ts", ...(isFull ? ["test/full/**/*.test.ts"] : [])],
          globalSetup: ["test/_harness/global-setup.ts"],
        },
      },
      {
        // Components of real libraries, with packages of their own. The default tier has a short form.
        extends: true,
        test: {
          name: "spa",
          include: [isFull ? "test/spa/*.test.ts" : "test/spa/*.short.test.ts"],
          globalSetup: ["test/spa/_global-setup.ts"],
        },
      },
    ],
  },
});
