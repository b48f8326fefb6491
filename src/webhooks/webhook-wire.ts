import type { WebhookDelivery as DeliveryWire, Webhook as WebhookWire } from "../contract/webhook.ts";
import { writeMessageId } from "./message-id.ts";
import type { DeliveryRecord, WebhookRecord } from "./webhook.ts";

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
    id: writeMessageId(delivery.id),
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
