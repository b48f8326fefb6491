import { setTimeout as sleep } from "node:timers/promises";
import { waitForUpdate } from "../executions/executions.ts";
import { type Claim, type QueueNotifications, reap } from "../executions/queue.ts";
import { createOutageLog } from "../lib/logger.ts";
import { Backoff } from "../lib/waiting.ts";
import { RECHECK_MS, type WorkerResource, watchReadiness } from "./readiness.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { type RunHost, type RunReport, runExecution } from "./run-execution.ts";
import { type ClaimedRun, countCapacity } from "./run-telemetry.ts";

/** Takes executions from the queue and runs them, a few at a time. */
export interface Worker {
  /** Resources that are unavailable now. Without the model it claims only executions with a recipe, else nothing. */
  listUnavailable(): readonly WorkerResource[];
  /**
   * Claims nothing new and lets running executions finish. After `graceMs` they are stopped: those that have not begun go
   * back to the queue, the others end.
   */
  drain(graceMs: number): Promise<void>;
}

interface WorkerOptions extends RunDependencies {
  notifications: QueueNotifications;
  concurrency: number;
  /** How often it polls, in case notifications were lost. */
  pollMs?: number;
  reapMs?: number;
  /** How long a successful check of the artifact storage stays valid. */
  recheckMs?: number;
}

const POLL_MS = 2_000;
const REAP_MS = 5_000;
/** How long ended runs may take to be stored while the worker stops. */
const SETTLE_MS = 5_000;

const WAITING_PER_SLOT = 4;

/** Why the worker looks for work: something of its own, or a notification that goes to all workers. */
type Wake = "own" | "notified";

const FREE_RACES = 3;
const MAX_PAUSE_MS = 250;

const POLL_OUTAGE = {
  failed: "Queue poll failed; retrying",
  recovered: "Queue poll works again",
};
const REAP_OUTAGE = {
  failed: "Search for lost executions failed; retrying",
  recovered: "Search for lost executions works again",
};

