import { Counter, Gauge, Registry } from "prom-client";
import { TERMINAL_STATUSES } from "../contract/execution.ts";
import { cacheRead } from "../lib/cached-read.ts";
import type { Outcome } from "./execution.ts";
import type { CreateOutcome } from "./execution-store.ts";

/** In the process's default registry, which /metrics serves. */
const creates = new Counter({
  name: "errand_execution_creates_total",
  help: "Requests to create an execution that this process handled, by outcome.",
  labelNames: ["outcome"],
});
const ended = new Counter({
  name: "errand_executions_ended_total",
  help: "Executions that this process ended, by terminal status.",
  labelNames: ["status"],
});
// Start at zero: an alert on an increase would otherwise miss the first one.
for (const status of TERMINAL_STATUSES) ended.inc({ status }, 0);
const failures = new Counter({
  name: "errand_execution_failures_total",
  help: "Executions that this process ended as failed, by terminal status and error code.",
  labelNames: ["status", "code"],
});

/** Error codes that do not look like ours are counted as OTHER, which bounds the label's values. */
const CODE = /^[A-Z][A-Z_]{1,40}$/;

export function countCreate(outcome: CreateOutcome["outcome"] | "key_reused"): void {
  creates.inc({ outcome });
}

export function countEnded(outcome: Outcome, executions = 1): void {
  const { status } = outcome.terminal;
  ended.inc({ status }, executions);
  if (outcome.status === "COMPLETED") return;
  const { code } = outcome.error;
  failures.inc({ status, code: CODE.test(code) ? code : "OTHER" }, executions);
}

const reaped = new Counter({
  name: "errand_executions_reaped_total",
  help: "Executions with an expired lease that this process ended as worker_lost or put back into the queue.",
  labelNames: ["result"],
});
for (const result of ["ended", "put_back"]) reaped.inc({ result }, 0);

export function countReaped({ ended, putBack }: { ended: number; putBack: number }): void {
  reaped.inc({ result: "ended" }, ended);
  reaped.inc({ result: "put_back" }, putBack);
}

/** The database is queried at most once in this time. */
const CACHE_MS = 5_000;
const QUEUE_STATES = ["waiting", "running", "silent"] as const;

/** The state of the whole queue. */
export interface QueueGauge {
  /** The cost does not depend on the backlog. */
  read(): Promise<QueueState>;
}

export interface QueueState {
  /** Counted up to a limit. */
  waiting: number;
  running: number;
  /** Running executions whose lease has expired. */
  silent: number;
  oldestWaitSeconds: number;
}

/**
 * The state of the queue. All processes on a database report the same, so take the maximum and not the sum. While the
 * database is unavailable there is no value rather than a stale one.
 */
export function createQueueMetrics(queue: QueueGauge, onFailure: (error: unknown) => void): Registry {
  const registry = new Registry();
  const readState = cacheRead(() => queue.read(), CACHE_MS, onFailure);
  const executions = new Gauge({
    name: "errand_queue_executions",
    help: "Executions in the database by state: waiting (counted up to 10000), running, or silent (the worker's lease expired).",
    labelNames: ["state"],
    registers: [registry],
    async collect() {
      const state = await readState();
      executions.reset();
      if (state === null) return;
      for (const name of QUEUE_STATES) executions.set({ state: name }, state[name]);
    },
  });
  const oldestWait = new Gauge({
    name: "errand_queue_oldest_wait_seconds",
    help: "How long the connection that is next has waited for a worker; 0 when none waits.",
    registers: [registry],
    async collect() {
      const state = await readState();
      if (state === null) oldestWait.remove();
      else oldestWait.set(state.oldestWaitSeconds);
    },
  });

  return registry;
}
