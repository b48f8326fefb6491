import type { ExecutionStatus } from "../contract/execution.ts";
import type { ExecutionRecord } from "../executions/execution-record.ts";

/** Whose eyes: what belongs to the owner's applications and what runs as the user. Every query is bounded by it. */
export interface Viewer {
  userId: string;
  /** Null for somebody who owns no applications. */
  ownerId: string | null;
}

/** Null: whatever it is. */
export interface ExecutionFilter {
  status: ExecutionStatus | null;
  outcome: string | null;
  applicationId: string | null;
  connectionId: string | null;
  /** Stands anywhere in the prompt, whatever its case, or is the id. */
  text: string | null;
  since: Date | null;
  /** Exclusive. */
  until: Date | null;
}

export interface ListedExecution
  extends Pick<ExecutionRecord, "id" | "status" | "terminal" | "credits" | "charged" | "createdAt" | "completedAt"> {
  /** Its beginning. */
  prompt: string;
  connectionId: string;
  userEmail: string;
  applicationId: string;
  applicationName: string;
}

/** By what right somebody sees an execution, and whose it is. */
export interface SeenExecution {
  id: string;
  connectionId: string;
  userEmail: string;
  applicationId: string;
  applicationName: string;
  /** Whether the viewer owns the application, and so pays. */
  isOwned: boolean;
}

export interface ConsoleExecutionStore {
  /** Newest first; `before` is an execution's id. */
  list(
    viewer: Viewer,
    filter: ExecutionFilter,
    page: { before: string | null; limit: number },
  ): Promise<ListedExecution[]>;
  /** Null when there is none that the viewer may see. */
  find(viewer: Viewer, executionId: string): Promise<SeenExecution | null>;
  isConnectionOf(ownerId: string, connectionId: string): Promise<boolean>;
}
