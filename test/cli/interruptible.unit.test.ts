import { expect, test } from "vitest";
import { interruptible } from "../../src/cli/signals.ts";

/** Calls only the new listeners: the test runner may have its own. */
function sendSigterm(known: readonly unknown[]): void {
  for (const listener of process.listeners("SIGTERM")) if (!known.includes(listener)) listener("SIGTERM");
}

test("work that is interrupted is aborted and ends with the given message", async () => {
  const known = process.listeners("SIGTERM");
  const interrupted = interruptible("Interrupted.", async (signal) => {
    sendSigterm(known);
    signal.throwIfAborted();
  });
  await expect(interrupted).rejects.toMatchObject({ code: "BROKEN_OFF", message: "Interrupted." });
  expect(process.listeners("SIGTERM")).toEqual(known);
});

test("after hold, work is not aborted and its own errors are reported", async () => {
  const known = process.listeners("SIGTERM");
  const aborted = await interruptible("Interrupted.", async (signal, hold) => {
    const stopping = hold();
    sendSigterm(known);
    return [signal.aborted, stopping.aborted];
  });
  expect(aborted).toEqual([false, true]);
  const failing = interruptible("Interrupted.", async (_signal, hold) => {
    hold();
    sendSigterm(known);
    throw new Error("the disk is full");
  });
  await expect(failing).rejects.toThrow("the disk is full");
});
