import { Counter, Gauge, Histogram } from "prom-client";
import type { Outcome } from "../executions/execution.ts";
import type { Claim } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import { type Tracer, withSpan } from "../lib/tracing.ts";
import type { Conclusion } from "./conclusion.ts";

export interface ClaimedRun {
  claim: Claim;
  /** `performance.now()` from before the claim was sent. */
  claimedAtMs: number;
}

/** Log, metrics and trace of one run. */
export interface RunRecorder {
  /** Every line carries the ids of the run. */
  logger: Logger;
  /** Called once, when the result has been stored. */
  end(result: RunResult): void;
}

interface RunResult {
  settled: "finished" | "put back" | "lost";
  conclusion: Conclusion;
  steps: number;
}

/** Records a run as one span, two log lines and metrics. */
export async function recordRun<Result>(
  { claim, claimedAtMs }: ClaimedRun,
  { logger, tracer }: { logger: Logger; tracer: Tracer },
  run: (recorder: RunRecorder) => Promise<Result>,
): Promise<Result> {
  const { execution, fence } = claim;
  // Both by the database's clock: the claim was the last change.
  const waitedMs = execution.updatedAt.getTime() - execution.createdAt.getTime();
  countClaim(waitedMs);
  const counted = countRun(claimedAtMs);
  const span = startSpan({ claim, claimedAtMs }, waitedMs, tracer);
  const ids = { execution_id: execution.id, connection_id: execution.connectionId, fence };
  const lines = logger.child(span?.traceId ? { ...ids, trace_id: span.traceId } : ids);
  let result: RunResult["settled"] | "failed" = "failed";

  function end({ settled, conclusion, steps }: RunResult): void {
    result = settled;
    const { status, code, cost } = summarize(conclusion);
    const durationMs = Math.round(performance.now() - claimedAtMs);
    lines.info({ report: settled, status, code, duration_ms: durationMs, steps, cost }, "Execution ended");
    span?.set({ "errand.report": settled, "errand.status": status, "errand.steps": steps });
    if (code !== null) span?.fail(code);
  }

  lines.info({ waited_ms: waitedMs }, "Execution started");
  try {
    return await withSpan(span, () => run({ logger: lines, end }));
  } finally {
    counted.end(result);
  }
}

function startSpan({ claim, claimedAtMs }: ClaimedRun, waitedMs: number, tracer: Tracer) {
  const { execution, fence, traceparent } = claim;
  return tracer.start("execution.run", {
    parent: traceparent,
    kind: "consumer",
    agoMs: performance.now() - claimedAtMs,
    attributes: {
      "errand.execution_id": execution.id,
      "errand.connection_id": execution.connectionId,
      "errand.fence": fence,
      "errand.waited_ms": waitedMs,
    },
  });
}

interface ConclusionSummary {
  status: string;
  code: string | null;
  cost: Extract<Outcome, { status: "COMPLETED" }>["cost"];
}

function summarize(conclusion: Conclusion): ConclusionSummary {
  if (conclusion.kind !== "finish") return { status: conclusion.kind, code: null, cost: null };
  const { outcome } = conclusion;
  const { status } = outcome.terminal;
  if (outcome.status === "COMPLETED") return { status, code: null, cost: outcome.cost };
  return { status, code: outcome.error.code, cost: outcome.aftermath.cost };
}

/** In the process's default registry, which /metrics serves. */
const waits = new Histogram({
  name: "errand_execution_wait_seconds",
  help: "How long executions had been waiting when this process claimed them, by the database's clock.",
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200],
});
const durations = new Histogram({
  name: "errand_execution_duration_seconds",
  help: "How long executions ran in this process, from claim to end.",
  buckets: [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800],
});
const runs = new Counter({
  name: "errand_runs_total",
  help: "Runs of this process by result: finished, put_back, lost (another process has it now) or failed (its end was not stored).",
  labelNames: ["result"],
});
for (const result of ["finished", "put_back", "lost", "failed"]) runs.inc({ result }, 0);
const running = new Gauge({ name: "errand_worker_running", help: "Executions running in this process." });
const capacity = new Gauge({
  name: "errand_worker_places",
  help: "Executions that this process can run concurrently.",
});
const leaseFailures = new Counter({
  name: "errand_lease_failures_total",
  help: "Lease checks that failed: unreachable (the database did not respond) or lost (another process has the lease now).",
  labelNames: ["reason"],
});
for (const reason of ["unreachable", "lost"]) leaseFailures.inc({ reason }, 0);

function countClaim(waitedMs: number): void {
  waits.observe(Math.max(0, waitedMs) / 1_000);
}

/** Counts a run as running until `end` is called. */
function countRun(claimedAtMs: number): { end(result: "finished" | "put back" | "lost" | "failed"): void } {
  running.inc();
  return {
    end(result) {
      running.dec();
      runs.inc({ result: result.replace(" ", "_") });
      if (result === "finished") durations.observe((performance.now() - claimedAtMs) / 1_000);
    },
  };
}

export function countCapacity(count: number): void {
  capacity.inc(count);
}

const recipes = new Counter({
  name: "errand_recipes_total",
  help: "What runs of this process did with recipes: used, replayed, healed, failed, learned, not_learned or set_aside.",
  labelNames: ["outcome"],
});
export type RecipeReport = "used" | "replayed" | "healed" | "failed" | "learned" | "not_learned" | "set_aside";
for (const outcome of ["replayed", "healed", "failed", "set_aside"]) recipes.inc({ outcome }, 0);

export function countRecipe(outcome: RecipeReport): void {
  recipes.inc({ outcome });
}

export function countLeaseFailure(reason: "unreachable" | "lost"): void {
  leaseFailures.inc({ reason });
}
