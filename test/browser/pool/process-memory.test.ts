import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { createMemoryMeter } from "../../../src/browser/pool/process-guard.ts";

const MANY_BYTES = 200 * 1024 ** 2;
/** For each line of input, starts a child that allocates a lot of memory and reports it. */
const PARENT = `
  const { spawn } = require("node:child_process");
  process.stdin.on("data", () => {
    const greedy = "globalThis.held = Buffer.alloc(${MANY_BYTES}, 1); console.log('ready'); setInterval(() => {}, 1000)";
    spawn(process.execPath, ["-e", greedy], { stdio: ["ignore", "inherit", "inherit"] });
  });
  console.log("ready");`;

it("measures a process right after its start, and nothing once it has ended", async () => {
  const parent = spawn(process.execPath, ["-e", PARENT], { stdio: ["pipe", "pipe", "inherit"], detached: true });
  const end = () => {
    if (parent.exitCode === null && parent.signalCode === null && parent.pid !== undefined)
      process.kill(-parent.pid, "SIGKILL");
  };
  onTestFinished(end);
  await once(parent.stdout, "data");
  const measure = createMemoryMeter(parent.pid ?? 0);
  const alone = measure();
  expect(alone).toBeGreaterThan(0);
  expect(alone).toBeLessThan(MANY_BYTES);
  for (const count of [1, 2]) {
    parent.stdin.write("another");
    await once(parent.stdout, "data");
    expect(measure()).toBeGreaterThan(alone + count * MANY_BYTES * 0.9);
  }
  end();
  await once(parent, "exit");
  await expect.poll(measure).toBe(0);
});
