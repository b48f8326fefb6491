import { Counter, Gauge, Registry } from "prom-client";
import type { QueueGauge, QueueState } from "./queue-store.ts";

/** In the registry of the process, where /metrics finds it. */
const reaped = new Counter({
  name: "errand_executions_reaped_total",
  help: "Executions of silent workers that this process dealt with: ended as worker_lost, or put back into the queue.",
  labelNames: ["result"],
});
for (const result of ["ended", "put_back"]) reaped.inc({ result }, 0);

export function countReaped({ ended, putBack }: { ended: number; putBack: number }): void {
  reaped.inc({ result: "ended" }, ended);
  reaped.inc({ result: "put_back" }, putBack);
}

/** However often it is asked for, the database is asked once in this time. */
const LOOK_EVERY_MS = 5_000;
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
    if (seen === null || performance.now() - seen.atMs > LOOK_EVERY_MS) {
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
