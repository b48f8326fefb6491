import { Counter } from "prom-client";
import type { Outcome } from "./execution-state.ts";
import type { Creation } from "./execution-store.ts";

/** They stand in the registry of the process, where /metrics finds them. */
const creates = new Counter({
  name: "errand_execution_creates_total",
  help: "Requests to create an execution that this process answered, by what became of them.",
  labelNames: ["outcome"],
});
const ended = new Counter({
  name: "errand_executions_ended_total",
  help: "Executions that this process ended, by terminal status and error code; verified ones have the code NONE.",
  labelNames: ["status", "code"],
});

/** A word for anything that is no code of ours: a label must not take whatever comes. */
const CODE = /^[A-Z][A-Z_]{1,40}$/;

export function countCreate(outcome: Creation["outcome"] | "key_reused"): void {
  creates.inc({ outcome });
}

export function countEnded(outcome: Outcome, executions = 1): void {
  const code = outcome.status === "COMPLETED" ? "NONE" : outcome.error.code;
  ended.inc({ status: outcome.terminal.status, code: CODE.test(code) ? code : "OTHER" }, executions);
}
