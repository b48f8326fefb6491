import type { WebhookDelivery as DeliveryWire, Webhook as WebhookWire } from "../contract/webhook.ts";
import type { WebhookEvent, WebhookMessageType } from "../contract/webhook-events.ts";
import { formatMessageId } from "./message.ts";
import type { SealedSecret } from "./webhook-secret.ts";

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
