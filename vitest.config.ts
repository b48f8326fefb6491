import { basename, join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// As in bin/errand: what one process has compiled, the hundreds after it need not.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/errand");

/** Begun last, one of these would keep a single worker busy long after the others have ended. */
const LONGEST = [
  "killed",
  "faults",
  "egress-escapes",
  "errands-data",
  "run-command",
  "worker-processes",
  "command-line",
];

/** Vitest goes by the last run, and by size where there was none: that says little here. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.includes(basename(moduleId, ".test.ts"));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/_harness/global-setup.ts"],
    // Real PostgreSQL, Chromium and processes on a small machine: slow is not wrong.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    pool: "forks",
    // No module here has a state of its own, and loading them all again for each file is a third of the work.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
  },
});
