import { StopReason } from "../agent/loop/errand.ts";
import type { ExecutionUpdates } from "../executions/execution-store.ts";
import type { LeaseState, QueueStore } from "../executions/queue.ts";
import { createOutageLog, type Logger } from "../lib/logger.ts";
import { countLeaseFailure } from "./run-telemetry.ts";

interface LeaseOptions {
  executionId: string;
  fence: number;
  leaseMs: number;
  /** By `performance.now()`, from before the claim was sent: the lease cannot be older than that. */
  claimedAtMs: number;
  queue: Pick<QueueStore, "extend" | "look">;
  updates: ExecutionUpdates;
  logger: Logger;
  /** Called once or more with why the run must stop; the first reason is the one that counts. */
  stop(reason: StopReason): void;
}

/** A cancellation is noticed within this time even when every hint is lost. */
const CHECK_MS = 1_000;
const LEASE_OUTAGE = {
  broken: "the lease could not be looked after: trying again",
  mended: "the lease is looked after again",
};
/** Of the lease, for a run to come to a stop before others may take it for lost. */
const MARGIN = 0.1;

/**
 * Keeps a lease alive at a third of its length, and stops the run when it is lost or when somebody wants it to stop. A
 * database that cannot be reached loses the lease too, a little before it runs out.
 */
export function holdLease(options: LeaseOptions): AsyncDisposable {
  const { executionId, fence, leaseMs, queue, updates, logger, stop } = options;
  const outage = createOutageLog(logger, LEASE_OUTAGE);
  let heldUntilMs = 0;
  let extendAtMs = 0;
  let ending: NodeJS.Timeout | undefined;
  let checking: Promise<void> | null = null;
  let isHinted = false;

  /** Both by the monotonic clock, from before the database was asked: what is left of the lease is never less. */
  function hold(sinceMs: number): void {
    heldUntilMs = sinceMs + leaseMs * (1 - MARGIN);
    extendAtMs = sinceMs + leaseMs / 3;
    clearTimeout(ending);
    ending = setTimeout(() => stop(new StopReason("lease_lost")), heldUntilMs - performance.now());
  }

  async function ask(): Promise<LeaseState | null> {
    const askedAtMs = performance.now();
    if (askedAtMs < extendAtMs) return queue.look(executionId, fence);
    const holding = await queue.extend(executionId, fence, leaseMs);
    if (holding !== null) hold(askedAtMs);
    return holding;
  }

  async function check(): Promise<void> {
    try {
      const holding = await ask();
      outage.succeed();
      if (holding === null) {
        countLeaseFailure("lost");
        stop(new StopReason("lease_lost"));
      } else if (holding.cancelRequested) stop(new StopReason("canceled"));
    } catch (error) {
      countLeaseFailure("unreachable");
      outage.fail(error);
    }
  }

  function checkSoon(): void {
    if (performance.now() >= heldUntilMs) stop(new StopReason("lease_lost"));
    isHinted = checking !== null;
    checking ??= check().finally(() => {
      checking = null;
      // What came while we looked may be newer than what we saw.
      if (isHinted) checkSoon();
    });
  }

  hold(options.claimedAtMs);
  const subscription = updates.subscribe(executionId, checkSoon);
  const timer = setInterval(checkSoon, Math.min(CHECK_MS, leaseMs / 3));
  // It may have been asked to stop before it was put back and claimed again.
  checkSoon();
  return {
    async [Symbol.asyncDispose]() {
      subscription[Symbol.dispose]();
      clearInterval(timer);
      isHinted = false;
      await checking;
      clearTimeout(ending);
    },
  };
}
