import type { ExecutionResult, ExecutionStatus, Failure } from "../contract/execution.ts";

/** Which states an execution may go to from each. An execution that provably did not start is put back. */
const TRANSITIONS: Record<ExecutionStatus, readonly ExecutionStatus[]> = {
  QUEUED: ["RUNNING", "FAILED"],
  RUNNING: ["QUEUED", "COMPLETED", "FAILED"],
  COMPLETED: [],
  FAILED: [],
};

export function canMove(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return TRANSITIONS[from].includes(to);
}

export function isTerminal(status: ExecutionStatus): boolean {
  return TRANSITIONS[status].length === 0;
}

/** How an execution ends. */
export type Outcome =
  | {
      status: "COMPLETED";
      terminal: { status: "verified"; reason: string };
      result: ExecutionResult;
      /** What its models took, for the last event; null without any. */
      cost: object | null;
    }
  | {
      status: "FAILED";
      terminal: { status: Failure; reason: string };
      error: { code: string; message: string };
      /** What it left behind, for the last event: a failed execution has no result to say it in. */
      aftermath: Aftermath;
    };

export type FailedOutcome = Extract<Outcome, { status: "FAILED" }>;

export interface Aftermath {
  /** What the run changed, or may have changed, before it failed. */
  sideEffects: ExecutionResult["evidence"]["side_effects"];
  /** What the verifier found; null when it was not asked. */
  verifier: object | null;
  /** What its models took; null without any. */
  cost: object | null;
}

export const NO_AFTERMATH: Aftermath = { sideEffects: [], verifier: null, cost: null };
