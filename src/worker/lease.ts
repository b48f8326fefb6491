import { StopReason } from "../agent/loop/errand.ts";
import type { ExecutionUpdates } from "../executions/execution-store.ts";
import { cancelTopic, type LeaseState, type QueueStore } from "../executions/queue.ts";
import { createOutageLog, type Logger } from "../lib/logger.ts";
import { countLeaseFailure } from "./run-telemetry.ts";

interface LeaseOptions {
  executionId: string;
  fence: number;
  leaseMs: number;
  /** `performance.now()` from before the claim was sent: the lease cannot be older. */
  claimedAtMs: number;
  queue: Pick<QueueStore, "extend" | "checkLease">;
  updates: ExecutionUpdates;
  logger: Logger;
  /** Called one or more times; the first reason counts. */
  stop(reason: StopReason): void;
}

/** A cancellation is noticed within this time even when all notifications are lost. */
const CHECK_MS = 5_000;
const RETRY_MS = 1_000;
const LEASE_OUTAGE = {
  failed: "Lease check failed; retrying",
  recovered: "Lease check works again",
};
/** Fraction of the lease that a run gets to stop before others may treat it as lost. */
const MARGIN = 0.1;

/**
 * Extends a lease at a third of its length, and stops the run when the lease is lost or cancellation is requested. While the
 * database is unreachable the lease counts as lost a little before it expires.
 */
export function holdLease(options: LeaseOptions): AsyncDisposable {
  const { executionId, fence, leaseMs, queue, updates, logger, stop } = options;
  const outage = createOutageLog(logger, LEASE_OUTAGE);
  let heldUntilMs = 0;
  let extendAtMs = 0;
  let ending: NodeJS.Timeout | undefined;
  let retrying: NodeJS.Timeout | undefined;
  let checking: Promise<void> | null = null;
  let isCheckPending = false;

  /** Counts from before the request was sent, by the monotonic clock: the real lease never ends earlier. */
  function hold(sinceMs: number): void {
    heldUntilMs = sinceMs + leaseMs * (1 - MARGIN);
    extendAtMs = sinceMs + leaseMs / 3;
    clearTimeout(ending);
    ending = setTimeout(() => stop(new StopReason("lease_lost")), heldUntilMs - performance.now());
  }

  async function checkOrExtend(): Promise<LeaseState | null> {
    const sentAtMs = performance.now();
    if (sentAtMs < extendAtMs) return queue.checkLease(executionId, fence);
    const lease = await queue.extend(executionId, fence, leaseMs);
    if (lease !== null) hold(sentAtMs);
    return lease;
  }

  async function check(): Promise<void> {
    try {
      const lease = await checkOrExtend();
      outage.succeed();
      if (lease === null) {
        countLeaseFailure("lost");
        stop(new StopReason("lease_lost"));
      } else if (lease.cancelRequested) stop(new StopReason("canceled"));
    } catch (error) {
      countLeaseFailure("unreachable");
      outage.fail(error);
      retrying ??= setTimeout(() => {
        retrying = undefined;
        checkSoon();
      }, RETRY_MS);
    }
  }

  function checkSoon(): void {
    if (performance.now() >= heldUntilMs) stop(new StopReason("lease_lost"));
    isCheckPending = checking !== null;
    checking ??= check().finally(() => {
      checking = null;
      // A notification during the check may be newer than what the check read.
      if (isCheckPending) checkSoon();
    });
  }

  hold(options.claimedAtMs);
  const subscription = updates.subscribe(cancelTopic(executionId), checkSoon);
  const ticks = onTick(Math.min(CHECK_MS, leaseMs / 3), checkSoon);
  return {
    async [Symbol.asyncDispose]() {
      subscription[Symbol.dispose]();
      ticks[Symbol.dispose]();
      isCheckPending = false;
      await checking;
      clearTimeout(ending);
      clearTimeout(retrying);
    },
  };
}

/**
 * Calls the listener at multiples of the interval by the clock of this process, so that the heartbeats of all its runs come
 * together and share a statement.
 */
function onTick(everyMs: number, listener: () => void): Disposable {
  let timer = setTimeout(tick, untilNextMs());

  function tick(): void {
    timer = setTimeout(tick, untilNextMs());
    listener();
  }

  /** Timers may fire up to a millisecond early. */
  function untilNextMs(): number {
    return Math.ceil(everyMs - (performance.now() % everyMs)) + 1;
  }

  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
