import pg from "pg";
import { Counter, Gauge, Registry } from "prom-client";

/** They stand in the registry of the process, where /metrics finds them. */
const failures = new Counter({
  name: "errand_database_failures_total",
  help: "Statements that failed: unavailable (not reached, or not in time), conflict (a deadlock), constraint or other.",
  labelNames: ["reason"],
});
const listeners = new Gauge({
  name: "errand_hints_connected",
  help: "Whether this process hears at once of what others do (1), or only by looking now and then (0).",
});

/** Passes on what a statement answers, and counts it when it fails. */
export async function countFailures<Result>(statement: Promise<Result>): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    countFailure(error);
    throw error;
  }
}

export function countFailure(error: unknown): void {
  failures.inc({ reason: reasonOf(error) });
}

export function countListeners(change: 1 | -1): void {
  listeners.inc(change);
}

/** The pool as it is whenever somebody asks. */
export function createPoolMetrics(pool: pg.Pool): Registry {
  const registry = new Registry();
  const connections = new Gauge({
    name: "errand_database_connections",
    help: "Connections of this process's pool by state: in_use, idle, or free (may still be opened).",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      connections.set({ state: "in_use" }, pool.totalCount - pool.idleCount);
      connections.set({ state: "idle" }, pool.idleCount);
      connections.set({ state: "free" }, Math.max(0, pool.options.max - pool.totalCount));
    },
  });
  const waiting = new Gauge({
    name: "errand_database_waiting",
    help: "Statements that wait for a connection of this process's pool.",
    registers: [registry],
    collect() {
      waiting.set(pool.waitingCount);
    },
  });
  return registry;
}

/** What does not come from the server itself is a connection that could not be had, or broke. */
function reasonOf(error: unknown): string {
  if (!(error instanceof pg.DatabaseError)) return "unavailable";
  const state = error.code ?? "";
  if (/^(08|53|57|3D)/.test(state)) return "unavailable";
  if (state.startsWith("40")) return "conflict";
  return state.startsWith("23") ? "constraint" : "other";
}
