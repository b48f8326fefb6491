import type { WebhookDelivery as DeliveryWire, Webhook as WebhookWire } from "../contract/webhook.ts";
import type { WebhookEvent, WebhookMessageType } from "../contract/webhook-events.ts";
import { formatMessageId } from "./message.ts";
import type { SealedSecret } from "./webhook-secret.ts";

/** A URL to which an application's events are sent. */
export interface WebhookRecord {
  readonly id: string;
  readonly applicationId: string;
  readonly url: string;
  readonly description: string | null;
  /** Null: all events. */
  readonly events: readonly WebhookEvent[] | null;
  readonly disabled: { readonly at: Date; readonly reason: "by_hand" | "gone" } | null;
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
}

/** One message to one webhook, with all attempts to deliver it. */
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
  /** Null when the application already has the maximum, or is gone. */
  insert(webhook: NewWebhook, maxPerApplication: number): Promise<WebhookRecord | null>;
  /** Oldest first. */
  list(applicationId: string): Promise<WebhookRecord[]>;
  find(id: string): Promise<WebhookRecord | null>;
  /** Disabling it cancels its waiting messages in the same transaction. Null when it is gone. */
  update(id: string, changes: WebhookChanges): Promise<WebhookRecord | null>;
  /** With its deliveries. */
  delete(id: string): Promise<boolean>;
  /** The old secret stays valid for `previousForMs`. Null when there already is a previous one and `force` is false, or when it is gone. */
  replaceSecret(id: string, secret: SealedSecret, previousForMs: number, force: boolean): Promise<WebhookRecord | null>;
  /** Pings within this time over all webhooks of the application. */
  countPings(applicationId: string, withinMs: number): Promise<number>;
  /** Null when it is disabled or gone. */
  ping(id: string): Promise<DeliveryRecord | null>;
  /** Newest first; `after` is the last one of the previous page. Null when there is no such delivery. */
  listDeliveries(
    id: string,
    page: { limit: number; after: string | null; undelivered: boolean },
  ): Promise<DeliveryRecord[] | null>;
  findDelivery(id: string, deliveryId: string): Promise<DeliveryRecord | null>;
  /** Starts a new series of attempts now; false when the webhook is disabled or gone. */
  resend(id: string, deliveryId: string): Promise<boolean>;
}

export function toWebhookWire(webhook: WebhookRecord): WebhookWire {
  const { disabled } = webhook;
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    events: webhook.events === null ? null : [...webhook.events],
    enabled: disabled === null,
    disabled: disabled === null ? null : { at: disabled.at.toISOString(), reason: disabled.reason },
    previous_secret_until: webhook.previousSecretUntil?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
  };
}

export function toDeliveryWire(delivery: DeliveryRecord): DeliveryWire {
  return {
    id: formatMessageId(delivery.id),
    type: delivery.type,
    state: delivery.state,
    execution_id: delivery.executionId,
    connection_id: delivery.connectionId,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(({ at, status, durationMs, error }) => ({
      at: at.toISOString(),
      status,
      duration_ms: durationMs,
      error,
    })),
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  };
}
