import type { SideEffect } from "../agent/actions/side-effects.ts";
import type { ErrandOutcome, StopReason } from "../agent/loop/errand.ts";
import type { Aftermath, Outcome } from "../executions/execution.ts";
import { canceledWhileRunning, internalError, stoppedByShutdown, timedOut } from "../executions/outcomes.ts";
import { toBoundedJson, toStorableJson, toStorableText } from "../lib/storable.ts";

/** How a run ended. */
export type RunEnd =
  | { kind: "ended"; outcome: ErrandOutcome }
  | { kind: "threw"; error: unknown }
  /** It was stopped or overdue and did not return in time. */
  | { kind: "abandoned" };

export interface RunFacts {
  stopReason: StopReason["kind"] | null;
  /** Whether it was stopped because it exceeded its time limit. */
  isOverdue: boolean;
  /** Whether it may have had outside effects. */
  mayHaveBegun: boolean;
  /** Side effects that the steps reported. */
  sideEffects: readonly SideEffect[];
  /** For an internal error: its id in the log. */
  errorId: string;
}

export type Conclusion =
  | { kind: "finish"; outcome: Outcome }
  /** Nothing has been done: it can be run again. */
  | { kind: "put back" }
  /** The lease is lost: nothing may be written. */
  | { kind: "nothing" };

const AFTERMATH_MAX_BYTES = 64 * 1024;
const SIDE_EFFECT_MAX_BYTES = 4 * 1024;

/** A verified result stands, however late a request to stop came. Otherwise the stop reason decides. */
export function conclude(end: RunEnd, facts: RunFacts): Conclusion {
  const { stopReason, mayHaveBegun, isOverdue, errorId } = facts;
  if (stopReason === "lease_lost") return { kind: "nothing" };
  if (end.kind === "ended" && end.outcome.kind === "verified") return finish(completed(end.outcome));
  const aftermath = describeAftermath(end, facts);
  if (isOverdue) return finish(timedOut(aftermath));
  if (stopReason === "canceled") return finish(canceledWhileRunning(aftermath));
  if (stopReason === "shutting_down") return mayHaveBegun ? finish(stoppedByShutdown(aftermath)) : { kind: "put back" };
  if (end.kind === "ended" && end.outcome.kind === "failed") return finish(failed(end.outcome, aftermath));
  return finish(internalError(errorId, aftermath));
}

function finish(outcome: Outcome): Conclusion {
  return { kind: "finish", outcome };
}

function completed({ reason, result, cost }: Extract<ErrandOutcome, { kind: "verified" }>): Outcome {
  return {
    status: "COMPLETED",
    terminal: { status: "verified", reason: toStorableText(reason) },
    result: toStorableJson(result),
    cost,
  };
}

function failed(outcome: Extract<ErrandOutcome, { kind: "failed" }>, aftermath: Aftermath): Outcome {
  return {
    status: "FAILED",
    terminal: { status: outcome.failure, reason: toStorableText(outcome.reason) },
    error: { code: outcome.code, message: toStorableText(outcome.message) },
    aftermath,
  };
}

/** Taken from the run's own report; without one, from its steps. */
function describeAftermath(end: RunEnd, facts: RunFacts): Aftermath {
  const outcome = end.kind === "ended" && end.outcome.kind === "failed" ? end.outcome : null;
  const verdict = outcome?.verdict ?? null;
  return {
    sideEffects: boundSideEffects(outcome?.sideEffects ?? facts.sideEffects),
    verifier: verdict === null ? null : toBoundedJson(verdict, AFTERMATH_MAX_BYTES),
    cost: outcome?.cost ?? null,
  };
}

/** The first ones, and how many were left out. */
function boundSideEffects(sideEffects: readonly SideEffect[]): Aftermath["sideEffects"] {
  const kept: Aftermath["sideEffects"] = [];
  let bytes = 0;
  for (const sideEffect of sideEffects) {
    const entry = { type: sideEffect.type, ...toBoundedJson(sideEffect, SIDE_EFFECT_MAX_BYTES) };
    bytes += JSON.stringify(entry).length;
    if (bytes > AFTERMATH_MAX_BYTES) return [...kept, { type: "left_out", count: sideEffects.length - kept.length }];
    kept.push(entry);
  }
  return kept;
}

/** The model responded: a prompt that is too long or unusable output says nothing about its availability. */
const MODEL_RESPONDED_CODES = ["MODEL_REJECTED", "MODEL_UNUSABLE"];

/** Whether the run failed because the model was unavailable, so that the next run would fail too. */
export function isModelUnavailable(conclusion: Conclusion): boolean {
  if (conclusion.kind !== "finish" || conclusion.outcome.status !== "FAILED") return false;
  const { terminal, error } = conclusion.outcome;
  return terminal.status === "model_error" && !MODEL_RESPONDED_CODES.includes(error.code);
}
