import { defineConfig } from "vitest/config";

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
