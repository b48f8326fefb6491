import { Counter, Histogram } from "prom-client";
import type { Task } from "./job.ts";

/** In the registry of the process, where /metrics finds them. */
const jobs = new Counter({
  name: "errand_jobs_total",
  help: "Attempts at jobs in this process, by task and outcome: done or failed (tried again as often as the job allows).",
  labelNames: ["task", "outcome"],
});
const durations = new Histogram({
  name: "errand_job_duration_seconds",
  help: "How long attempts at jobs took, by task.",
  labelNames: ["task"],
  buckets: [0.01, 0.1, 0.5, 1, 5, 15, 60, 300],
});

/** The same task, counted under its name. */
export function countJobs(name: string, task: Task): Task {
  for (const outcome of ["done", "failed"]) jobs.inc({ task: name, outcome }, 0);
  return async (payload, context) => {
    const startedAtMs = performance.now();
    try {
      await task(payload, context);
      jobs.inc({ task: name, outcome: "done" });
    } catch (error) {
      jobs.inc({ task: name, outcome: "failed" });
      throw error;
    } finally {
      durations.observe({ task: name }, (performance.now() - startedAtMs) / 1_000);
    }
  };
}
