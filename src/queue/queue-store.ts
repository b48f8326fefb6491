import type { ExecutionRecord } from "../executions/execution-record.ts";
import type { Outcome } from "../executions/execution-state.ts";

/** An execution that one worker holds, for as long as it keeps the lease alive. */
export interface Claim {
  execution: ExecutionRecord;
  /** Every write of the holder names it; an older one is refused. */
  fence: number;
  /** Of its connection, at the moment of the claim. */
  connectionState: "ACTIVE" | "REAUTHORIZATION_REQUIRED";
  application: ApplicationRules;
  /** The trace context of the request that created it. */
  traceparent: string | null;
}

/** What an application allows its runs. */
export interface ApplicationRules {
  allowedHosts: string[];
  homeUrl: string | null;
  signInUrl: string | null;
  access: "all" | "read_only";
}

export interface QueueStore {
  /**
   * The oldest queued execution of the connection that has waited longest, among those with nothing running and whose
   * sign-in is not just being checked; null when there is none. However many claim at once, a connection has one running execution. The cost does not grow with
   * the backlog, and a connection with many queued executions waits its turn like any other.
   */
  claim(leaseMs: number): Promise<Claim | null>;
  /** This one and no other; null when it is not queued, or when its connection is busy. */
  claimOne(executionId: string, leaseMs: number): Promise<Claim | null>;
  /** Keeps the lease alive. Null: it is lost, and so is the right to go on. */
  extend(executionId: string, fence: number, leaseMs: number): Promise<Holding | null>;
  /** As `extend`, but only looks. */
  look(executionId: string, fence: number): Promise<Holding | null>;
  /** From here on the world may notice. False: the lease is lost, and nothing may be done. */
  begin(executionId: string, fence: number): Promise<boolean>;
  /** Gives back an execution that has not begun; whether it was still ours. */
  putBack(executionId: string, fence: number): Promise<boolean>;
  /** Appends what happened; whether it was still ours to say. */
  appendEvent(
    executionId: string,
    fence: number,
    event: { type: "step" | "verification"; data: object },
  ): Promise<boolean>;
  /** Ends it and settles its credits in one transaction; null when it was not ours any more. */
  finish(executionId: string, fence: number, outcome: Outcome): Promise<ExecutionRecord | null>;
  /** What a connection's application allows; null when there is no such connection. */
  findRules(connectionId: string): Promise<ApplicationRules | null>;
  /** Executions whose lease ran out, with what is needed to end them or to put them back. */
  listExpired(limit: number): Promise<{ id: string; fence: number; hasBegun: boolean }[]>;
}

export interface Holding {
  /** Somebody wants it to stop. */
  cancelRequested: boolean;
}

/** The queue as a whole, for whoever watches over it. */
export interface QueueGauge {
  /** Costs the same however many wait. */
  look(): Promise<QueueState>;
}

export interface QueueState {
  /** Counted up to a limit. */
  waiting: number;
  running: number;
  /** Running ones whose lease has run out. */
  silent: number;
  oldestWaitSeconds: number;
}

/** Tells that something may be waiting in the queue. A hint: whoever waits also looks by itself. */
export interface QueueHints {
  subscribeQueue(listener: () => void): Disposable;
}
