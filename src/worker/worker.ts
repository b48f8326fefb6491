import { setTimeout as sleep } from "node:timers/promises";
import { waitForUpdate } from "../executions/executions.ts";
import { type QueueNotifications, reap } from "../executions/queue.ts";
import { createOutageLog } from "../lib/logger.ts";
import { Backoff } from "../lib/waiting.ts";
import { RECHECK_MS, type WorkerResource, watchReadiness } from "./readiness.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { type ClaimedRun, type RunReport, type RunSignals, runExecution } from "./run-execution.ts";
import { countCapacity } from "./run-telemetry.ts";

/** Takes executions from the queue and runs them, a few at a time. */
export interface Worker {
  /** What it cannot have right now, and without which it takes nothing. */
  missing(): readonly WorkerResource[];
  /**
   * Takes nothing new and lets what runs come to its end; after `graceMs` it is told to stop: what has not begun goes back
   * to the queue, what has begun ends.
   */
  drain(graceMs: number): Promise<void>;
}

interface WorkerOptions extends RunDependencies {
  hints: QueueNotifications;
  concurrency: number;
  /** How often it looks by itself, for hints that were lost. */
  pollMs?: number;
  reapMs?: number;
  /** How long a good answer about the place for artifacts is believed. */
  recheckMs?: number;
}

const POLL_MS = 2_000;
const REAP_MS = 5_000;
/** How long ended runs have, while the worker stops, to be written down. */
const SETTLE_MS = 5_000;

const POLL_OUTAGE = {
  broken: "the queue could not be looked at: trying again",
  mended: "the queue can be looked at again",
};
const REAP_OUTAGE = {
  broken: "lost executions could not be looked for: trying again",
  mended: "lost executions are looked for again",
};

export function startWorker(options: WorkerOptions): Worker {
  const { queue, hints, concurrency, leaseMs, logger, pollMs = POLL_MS, recheckMs = RECHECK_MS } = options;
  // With a short lease lost executions are to be found soon, too.
  const { reapMs = Math.min(REAP_MS, leaseMs / 2) } = options;
  const draining = new AbortController();
  const stopRuns = new AbortController();
  const giveUp = new AbortController();
  const running = new Set<Promise<void>>();
  const means = watchReadiness(options, logger, recheckMs);
  let wake = Promise.withResolvers<void>();

  const wakeUp = () => wake.resolve();

  function note({ missing }: RunReport): void {
    for (const each of missing) means.doubt(each);
  }

  function startRun(claimed: ClaimedRun): void {
    const run = runExecution(claimed, options, { stopRuns: stopRuns.signal, giveUp: giveUp.signal })
      .then(note)
      // Left to whoever reaps: its lease runs out.
      .catch((error: Error) => logger.error({ err: error, execution_id: claimed.claim.execution.id }, "a run was lost"))
      .finally(() => {
        running.delete(run);
        wakeUp();
      });
    running.add(run);
  }

  /** Fills the free places. */
  async function fill(): Promise<void> {
    while (running.size < concurrency && !draining.signal.aborted) {
      const claimedAtMs = performance.now();
      const claim = await queue.claim(leaseMs);
      if (claim === null) return;
      // It was being taken while the draining began.
      if (draining.signal.aborted) return void (await queue.putBack(claim.execution.id, claim.fence));
      startRun({ claim, claimedAtMs });
    }
  }

  async function waitForWork(): Promise<void> {
    const poll = setTimeout(wakeUp, pollMs);
    await wake.promise;
    clearTimeout(poll);
  }

  async function claimLoop(): Promise<void> {
    const backoff = new Backoff({ firstMs: 250, maxMs: 15_000 });
    const outage = createOutageLog(logger, POLL_OUTAGE);
    using _subscription = hints.subscribeQueue(wakeUp);
    while (!draining.signal.aborted) {
      await means.untilSure(draining.signal);
      // Before looking, so that a hint which comes meanwhile is not slept over.
      wake = Promise.withResolvers();
      try {
        await fill();
        backoff.reset();
        outage.succeed();
        if (!draining.signal.aborted) await waitForWork();
      } catch (error) {
        if (options.isUnavailable(error)) outage.fail(error);
        else logger.warn({ err: error }, POLL_OUTAGE.broken);
        await backoff.wait(draining.signal);
      }
    }
  }

  async function reapLoop(): Promise<void> {
    const outage = createOutageLog(logger, REAP_OUTAGE);
    while (!draining.signal.aborted) {
      // A little by chance, so that many workers do not look at the same time.
      await sleep(reapMs * (0.5 + Math.random()), undefined, { signal: draining.signal }).catch(() => {});
      if (draining.signal.aborted) return;
      const reaping = reap(queue, (execution_id, result) =>
        logger.warn({ execution_id, result }, "dealt with an execution whose worker went silent"),
      );
      await reaping.then(outage.succeed).catch((error: Error) => {
        if (options.isUnavailable(error)) outage.fail(error);
        else logger.warn({ err: error }, REAP_OUTAGE.broken);
      });
    }
  }

  countCapacity(concurrency);
  const loops = [claimLoop(), reapLoop()];

  return {
    missing: means.missing,
    async drain(graceMs) {
      draining.abort();
      countCapacity(-concurrency);
      wakeUp();
      await Promise.all(loops);
      const timers = [
        setTimeout(() => stopRuns.abort(), graceMs),
        setTimeout(() => giveUp.abort(), graceMs + options.stopPatienceMs + SETTLE_MS),
      ];
      await Promise.all(running);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

interface RunUntilEndedOptions {
  executionId: string;
  hasEnded(): Promise<boolean>;
  /** Ends the attendance between two looks; a run of ours is stopped by `runSignals`. */
  signal: AbortSignal;
  runSignals: RunSignals;
}

const RECHECK_EXECUTION_MS = 1_000;

/**
 * Sees to it that one execution comes to its end: runs it, and no other, unless another worker is quicker; exactly one of
 * them gets it. While its connection is busy with another it waits, and it ends what lost workers have left behind. A
 * database that is away is waited for: what was taken meanwhile is given back when its lease has run out.
 */
export async function runUntilEnded(
  attendance: RunUntilEndedOptions,
  dependencies: RunDependencies,
): Promise<"ended" | "no browser" | "not attended"> {
  const { executionId, signal } = attendance;
  const { updates, isUnavailable } = dependencies;
  const backoff = new Backoff({ firstMs: 250, maxMs: 5_000 });
  while (!signal.aborted) {
    // Listening starts before looking, so that no update falls between the two.
    using update = waitForUpdate(updates, executionId, RECHECK_EXECUTION_MS, signal);
    try {
      const end = await tryToRun(attendance, dependencies);
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

async function tryToRun({ executionId, hasEnded, runSignals }: RunUntilEndedOptions, dependencies: RunDependencies) {
  const { queue, leaseMs } = dependencies;
  const claimedAtMs = performance.now();
  const claim = await queue.claimOne(executionId, leaseMs);
  const report = claim === null ? null : await runExecution({ claim, claimedAtMs }, dependencies, runSignals);
  if (report?.missing.includes("browser")) return "no browser";
  if (await hasEnded()) return "ended";
  await reap(queue);
  return null;
}