export function startWorker(options: WorkerOptions): Worker {
  const { queue, usesRecipes, notifications, concurrency, leaseMs, logger } = options;
  const { pollMs = POLL_MS, recheckMs = RECHECK_MS } = options;
  // With a short lease, lost executions must be found sooner.
  const { reapMs = Math.min(REAP_MS, leaseMs / 2) } = options;
  const draining = new AbortController();
  const stopRuns = new AbortController();
  const giveUp = new AbortController();
  const running = new Set<Promise<void>>();
  let waitingForPeople = 0;
  const readiness = watchReadiness(options, logger, { recheckMs, onModelBack: () => wakeUp() });
  let wake = Promise.withResolvers<Wake>();
  let lostRaces = 0;

  const wakeUp = () => wake.resolve("own");

  function noteUnavailable({ unavailable }: RunReport): void {
    for (const resource of unavailable) readiness.requireCheck(resource);
  }

  const host: RunHost = {
    stopRuns: stopRuns.signal,
    giveUp: giveUp.signal,
    async freeSlotWhile(work) {
      waitingForPeople += 1;
      wakeUp();
      try {
        return await work();
      } finally {
        waitingForPeople -= 1;
      }
    },
  };

  /** Their browsers stay open, so only so many runs may wait for people beside those that work. */
  const slotsInUse = () => running.size - Math.min(waitingForPeople, concurrency * WAITING_PER_SLOT);

  function startRun(claimed: ClaimedRun): void {
    const run = runExecution(claimed, options, host)
      .then(noteUnavailable)
      // Its lease expires, and a reaper ends it.
      .catch((error: Error) =>
        logger.error(
          { err: error, execution_id: claimed.claim.execution.id },
          "Run crashed; waiting for its lease to expire",
        ),
      )
      .finally(() => {
        running.delete(run);
        wakeUp();
      });
    running.add(run);
  }

  /** Without the model, only what runs without it. */
  async function claimNext(): Promise<Claim | null> {
    if (readiness.hasModel()) return queue.claim(leaseMs);
    return usesRecipes ? queue.claimWithRecipe(leaseMs) : null;
  }

  /** Claims until all slots are in use. False: others were faster. */
  async function fill(): Promise<boolean> {
    for (let claims = 0; slotsInUse() < concurrency && !draining.signal.aborted; claims += 1) {
      const claimedAtMs = performance.now();
      const claim = await claimNext();
      if (claim === null) return claims > 0;
      // Draining started during the claim.
      if (draining.signal.aborted) return queue.putBack(claim.execution.id, claim.fence);
      startRun({ claim, claimedAtMs });
    }
    return true;
  }

  /** A notification wakes all idle workers, and one gets the execution. Those that keep losing let others go first. */
  async function fillAfter(reason: Wake): Promise<void> {
    if (reason === "notified" && lostRaces > FREE_RACES) {
      await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 5 * 2 ** (lostRaces - FREE_RACES)));
    }
    // Before claiming, so that a notification in the meantime is not missed.
    wake = Promise.withResolvers();
    const isBusy = await fill();
    if (isBusy) lostRaces = 0;
    else if (reason === "notified") lostRaces += 1;
  }

  async function waitForWork(): Promise<Wake> {
    const poll = setTimeout(wakeUp, pollMs);
    const reason = await wake.promise;
    clearTimeout(poll);
    return reason;
  }

  async function claimLoop(): Promise<void> {
    const backoff = new Backoff({ firstMs: 250, maxMs: 15_000 });
    const outage = createOutageLog(logger, POLL_OUTAGE);
    using _subscription = notifications.subscribeQueue(() => wake.resolve("notified"));
    let reason: Wake = "own";
    while (!draining.signal.aborted) {
      await readiness.waitUntilReady(draining.signal);
      try {
        await fillAfter(reason);
        backoff.reset();
        outage.succeed();
        if (!draining.signal.aborted) reason = await waitForWork();
      } catch (error) {
        if (options.isUnavailable(error)) outage.fail(error);
        else logger.warn({ err: error }, POLL_OUTAGE.failed);
        await backoff.wait(draining.signal);
      }
    }
  }

  async function reapLoop(): Promise<void> {
    const outage = createOutageLog(logger, REAP_OUTAGE);
    while (!draining.signal.aborted) {
      // With jitter, so that many workers do not poll at the same time.
      await sleep(reapMs * (0.5 + Math.random()), undefined, { signal: draining.signal }).catch(() => {});
      if (draining.signal.aborted) return;
      const reaping = reap(queue, (execution_id, result) =>
        logger.warn({ execution_id, result }, "Reaped an execution whose lease expired"),
      );
      await reaping.then(outage.succeed).catch((error: Error) => {
        if (options.isUnavailable(error)) outage.fail(error);
        else logger.warn({ err: error }, REAP_OUTAGE.failed);
      });
    }
  }

  countCapacity(concurrency);
  const loops = [claimLoop(), reapLoop()];

  return {
    listUnavailable: readiness.listUnavailable,
    async drain(graceMs) {
      draining.abort();
      countCapacity(-concurrency);
      wakeUp();
      await Promise.all(loops);
      const timers = [
        setTimeout(() => stopRuns.abort(), graceMs),
        setTimeout(() => giveUp.abort(), graceMs + options.stopTimeoutMs + SETTLE_MS),
      ];
      await Promise.all(running);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

interface RunUntilEndedOptions {
  executionId: string;
  hasEnded(): Promise<boolean>;
  /** Stops waiting; a run in progress is stopped by `runSignals`. */
  signal: AbortSignal;
  runSignals: Omit<RunHost, "freeSlotWhile">;
}

const RECHECK_EXECUTION_MS = 1_000;

/**
 * Brings one execution to its end: runs it, and no other, unless another worker claims it first. Waits while its connection
 * is busy, and reaps executions of lost workers. Retries while the database is unavailable: a claim whose response was lost
 * goes back to the queue when its lease expires.
 */
export async function runUntilEnded(
  options: RunUntilEndedOptions,
  dependencies: RunDependencies,
): Promise<"ended" | "no browser" | "stopped"> {
  const { executionId, signal } = options;
  const { updates, isUnavailable } = dependencies;
  const backoff = new Backoff({ firstMs: 250, maxMs: 5_000 });
  while (!signal.aborted) {
    // Subscribe before checking, so that no update is missed in between.
    using update = waitForUpdate(updates, executionId, RECHECK_EXECUTION_MS, signal);
    try {
      const end = await tryToRun(options, dependencies);
      if (end !== null) return end;
      backoff.reset();
      await update.arrived;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await backoff.wait(signal);
    }
  }
  return "stopped";
}

async function tryToRun({ executionId, hasEnded, runSignals }: RunUntilEndedOptions, dependencies: RunDependencies) {
  const { queue, leaseMs } = dependencies;
  const host: RunHost = { ...runSignals, freeSlotWhile: (work) => work() };
  const claimedAtMs = performance.now();
  const claim = await queue.claimOne(executionId, leaseMs);
  const report = claim === null ? null : await runExecution({ claim, claimedAtMs }, dependencies, host);
  if (report?.unavailable.includes("browser")) return "no browser";
  if (await hasEnded()) return "ended";
  await reap(queue);
  return null;
}
