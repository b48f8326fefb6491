import { waitForUpdate } from "../executions/wait-for-update.ts";
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
 * them gets it. While its connection is busy with another it waits, and it ends what lost workers have left behind.
 */
export async function attend(
  { executionId, hasEnded, signal, runSignals }: Attendance,
  dependencies: RunDependencies,
): Promise<"ended" | "no browser" | "not attended"> {
  const { queue, updates, leaseMs } = dependencies;
  while (!signal.aborted) {
    // Listening starts before looking, so that no update falls between the two.
    using update = waitForUpdate(updates, executionId, LOOK_AGAIN_MS, signal);
    const claimedAtMs = performance.now();
    const claim = await queue.claimOne(executionId, leaseMs);
    const report = claim === null ? null : await runExecution({ claim, claimedAtMs }, dependencies, runSignals);
    if (report?.missing.includes("browser")) return "no browser";
    if (await hasEnded()) return "ended";
    await reap(queue);
    await update.arrived;
  }
  return "not attended";
}
