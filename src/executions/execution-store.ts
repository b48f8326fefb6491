import type { ExecutionStatus } from "../contract/execution.ts";
import type { ExecutionEvent } from "../contract/execution-event.ts";
import type { ChosenRecipe } from "../recipes/match-recipe.ts";
import type { ExecutionRecord } from "./execution.ts";

export interface NewExecution {
  connectionId: string;
  prompt: string;
  /** Null: the application's home page. */
  startUrl: string | null;
  outputSchema: Record<string, unknown> | null;
  /** Null: what the application and the user want. */
  approval: "never" | "commits" | null;
  metadata: Readonly<Record<string, string>>;
  /** `off`: it uses no recipe and becomes none. */
  recipe: ChosenRecipe | "off" | null;
  credits: number;
  /** Queue limit of the connection; null when it need not be checked. */
  maxQueued: number | null;
  idempotency: Idempotency | null;
  /** Trace context of the create request; the worker continues the trace. */
  traceparent: string | null;
}

interface Idempotency {
  key: string;
  requestHash: Buffer;
}

export type CreateOutcome =
  | { outcome: "created"; execution: ExecutionRecord }
  /** The key was used before, with the same or another request. */
  | { outcome: "replayed"; execution: ExecutionRecord; requestHash: Buffer }
  | { outcome: "reauthorization_required" }
  | { outcome: "queue_full" }
  | { outcome: "insufficient_credits" };

interface ExecutionListPage {
  limit: number;
  after: string | null;
  /** Null: all. */
  status: ExecutionStatus | null;
}

export interface ExecutionStore {
  /**
   * Checks idempotency and the connection's state, reserves credits and inserts, all or nothing. Of concurrent calls with one
   * key exactly one creates; a rejected call leaves no trace.
   */
  create(execution: NewExecution): Promise<CreateOutcome>;
  /** What `create` would return for a key that was used before; null when it was not. */
  findReplay(connectionId: string, key: string): Promise<Extract<CreateOutcome, { outcome: "replayed" }> | null>;
  find(connectionId: string, executionId: string): Promise<ExecutionRecord | null>;
  /** Newest first. Null when `after` is not an execution of this connection. */
  list(connectionId: string, page: ExecutionListPage): Promise<ExecutionRecord[] | null>;
  /** Ends it as canceled and releases its credits, in one transaction; null when it is no longer queued. */
  cancelQueued(executionId: string): Promise<ExecutionRecord | null>;
  /** Asks the worker that runs it to stop; false when it is not running. */
  requestCancel(executionId: string): Promise<boolean>;
  /** Until then, all processes are notified of its events. Its start and its end are always announced. */
  watch(executionId: string, forMs: number): Promise<void>;
  /** Oldest first. */
  listEvents(executionId: string, page: { after: number; limit: number }): Promise<ExecutionEvent[]>;
}

/** Notifies that an execution may have changed. Notifications can be late, duplicated or lost. */
export interface ExecutionUpdates {
  /** Calls the listener on each notification until disposed. */
  subscribe(executionId: string, listener: () => void): Disposable;
}
