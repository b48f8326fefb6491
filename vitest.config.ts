import { join } from "node:path";
import { defineConfig } from "vitest/config";

// As in bin/errand: what one process has compiled, the hundreds after it need not.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "node_modules/.cache/errand");

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/_harness/global-setup.ts"],
    // Real PostgreSQL, Chromium and processes on a small machine: slow is not wrong.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    pool: "forks",
    restoreMocks: true,
  },
});
