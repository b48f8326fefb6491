import type { WebhookDelivery as DeliveryWire } from "../contract/webhook.ts";
import type { WebhookEvent, WebhookMessageType } from "../contract/webhook-events.ts";

/** Where an application wants to be told what happens. */
export interface WebhookRecord {
  readonly id: string;
  readonly applicationId: string;
  readonly url: string;
  readonly description: string | null;
  /** Null: all there are. */
  readonly events: readonly WebhookEvent[] | null;
  readonly disabled: { readonly at: Date; readonly reason: "by_hand" | "gone" } | null;
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
}

/** One message to one webhook, with every attempt to deliver it. */
export interface DeliveryRecord {
  readonly id: string;
  readonly type: WebhookMessageType;
  readonly state: DeliveryWire["state"];
  readonly executionId: string | null;
  readonly connectionId: string | null;
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly AttemptRecord[];
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

export interface AttemptRecord {
  readonly at: Date;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}
