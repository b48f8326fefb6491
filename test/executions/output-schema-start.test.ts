import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { createOutputSchemaChecker } from "../../src/executions/output-schema-checker.ts";

/** Loads for a second, as on a busy machine, and then responds at once. */
const SLOW_TO_START = `
  const { parentPort } = require("node:worker_threads");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  parentPort.on("message", () => parentPort.postMessage({ kind: "fine" }));
  parentPort.postMessage("ready");`;
const NEVER_STARTS = `process.exit(1);`;

it("the time for checking a schema does not include the start of the thread", async () => {
  const createThread = () => new Worker(SLOW_TO_START, { eval: true });
  await using checker = createOutputSchemaChecker({ deadlineMs: 700, createThread });
  expect(await checker.findProblem({ type: "object" }, "somebody")).toBeNull();
});

it("a thread that does not start is not the schema's fault", async () => {
  const createThread = () => new Worker(NEVER_STARTS, { eval: true });
  await using checker = createOutputSchemaChecker({ createThread });
  await expect(checker.findProblem({ type: "object" }, "somebody")).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
