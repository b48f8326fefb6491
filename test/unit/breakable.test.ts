import { expect, test } from "vitest";
import { interruptible } from "../../src/cli/signals.ts";

/** As the system does, but to this one alone: a test runner may listen, too. */
function tellToStop(known: readonly unknown[]): void {
  for (const listener of process.listeners("SIGTERM")) if (!known.includes(listener)) listener("SIGTERM");
}

test("whoever is told to stop hears of it, and it ends with what that means", async () => {
  const known = process.listeners("SIGTERM");
  const broken = interruptible("Broken off.", async (signal) => {
    tellToStop(known);
    signal.throwIfAborted();
  });
  await expect(broken).rejects.toMatchObject({ code: "BROKEN_OFF", message: "Broken off." });
  expect(process.listeners("SIGTERM")).toEqual(known);
});

test("what holds on is not broken off, and its own errors are told", async () => {
  const known = process.listeners("SIGTERM");
  const aborted = await interruptible("Broken off.", async (signal, hold) => {
    const stopping = hold();
    tellToStop(known);
    return [signal.aborted, stopping.aborted];
  });
  expect(aborted).toEqual([false, true]);
  const failing = interruptible("Broken off.", async (_signal, hold) => {
    hold();
    tellToStop(known);
    throw new Error("the disk is full");
  });
  await expect(failing).rejects.toThrow("the disk is full");
});
