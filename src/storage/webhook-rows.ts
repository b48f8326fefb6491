import type { WebhookEvent, WebhookMessageType } from "../contract/webhook-events.ts";
import type { DeliveryRecord, WebhookRecord } from "../webhooks/webhook.ts";

/** A row of webhook_endpoints without its secrets. */
export interface WebhookRow {
  id: string;
  application_id: string;
  url: string;
  description: string | null;
  events: WebhookEvent[] | null;
  previous_until: Date | null;
  created_at: Date;
  disabled_at: Date | null;
  disabled_reason: "by_hand" | "gone" | null;
}

// A previous secret that signs no more is not told.
export const WEBHOOK_COLUMNS = `
  id, application_id, url, description, events, created_at, disabled_at, disabled_reason,
  case when previous_until > now() then previous_until end as previous_until`;

export function toWebhook(row: WebhookRow): WebhookRecord {
  const { disabled_at: at, disabled_reason: reason } = row;
  return {
    id: row.id,
    applicationId: row.application_id,
    url: row.url,
    description: row.description,
    events: row.events,
    disabled: at === null || reason === null ? null : { at, reason },
    previousSecretUntil: row.previous_until,
    createdAt: row.created_at,
  };
}

export interface DeliveryRow {
  id: string;
  type: WebhookMessageType;
  state: DeliveryRecord["state"];
  execution_id: string | null;
  connection_id: string | null;
  next_attempt_at: Date | null;
  created_at: Date;
  finished_at: Date | null;
  /** As JSON has it. */
  attempts: { at: string; status: number | null; duration_ms: number; error: string | null }[];
}

// The newest 50 of each.
export const DELIVERY_COLUMNS = `
  webhook_deliveries.id, type, state, execution_id, connection_id, next_attempt_at, created_at, finished_at,
  array(
    select json_build_object('at', at, 'status', status, 'duration_ms', duration_ms, 'error', error)
    from webhook_attempts where delivery_id = webhook_deliveries.id order by webhook_attempts.id desc limit 50
  ) as attempts`;

export function toDelivery(row: DeliveryRow): DeliveryRecord {
  return {
    id: row.id,
    type: row.type,
    state: row.state,
    executionId: row.execution_id,
    connectionId: row.connection_id,
    nextAttemptAt: row.next_attempt_at,
    attempts: row.attempts.map(({ at, status, duration_ms, error }) => ({
      at: new Date(at),
      status,
      durationMs: duration_ms,
      error,
    })),
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
