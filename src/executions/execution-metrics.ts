import { Counter } from "prom-client";
import { TERMINAL_STATUSES } from "../contract/execution.ts";
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
