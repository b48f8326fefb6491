import { Counter, Gauge, Histogram } from "prom-client";

/** They stand in the registry of the process, where /metrics finds them. */
const waits = new Histogram({
  name: "errand_execution_wait_seconds",
  help: "How long executions had been waiting when this process claimed them, by the clock of the database.",
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200],
});
const durations = new Histogram({
  name: "errand_execution_duration_seconds",
  help: "How long executions ran in this process, from claim to end.",
  buckets: [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800],
});
const runs = new Counter({
  name: "errand_runs_total",
  help: "Runs of this process by result: finished, put_back, lost (somebody else has it now) or failed (its end is not written down).",
  labelNames: ["result"],
});
for (const result of ["finished", "put_back", "lost", "failed"]) runs.inc({ result }, 0);
const running = new Gauge({ name: "errand_worker_running", help: "Executions that this process runs now." });
const places = new Gauge({ name: "errand_worker_places", help: "Executions that this process can run at a time." });
const leaseTrouble = new Counter({
  name: "errand_lease_failures_total",
  help: "Looks after a lease that failed: unreachable (the database did not answer) or lost (it belongs to another now).",
  labelNames: ["reason"],
});
for (const reason of ["unreachable", "lost"]) leaseTrouble.inc({ reason }, 0);

export function countClaim(waitedMs: number): void {
  waits.observe(Math.max(0, waitedMs) / 1_000);
}

/** One that is under way until it is told how it came out. */
export function countRun(claimedAtMs: number): { end(result: "finished" | "put back" | "lost" | "failed"): void } {
  running.inc();
  return {
    end(result) {
      running.dec();
      runs.inc({ result: result.replace(" ", "_") });
      if (result === "finished") durations.observe((performance.now() - claimedAtMs) / 1_000);
    },
  };
}

export function countPlaces(count: number): void {
  places.inc(count);
}

export function countLeaseFailure(reason: "unreachable" | "lost"): void {
  leaseTrouble.inc({ reason });
}
