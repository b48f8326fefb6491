import { sql, type Transaction } from "kysely";
import type { WebhookEvent, WebhookMessageType } from "../../contract/webhook-events.ts";
import type { DeliveryRecord, WebhookChanges, WebhookRecord, WebhookStore } from "../../webhooks/webhook.ts";
import { type Database, prepared } from "../database.ts";
import type { Schema } from "./schema.ts";

/** A row of webhook_endpoints without its secrets. */
interface WebhookRow {
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

// A previous secret that is no longer valid is not reported.
const WEBHOOK_COLUMNS = `
  id, application_id, url, description, events, created_at, disabled_at, disabled_reason,
  case when previous_until > now() then previous_until end as previous_until`;

function toWebhook(row: WebhookRow): WebhookRecord {
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

interface DeliveryRow {
  id: string;
  type: WebhookMessageType;
  state: DeliveryRecord["state"];
  execution_id: string | null;
  connection_id: string | null;
  next_attempt_at: Date | null;
  created_at: Date;
  finished_at: Date | null;
  /** From JSON, so `at` is a string. */
  attempts: { at: string; status: number | null; duration_ms: number; error: string | null }[];
}

// With the newest 50 attempts of each.
const DELIVERY_COLUMNS = `
  webhook_deliveries.id, type, state, execution_id, connection_id, next_attempt_at, created_at, finished_at,
  array(
    select json_build_object('at', at, 'status', status, 'duration_ms', duration_ms, 'error', error)
    from webhook_attempts where delivery_id = webhook_deliveries.id order by webhook_attempts.id desc limit 50
  ) as attempts`;

function toDelivery(row: DeliveryRow): DeliveryRecord {
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

const LIST = `select ${WEBHOOK_COLUMNS} from webhook_endpoints where application_id = $1 order by id`;
const FIND = `select ${WEBHOOK_COLUMNS} from webhook_endpoints where id = $1`;

// Assignments read the old row: the current secret becomes the previous one.
const REPLACE_SECRET = `
  update webhook_endpoints
  set secret_key_id = $2, secret_box = $3, previous_key_id = secret_key_id, previous_box = secret_box,
    previous_until = now() + $4 * interval '1 millisecond'
  where id = $1 and ($5 or previous_until is null or previous_until <= now())
  returning ${WEBHOOK_COLUMNS}`;

const PING = `
  insert into webhook_deliveries (endpoint_id, type)
  select id, 'ping' from webhook_endpoints where id = $1 and disabled_at is null for key share
  returning ${DELIVERY_COLUMNS}`;

// Uses webhook_deliveries_created: the period is short.
const COUNT_PINGS = `
  select count(*)::integer as count
  from webhook_deliveries join webhook_endpoints on webhook_endpoints.id = endpoint_id
  where application_id = $1 and type = 'ping' and webhook_deliveries.created_at > now() - $2 * interval '1 millisecond'`;

// The row comparison of (endpoint_id, id) forces an index on both: webhook_deliveries_of_endpoint, or
// webhook_deliveries_undelivered for those not delivered.
const listDeliveriesWhere = (which: string) => `
  select ${DELIVERY_COLUMNS} from webhook_deliveries
  where ${which} and endpoint_id <= $1 and (endpoint_id, id) >= ($1, '00000000-0000-0000-0000-000000000000'::uuid)
    and ($3::uuid is null or (endpoint_id, id) < ($1, $3::uuid))
  order by endpoint_id desc, id desc limit $2`;

const FIND_DELIVERY = `select ${DELIVERY_COLUMNS} from webhook_deliveries where id = $2 and endpoint_id = $1`;

// Resending also ends the pause after failures of the receiver.
const RESEND = `
  with endpoint as (
    update webhook_endpoints set held_until = null where id = $1 and disabled_at is null returning id
  ), delivery as (
    update webhook_deliveries
    set state = 'pending', attempts = 0, next_attempt_at = now(), tried_since = now(), finished_at = null
    from endpoint
    where webhook_deliveries.id = $2 and endpoint_id = endpoint.id
    returning webhook_deliveries.id, endpoint_id
  )
  select queue_webhook_delivery(id, endpoint_id, now()) from delivery`;

export function createWebhookStore({ kysely, pool }: Database): WebhookStore {
  const list = prepared(pool, "webhook-list", LIST);
  const find = prepared(pool, "webhook-find", FIND);
  const replaceSecret = prepared(pool, "webhook-replace-secret", REPLACE_SECRET);
  const countPings = prepared(pool, "webhook-count-pings", COUNT_PINGS);
  const ping = prepared(pool, "webhook-ping", PING);
  const listAll = prepared(pool, "webhook-deliveries", listDeliveriesWhere("true"));
  const listUndelivered = prepared(pool, "webhook-undelivered", listDeliveriesWhere("state <> 'delivered'"));
  const findDelivery = prepared(pool, "webhook-delivery", FIND_DELIVERY);
  const resend = prepared(pool, "webhook-resend", RESEND);

  const store: WebhookStore = {
    async newId() {
      const { rows } = await sql<{ id: string }>`select new_id() as id`.execute(kysely);
      const [row] = rows;
      if (row === undefined) throw new Error("The database returned no id");
      return row.id;
    },

    insert: (webhook, maxPerApplication) =>
      kysely.transaction().execute(async (tx) => {
        const { id, applicationId, url, description, events, secret } = webhook;
        // The lock makes concurrent inserts respect the maximum.
        await sql`select id from applications where id = ${applicationId} for no key update`.execute(tx);
        const { rows } = await sql<WebhookRow>`
          insert into webhook_endpoints (id, application_id, url, description, events, secret_key_id, secret_box)
          select ${id}, applications.id, ${url}, ${description}, ${events}, ${secret.keyId}, ${secret.box}
          from applications
          where applications.id = ${applicationId}
            and (select count(*) from webhook_endpoints where application_id = ${applicationId}) < ${maxPerApplication}
          returning ${sql.raw(WEBHOOK_COLUMNS)}
        `.execute(tx);
        return rows[0] === undefined ? null : toWebhook(rows[0]);
      }),

    list: async (applicationId) => (await list<WebhookRow>([applicationId])).map(toWebhook),

    async find(id) {
      const [row] = await find<WebhookRow>([id]);
      return row === undefined ? null : toWebhook(row);
    },

    update: (id, changes) =>
      kysely.transaction().execute(async (tx) => {
        const row = await updateColumns(tx, id, changes);
        if (changes.enabled === false) await cancelPending(tx, id);
        return row === undefined ? null : toWebhook(row);
      }),

    async delete(id) {
      const { numAffectedRows } = await sql`delete from webhook_endpoints where id = ${id}`.execute(kysely);
      return numAffectedRows === 1n;
    },

    async replaceSecret(id, { keyId, box }, previousForMs, force) {
      const [row] = await replaceSecret<WebhookRow>([id, keyId, box, previousForMs, force]);
      return row === undefined ? null : toWebhook(row);
    },

    async countPings(applicationId, withinMs) {
      const [row] = await countPings<{ count: number }>([applicationId, withinMs]);
      return row?.count ?? 0;
    },

    async ping(id) {
      const [row] = await ping<DeliveryRow>([id]);
      return row === undefined ? null : toDelivery(row);
    },

    async listDeliveries(id, { limit, after, undelivered }) {
      if (after !== null && (await store.findDelivery(id, after)) === null) return null;
      const list = undelivered ? listUndelivered : listAll;
      return (await list<DeliveryRow>([id, limit, after])).map(toDelivery);
    },

    async findDelivery(id, deliveryId) {
      const [row] = await findDelivery<DeliveryRow>([id, deliveryId]);
      return row === undefined ? null : toDelivery(row);
    },

    resend: async (id, deliveryId) => (await resend([id, deliveryId])).length > 0,
  };
  return store;
}

/** The transaction must hold the lock on the webhook. The jobs then find nothing to send. */
export async function cancelPending(tx: Transaction<Schema>, webhookId: string): Promise<void> {
  await sql`
    update webhook_deliveries set state = 'canceled', next_attempt_at = null, finished_at = now()
    where endpoint_id = ${webhookId} and state = 'pending'
  `.execute(tx);
}

/** Fields that are left out stay unchanged. A disabled webhook keeps its time and reason. */
async function updateColumns(
  tx: Transaction<Schema>,
  id: string,
  { url, description, events, enabled }: WebhookChanges,
): Promise<WebhookRow | undefined> {
  const { rows } = await sql<WebhookRow>`
    update webhook_endpoints
    set url = coalesce(${url ?? null}, url),
      description = case when ${description !== undefined} then ${description ?? null} else description end,
      events = case when ${events !== undefined} then ${events ?? null}::text[] else events end,
      disabled_at = case ${enabled ?? null}::boolean
        when true then null when false then coalesce(disabled_at, now()) else disabled_at end,
      disabled_reason = case ${enabled ?? null}::boolean
        when true then null when false then coalesce(disabled_reason, 'by_hand') else disabled_reason end,
      unanswered = case when ${url !== undefined || enabled === true} then 0 else unanswered end,
      held_until = case when ${url !== undefined || enabled === true} then null else held_until end
    where id = ${id}
    returning ${sql.raw(WEBHOOK_COLUMNS)}
  `.execute(tx);
  return rows[0];
}
