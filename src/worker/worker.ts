import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "../lib/backoff.ts";
import { createOutageLog } from "../lib/outage-log.ts";
import type { QueueHints } from "../queue/queue-store.ts";
import { reap } from "../queue/reaper.ts";
import { type Means, RECHECK_MS, watchMeans } from "./means.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { type ClaimedRun, type RunReport, runExecution } from "./run-execution.ts";
import { countPlaces } from "./run-metrics.ts";

/** Takes executions from the queue and runs them, a few at a time. */
export interface Worker {
  /** What it cannot have right now, and without which it takes nothing. */
  missing(): readonly Means[];
  /**
   * Takes nothing new and lets what runs come to its end; after `graceMs` it is told to stop: what has not begun goes back
   * to the queue, what has begun ends.
   */
  drain(graceMs: number): Promise<void>;
}

interface WorkerOptions extends RunDependencies {
  hints: QueueHints;
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

const LOOKING = {
  broken: "the queue could not be looked at: trying again",
  mended: "the queue can be looked at again",
};
const REAPING = {
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
  const means = watchMeans(options, logger, recheckMs);
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
    const outage = createOutageLog(logger, LOOKING);
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
        else logger.warn({ err: error }, LOOKING.broken);
        await backoff.wait(draining.signal);
      }
    }
  }

  async function reapLoop(): Promise<void> {
    const outage = createOutageLog(logger, REAPING);
    while (!draining.signal.aborted) {
      // A little by chance, so that many workers do not look at the same time.
      await sleep(reapMs * (0.5 + Math.random()), undefined, { signal: draining.signal }).catch(() => {});
      if (draining.signal.aborted) return;
      const reaping = reap(queue, (execution_id, result) =>
        logger.warn({ execution_id, result }, "dealt with an execution whose worker went silent"),
      );
      await reaping.then(outage.succeed).catch((error: Error) => {
        if (options.isUnavailable(error)) outage.fail(error);
        else logger.warn({ err: error }, REAPING.broken);
      });
    }
  }

  countPlaces(concurrency);
  const loops = [claimLoop(), reapLoop()];

  return {
    missing: means.missing,
    async drain(graceMs) {
      draining.abort();
      countPlaces(-concurrency);
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
