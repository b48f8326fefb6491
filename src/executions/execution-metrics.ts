import { Counter } from "prom-client";
import { TERMINAL_STATUSES } from "../contract/execution.ts";
import type { Outcome } from "./execution.ts";
import type { CreateOutcome } from "./execution-store.ts";

/** They stand in the registry of the process, where /metrics finds them. */
const creates = new Counter({
  name: "errand_execution_creates_total",
  help: "Requests to create an execution that this process answered, by what became of them.",
  labelNames: ["outcome"],
});
const ended = new Counter({
  name: "errand_executions_ended_total",
  help: "Executions that this process ended, by terminal status.",
  labelNames: ["status"],
});
// An alert on an increase sees the first one only if there was a zero before it.
for (const status of TERMINAL_STATUSES) ended.inc({ status }, 0);
const failures = new Counter({
  name: "errand_execution_failures_total",
  help: "Executions that this process ended as failed, by terminal status and error code.",
  labelNames: ["status", "code"],
});

/** A word for anything that is no code of ours: a label must not take whatever comes. */
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
