import type { WebhookEvent } from "../contract/webhook-events.ts";
import type { DeliveryRecord, WebhookRecord } from "./webhook.ts";
import type { SealedSecret } from "./webhook-secret.ts";

interface NewWebhook {
  readonly id: string;
  readonly applicationId: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly WebhookEvent[] | null;
  readonly secret: SealedSecret;
}

export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  readonly events?: readonly WebhookEvent[] | null | undefined;
  readonly enabled?: boolean | undefined;
}

export interface WebhookStore {
  newId(): Promise<string>;
  /** Null when the application has so many already, or is gone. */
  insert(webhook: NewWebhook, maxPerApplication: number): Promise<WebhookRecord | null>;
  /** The oldest first. */
  list(applicationId: string): Promise<WebhookRecord[]>;
  find(id: string): Promise<WebhookRecord | null>;
  /** Disabling it cancels what waits, in the same transaction. Null when it is gone. */
  update(id: string, changes: WebhookChanges): Promise<WebhookRecord | null>;
  /** With its deliveries. */
  delete(id: string): Promise<boolean>;
  /** What was the secret stays as the previous one until then. Null when there is one already, unless forced, or it is gone. */
  replaceSecret(id: string, secret: SealedSecret, previousForMs: number, force: boolean): Promise<WebhookRecord | null>;
  /** Those that were asked for within this time, for all webhooks of the application. */
  countPings(applicationId: string, withinMs: number): Promise<number>;
  /** Null when it is disabled or gone. */
  ping(id: string): Promise<DeliveryRecord | null>;
  /** The newest first; `after` is the last one of the page before. Null when there is no such delivery. */
  listDeliveries(
    id: string,
    page: { limit: number; after: string | null; undelivered: boolean },
  ): Promise<DeliveryRecord[] | null>;
  findDelivery(id: string, deliveryId: string): Promise<DeliveryRecord | null>;
  /** Begins another series of attempts now; false when the webhook is disabled, or it is gone. */
  resend(id: string, deliveryId: string): Promise<boolean>;
}
