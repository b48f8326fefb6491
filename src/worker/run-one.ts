import { waitForUpdate } from "../executions/wait-for-update.ts";
import { reap } from "../queue/reaper.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { type RunReport, type RunSignals, runExecution } from "./run-execution.ts";

interface OneRun {
  executionId: string;
  /** Whether it still waits for somebody to run it. */
  isQueued(): Promise<boolean>;
  /** Ends the waiting for its turn. */
  signal: AbortSignal;
  signals: RunSignals;
}

const LOOK_AGAIN_MS = 1_000;

/**
 * Runs one execution and no other, unless another worker is quicker: exactly one of them gets it. While its connection is
 * busy with another one it waits, and ends what a lost worker has left running there.
 */
export async function runOne(
  { executionId, isQueued, signal, signals }: OneRun,
  dependencies: RunDependencies,
): Promise<RunReport | "not needed"> {
  const { queue, updates, leaseMs } = dependencies;
  while (!signal.aborted) {
    // Listening starts before looking, so that no update falls between the two.
    using update = waitForUpdate(updates, executionId, LOOK_AGAIN_MS, signal);
    const claimedAtMs = performance.now();
    const claim = await queue.claimOne(executionId, leaseMs);
    if (claim !== null) return runExecution({ claim, claimedAtMs }, dependencies, signals);
    if (!(await isQueued())) return "not needed";
    await reap(queue);
    await update.arrived;
  }
  return "not needed";
}
