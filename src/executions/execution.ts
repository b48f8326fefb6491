import type { Execution, ExecutionResult, ExecutionStatus } from "../contract/execution.ts";
import type { ExecutionErrorCode, Failure } from "../contract/execution-error.ts";
import type { ChosenRecipe } from "../recipes/match-recipe.ts";
import type { RecipeOutcome } from "../recipes/recipe.ts";

/** An execution as it is stored. */
export interface ExecutionRecord {
  id: string;
  connectionId: string;
  status: ExecutionStatus;
  terminal: { status: "verified" | Failure; reason: string } | null;
  prompt: string;
  startUrl: string | null;
  outputSchema: Record<string, unknown> | null;
  /** Null: what the application and the user want. */
  approval: "never" | "commits" | null;
  /** For events and webhooks. */
  metadata: Readonly<Record<string, string>>;
  /** The recipe that it runs with; the outcome is null until the run ends. */
  recipe: (ChosenRecipe & { outcome: RecipeOutcome["kind"] | null }) | null;
  result: ExecutionResult | null;
  error: { code: string; message: string } | null;
  credits: number;
  charged: boolean;
  createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null;
}

/** The wire object: exactly the contract's fields, every key always present. */
export function toWire(record: ExecutionRecord): Execution {
  return {
    id: record.id,
    status: record.status,
    terminal: record.terminal,
    prompt: record.prompt,
    start_url: record.startUrl,
    output_schema: record.outputSchema,
    result: record.result,
    error: record.error,
    usage: { credits: record.credits, charged: record.charged },
    created_at: record.createdAt.toISOString(),
    updated_at: record.updatedAt.toISOString(),
    completed_at: record.completedAt?.toISOString() ?? null,
  };
}

/** Allowed transitions. An execution that provably did not begin goes back from RUNNING to QUEUED. */
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
      /** Model usage, for the last event; null without a model. */
      cost: object | null;
    }
  | {
      status: "FAILED";
      terminal: { status: Failure; reason: string };
      error: { code: ExecutionErrorCode; message: string };
      /** For the last event: a failed execution has no result that could carry this. */
      aftermath: Aftermath;
    };

export type FailedOutcome = Extract<Outcome, { status: "FAILED" }>;

export interface Aftermath {
  /** Changes that the run made, or may have made, before it failed. */
  sideEffects: ExecutionResult["evidence"]["side_effects"];
  /** The verifier's verdict; null when it did not run. */
  verifier: object | null;
  /** Model usage; null without a model. */
  cost: object | null;
}

export const NO_AFTERMATH: Aftermath = { sideEffects: [], verifier: null, cost: null };
