import { Counter, Gauge, Registry } from "prom-client";
import type { ExecutionRecord, Outcome } from "./execution.ts";
import { WORKER_LOST } from "./outcomes.ts";

/** An execution that one worker holds, for as long as it keeps the lease alive. */
export interface Claim {
  execution: ExecutionRecord;
  /** Every write of the holder names it; an older one is refused. */
  fence: number;
  /** Of its connection, at the moment of the claim. */
  connectionState: "ACTIVE" | "REAUTHORIZATION_REQUIRED";
  application: ApplicationRules;
  /** The trace context of the request that created it. */
  traceparent: string | null;
}

/** What an application allows its runs. */
export interface ApplicationRules {
  allowedHosts: string[];
  homeUrl: string | null;
  signInUrl: string | null;
  access: "all" | "read_only";
}

export interface QueueStore {
  /**
   * The oldest queued execution of the connection that has waited longest, among those with nothing running and whose
   * sign-in is not just being checked; null when there is none. However many claim at once, a connection has one running execution. The cost does not grow with
   * the backlog, and a connection with many queued executions waits its turn like any other.
   */
  claim(leaseMs: number): Promise<Claim | null>;
  /** This one and no other; null when it is not queued, or when its connection is busy. */
  claimOne(executionId: string, leaseMs: number): Promise<Claim | null>;
  /** Keeps the lease alive. Null: it is lost, and so is the right to go on. */
  extend(executionId: string, fence: number, leaseMs: number): Promise<LeaseState | null>;
  /** As `extend`, but only looks. */
  look(executionId: string, fence: number): Promise<LeaseState | null>;
  /** From here on the world may notice. False: the lease is lost, and nothing may be done. */
  begin(executionId: string, fence: number): Promise<boolean>;
  /** Gives back an execution that has not begun; whether it was still ours. */
  putBack(executionId: string, fence: number): Promise<boolean>;
  /** Appends what happened; whether it was still ours to say. */
  appendEvent(
    executionId: string,
    fence: number,
    event: { type: "step" | "verification"; data: object },
  ): Promise<boolean>;
  /** Ends it and settles its credits in one transaction; null when it was not ours any more. */
  finish(executionId: string, fence: number, outcome: Outcome): Promise<ExecutionRecord | null>;
  /** What a connection's application allows; null when there is no such connection. */
  findRules(connectionId: string): Promise<ApplicationRules | null>;
  /** Executions whose lease ran out, with what is needed to end them or to put them back. */
  listExpired(limit: number): Promise<{ id: string; fence: number; hasBegun: boolean }[]>;
}

export interface LeaseState {
  /** Somebody wants it to stop. */
  cancelRequested: boolean;
}

/** The queue as a whole, for whoever watches over it. */
export interface QueueGauge {
  /** Costs the same however many wait. */
  look(): Promise<QueueState>;
}

export interface QueueState {
  /** Counted up to a limit. */
  waiting: number;
  running: number;
  /** Running ones whose lease has run out. */
  silent: number;
  oldestWaitSeconds: number;
}

/** Tells that something may be waiting in the queue. A hint: whoever waits also looks by itself. */
export interface QueueNotifications {
  subscribeQueue(listener: () => void): Disposable;
}

/** In the registry of the process, where /metrics finds it. */
const reaped = new Counter({
  name: "errand_executions_reaped_total",
  help: "Executions of silent workers that this process dealt with: ended as worker_lost, or put back into the queue.",
  labelNames: ["result"],
});
for (const result of ["ended", "put_back"]) reaped.inc({ result }, 0);

function countReaped({ ended, putBack }: { ended: number; putBack: number }): void {
  reaped.inc({ result: "ended" }, ended);
  reaped.inc({ result: "put_back" }, putBack);
}

/** However often it is asked for, the database is asked once in this time. */
const CACHE_MS = 5_000;
const STATES = ["waiting", "running", "silent"] as const;

/**
 * The state of the queue, for one process to tell: all processes on a database tell the same, so take the largest and do not
 * add them up. While the database is away there is no value rather than an old one.
 */
export function createQueueMetrics(queue: QueueGauge, onFailure: (error: unknown) => void): Registry {
  const registry = new Registry();
  const executions = new Gauge({
    name: "errand_queue_executions",
    help: "Executions in the database by state: waiting (counted up to 10000), running, or silent (their worker's lease ran out).",
    labelNames: ["state"],
    registers: [registry],
    async collect() {
      const state = await look();
      executions.reset();
      if (state === null) return;
      for (const name of STATES) executions.set({ state: name }, state[name]);
    },
  });
  const oldestWait = new Gauge({
    name: "errand_queue_oldest_wait_seconds",
    help: "How long the connection whose turn is next has waited for a worker; 0 when none waits.",
    registers: [registry],
    async collect() {
      const state = await look();
      if (state === null) oldestWait.remove();
      else oldestWait.set(state.oldestWaitSeconds);
    },
  });
  let seen: { state: Promise<QueueState | null>; atMs: number } | null = null;

  function look(): Promise<QueueState | null> {
    if (seen === null || performance.now() - seen.atMs > CACHE_MS) {
      const state = queue.look().catch((error: unknown) => {
        onFailure(error);
        return null;
      });
      seen = { state, atMs: performance.now() };
    }
    return seen.state;
  }

  return registry;
}

const BATCH = 100;

/**
 * Deals with executions whose worker has gone silent. One that has begun may have bought something: it is never run
 * again, but ends as lost, uncharged. One that provably has not begun goes back to the queue.
 */
export async function reap(
  store: QueueStore,
  onReaped: (executionId: string, result: "ended" | "put back") => void = () => {},
): Promise<{ ended: number; putBack: number }> {
  const report = { ended: 0, putBack: 0 };
  for (const { id, fence, hasBegun } of await store.listExpired(BATCH)) {
    if (!hasBegun && (await store.putBack(id, fence))) {
      report.putBack += 1;
      onReaped(id, "put back");
    }
    // It may have begun since we looked: then putting back was refused, and it is left to the next round.
    else if (hasBegun && (await store.finish(id, fence, WORKER_LOST)) !== null) {
      report.ended += 1;
      onReaped(id, "ended");
    }
  }
  countReaped(report);
  return report;
}
