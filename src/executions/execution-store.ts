import type { ExecutionEvent } from "../contract/execution.ts";
import type { ExecutionRecord } from "./execution.ts";

export interface NewExecution {
  connectionId: string;
  prompt: string;
  /** Null: the application's home page. */
  startUrl: string | null;
  outputSchema: Record<string, unknown> | null;
  credits: number;
  /** How many of the connection's may be queued already; null when they need not be counted. */
  maxQueued: number | null;
  idempotency: Idempotency | null;
  /** Of the request that creates it, for whoever runs it to continue its trace. */
  traceparent: string | null;
}

interface Idempotency {
  key: string;
  requestHash: Buffer;
}

export type CreateOutcome =
  | { outcome: "created"; execution: ExecutionRecord }
  /** The key was used before, with this or another request. */
  | { outcome: "replayed"; execution: ExecutionRecord; requestHash: Buffer }
  | { outcome: "reauthorization_required" }
  | { outcome: "queue_full" }
  | { outcome: "insufficient_credits" };

export interface ExecutionStore {
  /**
   * Idempotency, the connection's state, the reserve and the insert, all or nothing. Of concurrent calls with one key
   * exactly one creates; a call that is refused leaves no trace.
   */
  create(execution: NewExecution): Promise<CreateOutcome>;
  find(connectionId: string, executionId: string): Promise<ExecutionRecord | null>;
  /** Newest first. Null when `after` is no execution of this connection. */
  list(connectionId: string, page: { limit: number; after: string | null }): Promise<ExecutionRecord[] | null>;
  /** Ends it as canceled and gives its credits back, in one transaction; null when it is not queued any more. */
  cancelQueued(executionId: string): Promise<ExecutionRecord | null>;
  /** Asks whoever runs it to stop; false when nobody does. */
  requestCancel(executionId: string): Promise<boolean>;
  /** Oldest first. */
  listEvents(executionId: string, page: { after: number; limit: number }): Promise<ExecutionEvent[]>;
}

/** Tells that something about an execution may have changed. A hint: it can come late, twice, or not at all. */
export interface ExecutionUpdates {
  /** Calls back on each hint until disposed. */
  subscribe(executionId: string, listener: () => void): Disposable;
}
