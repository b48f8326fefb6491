import { Counter, Histogram } from "prom-client";

/** They stand in the registry of the process, where /metrics finds them. */
const ended = new Counter({
  name: "errand_executions_ended_total",
  help: "Executions that this process ended, by how.",
  labelNames: ["status"],
});
const durations = new Histogram({
  name: "errand_execution_duration_seconds",
  help: "How long executions ran in this process, from claim to end.",
  buckets: [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800],
});
export function countEnd(status: string, durationMs: number): void {
  ended.inc({ status });
  durations.observe(durationMs / 1_000);
}
