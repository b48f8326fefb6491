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
  /** Names the series of attempts: sending a message again begins another. */
  readonly series: string;
  /** Of this series, so far. */
  readonly attempts: number;
  /** The series has lasted long enough. */
  readonly isTooOld: boolean;
  /** The webhook's attempts in a row, of any of its messages, without an answer. */
  readonly unanswered: number;
  readonly isHeld: boolean;
  readonly message: Message;
}

export type Verdict =
  | { readonly state: "delivered" | "failed" }
  | { readonly state: "pending"; readonly retryInMs: number }
  /** The receiver says that it is gone for good: nothing more is sent, and what waits is canceled. */
  | { readonly state: "gone" /** When the webhook has another address by now. */; readonly otherwise: Verdict };

/** What an attempt says about the webhook as a whole. */
export interface Bearing {
  readonly hasAnswered: boolean;
  /** All its messages wait so long; null when they need not. */
  readonly holdMs: number | null;
}

export interface DeliveryStore {
  /** Null when there is nothing to send any more. What it would tell of may be gone, or the webhook disabled: then it is canceled. */
  findDue(deliveryId: string, maxAgeMs: number): Promise<DueDelivery | null>;
  /** Fails one without another attempt. */
  giveUp(delivery: DueDelivery): Promise<void>;
  /** Notes an attempt and what follows from it; one that is to be repeated has its job, all in one transaction. */
  record(delivery: DueDelivery, attempt: AttemptRecord, verdict: Verdict, bearing: Bearing): Promise<void>;
  /** Has it tried later, without counting this as an attempt. */
  postpone(deliveryId: string, byMs: number): Promise<void>;
  /** Holds a webhook's messages, so that one is tried alone; false when somebody else does just that. */
  holdForProbe(webhookId: string, holdMs: number): Promise<boolean>;
  /** Has what waits for a webhook that is held tried when it is no longer: so many, the first. */
  putOffHeld(webhookId: string, limit: number): Promise<void>;
  /** The same for one whose job is being done. */
  postponeHeld(deliveryId: string): Promise<void>;
  /** Gives those a job that are overdue and have none, or whose job was being done by a process that died. Answers how many. */
  requeueLost(overdueMs: number, limit: number): Promise<number>;
  /** Forgets secrets that sign no more, and some of the log that is older; answers how many of it. What waits is kept. */
  forgetOld(olderThanMs: number, limit: number): Promise<number>;
}
