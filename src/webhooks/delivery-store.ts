import type { Message } from "./message-body.ts";
import type { AttemptRecord } from "./webhook.ts";
import type { SealedSecret } from "./webhook-secret.ts";

/** A message that waits to be sent. */
export interface DueDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly url: string;
  /** The newest first; those that still sign. */
  readonly secrets: readonly SealedSecret[];
  /** Of this series, so far. */
  readonly attempts: number;
  readonly message: Message;
}

export type Verdict =
  | { readonly state: "delivered" | "failed" }
  | { readonly state: "pending"; readonly retryInMs: number };

export interface DeliveryStore {
  /** Null when there is nothing to send any more. What it would tell of may be gone, or the webhook disabled: then it is canceled. */
  findDue(deliveryId: string): Promise<DueDelivery | null>;
  /** Notes an attempt and what follows from it; one that is to be repeated has its job, all in one transaction. */
  record(deliveryId: string, attempt: AttemptRecord, verdict: Verdict): Promise<void>;
  /** Has it tried later, without counting this as an attempt. */
  postpone(deliveryId: string, byMs: number): Promise<void>;
  /** The receiver has said that it is gone for good: nothing more is sent, and what waits is canceled. */
  disableGone(webhookId: string): Promise<void>;
  /** Gives those a job that are overdue and have none, or whose job was being done by a process that died. Answers how many. */
  requeueLost(overdueMs: number, limit: number): Promise<number>;
  /** Forgets secrets that sign no more, and some of the log that is older; answers how many of it. What waits is kept. */
  forgetOld(olderThanMs: number, limit: number): Promise<number>;
}
