import type { Outcome } from "../executions/execution-state.ts";
import type { Logger } from "../lib/logger.ts";
import { type Tracer, withSpan } from "../lib/tracing.ts";
import type { Claim } from "../queue/queue-store.ts";
import { countClaim, countRun } from "./run-metrics.ts";
import type { Conclusion } from "./to-outcome.ts";

interface Claimed {
  claim: Claim;
  /** By `performance.now()`. */
  claimedAtMs: number;
}

/** Whoever operates the service hears of a run by this. */
export interface RunFollower {
  /** Every line tells which run it is about. */
  logger: Logger;
  /** Told once, when what became of it stands in the database. */
  end(result: RunResult): void;
}

interface RunResult {
  report: "finished" | "put back" | "lost";
  conclusion: Conclusion;
  steps: number;
}

/** Makes one span, two lines of the log and some counts of a run. */
export async function followRun<Result>(
  { claim, claimedAtMs }: Claimed,
  { logger, tracer }: { logger: Logger; tracer: Tracer },
  run: (follower: RunFollower) => Promise<Result>,
): Promise<Result> {
  const { execution, fence } = claim;
  // Both by the clock of the database: the claim was its last change.
  const waitedMs = execution.updatedAt.getTime() - execution.createdAt.getTime();
  countClaim(waitedMs);
  const counted = countRun(claimedAtMs);
  const span = startSpan({ claim, claimedAtMs }, waitedMs, tracer);
  const ids = { execution_id: execution.id, connection_id: execution.connectionId, fence };
  const lines = logger.child(span?.traceId ? { ...ids, trace_id: span.traceId } : ids);
  let report: RunResult["report"] | "failed" = "failed";

  function end({ report: given, conclusion, steps }: RunResult): void {
    report = given;
    const { status, code, cost } = describe(conclusion);
    const durationMs = Math.round(performance.now() - claimedAtMs);
    lines.info({ report, status, code, duration_ms: durationMs, steps, cost }, "execution ended");
    span?.set({ "errand.report": report, "errand.status": status, "errand.steps": steps });
    if (code !== null) span?.fail(code);
  }

  lines.info({ waited_ms: waitedMs }, "execution started");
  try {
    return await withSpan(span, () => run({ logger: lines, end }));
  } finally {
    counted.end(report);
  }
}

function startSpan({ claim, claimedAtMs }: Claimed, waitedMs: number, tracer: Tracer) {
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

interface Ended {
  status: string;
  code: string | null;
  cost: Extract<Outcome, { status: "COMPLETED" }>["cost"];
}

function describe(conclusion: Conclusion): Ended {
  if (conclusion.kind !== "finish") return { status: conclusion.kind, code: null, cost: null };
  const { outcome } = conclusion;
  const { status } = outcome.terminal;
  if (outcome.status === "COMPLETED") return { status, code: null, cost: outcome.cost };
  return { status, code: outcome.error.code, cost: outcome.aftermath.cost };
}
