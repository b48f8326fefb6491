import pg from "pg";
import { Counter, Gauge, Registry } from "prom-client";

/** These are in the default registry, which /metrics includes. */
const failures = new Counter({
  name: "errand_database_failures_total",
  help: "Failed statements by reason: unavailable (not reached, or not in time), conflict (deadlock), constraint or other.",
  labelNames: ["reason"],
});
for (const reason of ["unavailable", "conflict", "constraint", "other"]) failures.inc({ reason }, 0);
const notificationListeners = new Gauge({
  name: "errand_hints_connected",
  help: "Whether this process receives notifications from others (1) or only polls (0).",
});

/** Returns the result of a statement, and counts it if it fails. */
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

export function countNotificationListeners(change: 1 | -1): void {
  notificationListeners.inc(change);
}

/** Gauges for the pools of a process, by name. */
export function createPoolMetrics(pools: Record<string, pg.Pool>): Registry {
  const registry = new Registry();
  const connections = new Gauge({
    name: "errand_database_connections",
    help: "Connections of this process's pools by state: in_use, idle, or free (can still be opened).",
    labelNames: ["pool", "state"],
    registers: [registry],
    collect() {
      for (const [name, { totalCount, idleCount, options }] of Object.entries(pools)) {
        connections.set({ pool: name, state: "in_use" }, totalCount - idleCount);
        connections.set({ pool: name, state: "idle" }, idleCount);
        connections.set({ pool: name, state: "free" }, Math.max(0, options.max - totalCount));
      }
    },
  });
  const waiting = new Gauge({
    name: "errand_database_waiting",
    help: "Statements waiting for a connection of this process's pools.",
    labelNames: ["pool"],
    registers: [registry],
    collect() {
      for (const [name, { waitingCount }] of Object.entries(pools)) waiting.set({ pool: name }, waitingCount);
    },
  });
  return registry;
}

/** Errors that do not come from the server mean that there was no connection, or that it broke. */
function reasonOf(error: unknown): string {
  if (!(error instanceof pg.DatabaseError)) return "unavailable";
  const state = error.code ?? "";
  if (/^(08|53|57|3D)/.test(state)) return "unavailable";
  if (state.startsWith("40")) return "conflict";
  return state.startsWith("23") ? "constraint" : "other";
}
