import type { RecipeUse } from "../recipes/recipe.ts";
import type { NewArtifactRecord } from "./artifacts.ts";
import type { ExecutionRecord, Outcome } from "./execution.ts";
import { countReaped } from "./execution-metrics.ts";
import { WORKER_LOST } from "./outcomes.ts";

interface NewEvent {
  type: RunEventType;
  data: object;
  /** Stored with it, in one transaction. */
  artifact?: NewArtifactRecord | null;
}

/** An execution held by one worker for as long as it extends the lease. */
export interface Claim {
  execution: ExecutionRecord;
  /** Every write of the holder carries it; a write with an older fence is rejected. */
  fence: number;
  /** State of its connection at the time of the claim. */
  connectionState: "ACTIVE" | "REAUTHORIZATION_REQUIRED";
  application: ApplicationRules;
  /** The strictest of what the application, the user and the request want. */
  approval: "never" | "commits";
  /** Whether the user has limited what may be spent. */
  hasSpendingLimits: boolean;
  /** Whether the application is notified when the run asks a person. */
  tellsInteractions: boolean;
  /** The trace context of the request that created it. */
  traceparent: string | null;
  /** Cancellation was requested before it was put back and claimed again. */
  cancelRequested: boolean;
  /** The recipe to run it with, as it was when the execution was created. Null also when it is no longer in use. */
  recipe: RecipeUse | null;
  /** Whether the application and the request want recipes to be learned. */
  learns: boolean;
}

/** What an application allows its executions. */
export interface ApplicationRules {
  allowedHosts: string[];
  homeUrl: string | null;
  signInUrl: string | null;
  access: "all" | "read_only";
}

/** The events that a run appends itself. */
export type RunEventType = "step" | "sign_in" | "recipe" | "verification";

export interface QueueStore {
  /**
   * The oldest queued execution of the connection that has waited longest, among connections with nothing running and no
   * sign-in check in progress; null when there is none. However many workers claim at once, a connection has one running
   * execution. The cost does not grow with the backlog, and a connection with many queued executions does not delay others.
   */
  claim(leaseMs: number): Promise<Claim | null>;
  /**
   * As `claim`, but only executions with a recipe, which need no model. Others of the same connection stay queued, also when
   * they are older. For a time without a model: the cost grows with the number of connections that wait.
   */
  claimWithRecipe(leaseMs: number): Promise<Claim | null>;
  /** Claims this execution only; null when it is not queued or its connection is busy. */
  claimOne(executionId: string, leaseMs: number): Promise<Claim | null>;
  /** Extends the lease. Null: the lease is lost, and the holder must stop. */
  extend(executionId: string, fence: number, leaseMs: number): Promise<LeaseState | null>;
  /** As `extend`, but only reads. */
  checkLease(executionId: string, fence: number): Promise<LeaseState | null>;
  /** Marks that actions with outside effects may follow. False: the lease is lost, and nothing may be done. */
  begin(executionId: string, fence: number): Promise<boolean>;
  /** Returns an execution that has not begun to the queue; false when the lease was lost. */
  putBack(executionId: string, fence: number): Promise<boolean>;
  /** False when the lease was lost. */
  appendEvent(executionId: string, fence: number, event: NewEvent): Promise<boolean>;
  /** Ends it and settles its credits in one transaction; null when the lease was lost. */
  finish(executionId: string, fence: number, outcome: Outcome): Promise<ExecutionRecord | null>;
  /** The rules of the connection's application; null when there is no such connection. */
  findRules(connectionId: string): Promise<ApplicationRules | null>;
  /** Executions whose lease expired, with what is needed to end them or to put them back. */
  listExpired(limit: number): Promise<{ id: string; fence: number; hasBegun: boolean }[]>;
}

export interface LeaseState {
  /** Cancellation was requested. */
  cancelRequested: boolean;
}

/** The topic that tells the holder of a lease to check whether cancellation was requested. */
export const cancelTopic = (executionId: string) => `cancel ${executionId}`;

/** Notifies that the queue may have work. Notifications can be lost, so workers also poll. */
export interface QueueNotifications {
  subscribeQueue(listener: () => void): Disposable;
}

const REAP_BATCH = 100;

/**
 * Handles executions whose lease expired. One that has begun may have had outside effects: it is never run again and ends as
 * worker_lost, not charged. One that provably has not begun goes back to the queue.
 */
export async function reap(
  store: QueueStore,
  onReaped: (executionId: string, result: "ended" | "put back") => void = () => {},
): Promise<{ ended: number; putBack: number }> {
  const report = { ended: 0, putBack: 0 };
  for (const { id, fence, hasBegun } of await store.listExpired(REAP_BATCH)) {
    if (!hasBegun && (await store.putBack(id, fence))) {
      report.putBack += 1;
      onReaped(id, "put back");
    }
    // It may have begun since it was listed: then putBack is rejected and the next round handles it.
    else if (hasBegun && (await store.finish(id, fence, WORKER_LOST)) !== null) {
      report.ended += 1;
      onReaped(id, "ended");
    }
  }
  countReaped(report);
  return report;
}
