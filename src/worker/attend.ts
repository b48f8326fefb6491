import { waitForUpdate } from "../executions/wait-for-update.ts";
import { Backoff } from "../lib/backoff.ts";
import { reap } from "../queue/reaper.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { type RunSignals, runExecution } from "./run-execution.ts";

interface Attendance {
  executionId: string;
  hasEnded(): Promise<boolean>;
  /** Ends the attendance between two looks; a run of ours is stopped by `runSignals`. */
  signal: AbortSignal;
  runSignals: RunSignals;
}

const LOOK_AGAIN_MS = 1_000;

/**
 * Sees to it that one execution comes to its end: runs it, and no other, unless another worker is quicker; exactly one of
 * them gets it. While its connection is busy with another it waits, and it ends what lost workers have left behind. A
 * database that is away is waited for: what was taken meanwhile is given back when its lease has run out.
 */
export async function attend(
  attendance: Attendance,
  dependencies: RunDependencies,
): Promise<"ended" | "no browser" | "not attended"> {
  const { executionId, signal } = attendance;
  const { updates, isUnavailable } = dependencies;
  const backoff = new Backoff({ firstMs: 250, maxMs: 5_000 });
  while (!signal.aborted) {
    // Listening starts before looking, so that no update falls between the two.
    using update = waitForUpdate(updates, executionId, LOOK_AGAIN_MS, signal);
    try {
      const end = await look(attendance, dependencies);
      if (end !== null) return end;
      backoff.reset();
      await update.arrived;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await backoff.wait(signal);
    }
  }
  return "not attended";
}

async function look({ executionId, hasEnded, runSignals }: Attendance, dependencies: RunDependencies) {
  const { queue, leaseMs } = dependencies;
  const claimedAtMs = performance.now();
  const claim = await queue.claimOne(executionId, leaseMs);
  const report = claim === null ? null : await runExecution({ claim, claimedAtMs }, dependencies, runSignals);
  if (report?.missing.includes("browser")) return "no browser";
  if (await hasEnded()) return "ended";
  await reap(queue);
  return null;
}
