import { CompiledQuery, sql, type Transaction } from "kysely";
import type { QueryResult } from "pg";
import type { WebhookMessageType } from "../../contract/webhook-events.ts";
import type { DeliveryStore, DeliveryVerdict, DueDelivery, WebhookHealth } from "../../webhooks/delivery.ts";
import type { DeliveryBacklog } from "../../webhooks/delivery-metrics.ts";
import type { MessageSubject } from "../../webhooks/message.ts";
import type { SealedSecret } from "../../webhooks/webhook-secret.ts";
import { type Database, prepared, QUICK_TIMEOUT_MS, withStatementTimeout } from "../database.ts";
import { type ExecutionRow, executionColumns, toExecutionRecord } from "./execution-rows.ts";
import { type InteractionRow, interactionColumns, toInteractionRecord } from "./interactions.ts";
import type { Schema } from "./schema.ts";
import { cancelPending } from "./webhooks.ts";

const FIND_DUE = `
  select webhook_deliveries.id as delivery_id, webhook_deliveries.type, webhook_deliveries.attempts, facts,
    tried_since::text as series, tried_since < now() - $2 * interval '1 millisecond' as is_too_old,
    unanswered, coalesce(held_until > now(), false) as is_held,
    webhook_deliveries.created_at as happened_at, connections.id as known_connection_id,
    webhook_endpoints.id as webhook_id, application_of.id as application_id, url, webhook_endpoints.disabled_at,
    secret_key_id, secret_box, previous_key_id,
    case when previous_until > now() then previous_box end as previous_box, ${executionColumns("executions")},
    ${interactionColumns({ connections: "connections", applications: "application_of" })}
  from webhook_deliveries
  join webhook_endpoints on webhook_endpoints.id = endpoint_id
  join applications as application_of on application_of.id = webhook_endpoints.application_id
  left join executions on executions.id = webhook_deliveries.execution_id
  left join connections on connections.id = webhook_deliveries.connection_id
  left join interactions on interactions.id = (facts->>'interaction_id')::uuid
  where webhook_deliveries.id = $1 and webhook_deliveries.state = 'pending'`;

const CANCEL = `
  update webhook_deliveries set state = 'canceled', next_attempt_at = null, finished_at = now()
  where id = $1 and state = 'pending'`;

const GIVE_UP = `
  update webhook_deliveries set state = 'failed', next_attempt_at = null, finished_at = now()
  where id = $1 and state = 'pending' and tried_since = $2::timestamptz`;

// If the delivery was canceled or resent during the attempt, only the attempt is recorded.
const RECORD = `
  with attempt as (
    insert into webhook_attempts (delivery_id, at, status, duration_ms, error)
    select id, $3, $4, $5, $6 from webhook_deliveries where id = $1
  ), delivery as (
    update webhook_deliveries
    set attempts = attempts + 1, state = $7,
      next_attempt_at = case when $7 = 'pending' then now() + $8 * interval '1 millisecond' end,
      finished_at = case when $7 <> 'pending' then now() end
    where id = $1 and state = 'pending' and tried_since = $2::timestamptz
    returning id, endpoint_id, next_attempt_at
  )
  select queue_webhook_delivery(id, endpoint_id, next_attempt_at) from delivery where next_attempt_at is not null`;

const POSTPONE = `
  select queue_webhook_delivery(id, endpoint_id, now() + $2 * interval '1 millisecond') from webhook_deliveries
  where id = $1 and state = 'pending'`;

const HOLD_FOR_PROBE = `
  update webhook_endpoints set held_until = now() + $2 * interval '1 millisecond'
  where id = $1 and (held_until is null or held_until <= now())
  returning id`;

// Postpones all other pending deliveries of the webhook, too, except ones being attempted now. Takes no blocking locks.
const POSTPONE_ALL_HELD = `
  with endpoint as (
    select id, held_until from webhook_endpoints where id = $1 and held_until > now()
  ), put_off as (
    update webhook_deliveries set next_attempt_at = held_until
    from endpoint
    where webhook_deliveries.id in (
      select webhook_deliveries.id from webhook_deliveries join endpoint on endpoint_id = endpoint.id
      where state = 'pending' and next_attempt_at < held_until and type <> 'ping'
      order by next_attempt_at limit $2 for update of webhook_deliveries skip locked
    )
    returning webhook_deliveries.id
  )
  select count(moved.id) from endpoint, graphile_worker.reschedule_jobs(
    array(
      select jobs.id from graphile_worker.jobs join put_off on jobs.key = 'webhook ' || put_off.id
      where jobs.locked_at is null
    ),
    endpoint.held_until
  ) as moved`;

const POSTPONE_HELD = `
  select queue_webhook_delivery(webhook_deliveries.id, endpoint_id, greatest(held_until, now()))
  from webhook_deliveries join webhook_endpoints on webhook_endpoints.id = endpoint_id
  where webhook_deliveries.id = $1 and state = 'pending'`;

// A job that has been locked longer than any can take was left behind by a dead process.
const REQUEUE_LOST = `
  select queue_webhook_delivery(lost.id, lost.endpoint_id, now()) from (
    select webhook_deliveries.id, endpoint_id
    from webhook_deliveries left join graphile_worker.jobs on jobs.key = 'webhook ' || webhook_deliveries.id
    where state = 'pending' and next_attempt_at < now() - $1 * interval '1 millisecond' and (
      jobs.id is null or jobs.locked_at < now() - $1 * interval '1 millisecond'
      or (jobs.attempts >= jobs.max_attempts and jobs.locked_at is null)
    )
    order by next_attempt_at limit $2
  ) as lost`;

// Jobs that were replaced while a process that died had them locked: nothing will ever run them.
const DELETE_STALE_JOBS = `
  select graphile_worker.complete_jobs(array(
    select id from graphile_worker.jobs
    where task_identifier = 'deliver-webhook' and key is null and attempts >= max_attempts limit $1
  ))`;

const DELETE_EXPIRED_SECRETS = `
  update webhook_endpoints set previous_key_id = null, previous_box = null, previous_until = null
  where previous_until < now()`;

const DELETE_OLD = `
  delete from webhook_deliveries where id in (
    select id from webhook_deliveries
    where created_at < now() - $1 * interval '1 millisecond' and state <> 'pending' order by created_at limit $2
  ) returning id`;

export function createDeliveryStore({ kysely, pool }: Database): DeliveryStore {
  const findDue = prepared(pool, "webhook-find-due", FIND_DUE);
  const cancel = prepared(pool, "webhook-cancel", CANCEL);
  const record = prepared(pool, "webhook-record", RECORD);
  const giveUp = prepared(pool, "webhook-give-up", GIVE_UP);
  const postpone = prepared(pool, "webhook-postpone", POSTPONE);
  const holdForProbe = prepared(pool, "webhook-hold-for-probe", HOLD_FOR_PROBE);
  const postponeHeld = prepared(pool, "webhook-postpone-held", POSTPONE_HELD);

  return {
    async findDue(deliveryId, maxAgeMs) {
      const [row] = await findDue<DueRow>([deliveryId, maxAgeMs]);
      if (row === undefined) return null;
      const due = toDueDelivery(row);
      if (due === null) await cancel([deliveryId]);
      return due;
    },

    async giveUp({ id, series }) {
      await giveUp([id, series]);
    },

    async record(delivery, { at, status, durationMs, error }, verdict, bearing) {
      const valuesFor = (next: DeliveryVerdict) => [
        ...[delivery.id, delivery.series, at, status, durationMs, error],
        ...(next.state === "pending"
          ? [next.state, next.retryInMs]
          : [next.state === "gone" ? "failed" : next.state, 0]),
      ];
      const isPlain = bearing.hasResponded && bearing.holdMs === null && delivery.unanswered === 0;
      if (isPlain && verdict.state !== "gone") {
        await record(valuesFor(verdict));
        return;
      }
      // The webhook is locked first, as everywhere.
      await kysely.transaction().execute(async (tx) => {
        await noteBearing(tx, delivery.webhookId, bearing);
        const isGone = verdict.state === "gone" && (await disableGone(tx, delivery));
        const next = verdict.state === "gone" && !isGone ? verdict.otherwise : verdict;
        await tx.executeQuery(CompiledQuery.raw(RECORD, valuesFor(next)));
        if (isGone) await cancelPending(tx, delivery.webhookId);
      });
    },

    async postpone(deliveryId, byMs) {
      await postpone([deliveryId, byMs]);
    },

    holdForProbe: async (webhookId, holdMs) => (await holdForProbe([webhookId, holdMs])).length > 0,

    async postponeAllHeld(webhookId, limit) {
      await pool.query(POSTPONE_ALL_HELD, [webhookId, limit]);
    },

    async postponeHeld(deliveryId) {
      await postponeHeld([deliveryId]);
    },

    requeueLost: async (overdueMs, limit) => (await pool.query(REQUEUE_LOST, [overdueMs, limit])).rows.length,

    async forgetOld(olderThanMs, limit) {
      await pool.query(DELETE_STALE_JOBS, [limit]);
      await pool.query(DELETE_EXPIRED_SECRETS);
      return (await pool.query(DELETE_OLD, [olderThanMs, limit])).rows.length;
    },
  };
}

async function noteBearing(
  tx: Transaction<Schema>,
  webhookId: string,
  { hasResponded, holdMs }: WebhookHealth,
): Promise<void> {
  await sql`
    update webhook_endpoints
    set unanswered = case when ${hasResponded} then 0 else unanswered + 1 end,
      held_until = coalesce(
        now() + ${holdMs}::float8 * interval '1 millisecond', case when ${hasResponded} then null else held_until end
      )
    where id = ${webhookId}
  `.execute(tx);
}

/** Returns false if the webhook's URL has changed since: another URL responded. */
async function disableGone(tx: Transaction<Schema>, { webhookId, url }: DueDelivery): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_endpoints
    set disabled_at = coalesce(disabled_at, now()), disabled_reason = coalesce(disabled_reason, 'gone')
    where id = ${webhookId} and url = ${url}
  `.execute(tx);
  return numAffectedRows === 1n;
}

type DueRow = DeliveryBase &
  (ExecutionRow | { [Name in keyof ExecutionRow]: null }) &
  (InteractionRow | { interaction_id: null });

interface DeliveryBase {
  delivery_id: string;
  type: WebhookMessageType;
  series: string;
  is_too_old: boolean;
  unanswered: number;
  is_held: boolean;
  attempts: number;
  facts: { balance: number; low_at: number } | { interaction_id: string } | null;
  happened_at: Date;
  known_connection_id: string | null;
  webhook_id: string;
  application_id: string;
  url: string;
  disabled_at: Date | null;
  secret_key_id: string;
  secret_box: Buffer;
  previous_key_id: string | null;
  previous_box: Buffer | null;
}

/** Null if there is nothing to send any more. */
function toDueDelivery(row: DueRow): DueDelivery | null {
  const subject = row.disabled_at === null ? toSubject(row) : null;
  if (subject === null) return null;
  return {
    id: row.delivery_id,
    webhookId: row.webhook_id,
    url: row.url,
    secrets: toSecrets(row),
    series: row.series,
    attempts: row.attempts,
    isTooOld: row.is_too_old,
    unanswered: row.unanswered,
    isHeld: row.is_held,
    message: { type: row.type, applicationId: row.application_id, subject, at: row.happened_at },
  };
}

function toSubject(row: DueRow): MessageSubject | null {
  switch (row.type) {
    case "execution.completed":
    case "execution.failed":
      return row.id === null ? null : { kind: "execution", execution: toExecutionRecord(row) };
    // Nobody has to be told about one that has ended.
    case "execution.interaction_required":
      return row.interaction_id === null || row.interaction_state !== "open" || row.interaction_is_overdue
        ? null
        : { kind: "interaction", interaction: toInteractionRecord(row), metadata: row.metadata ?? {} };
    case "connection.reauthorization_required":
      return row.known_connection_id === null ? null : { kind: "connection", connectionId: row.known_connection_id };
    case "credits.low":
      return row.facts === null || !("balance" in row.facts)
        ? null
        : { kind: "credits", balance: row.facts.balance, lowAt: row.facts.low_at };
    case "ping":
      return { kind: "ping", webhookId: row.webhook_id };
  }
}

function toSecrets(row: DeliveryBase): SealedSecret[] {
  const current = { keyId: row.secret_key_id, box: row.secret_box };
  const { previous_key_id: keyId, previous_box: box } = row;
  return keyId === null || box === null ? [current] : [current, { keyId, box }];
}

// One transaction, so the settings apply to the last statement only: it scans webhook_deliveries_pending up to the limit.
const COUNT_BACKLOG = `
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  set local enable_sort = off;
  select
    (select count(*)::integer from (
      select from webhook_deliveries where state = 'pending' order by next_attempt_at limit 10000
    ) as counted) as "waiting",
    coalesce((
      select greatest(extract(epoch from now() - next_attempt_at), 0) from webhook_deliveries
      where state = 'pending' order by next_attempt_at limit 1
    ), 0)::float8 as "oldestOverdueSeconds"`;

/** How many messages are waiting to be delivered. */
export async function readBacklog({ pool }: Pick<Database, "pool">): Promise<DeliveryBacklog> {
  // For several statements the driver returns several results. Its types do not say so.
  const results: unknown = await pool.query(withStatementTimeout(QUICK_TIMEOUT_MS, { text: COUNT_BACKLOG }));
  const backlog = (results as QueryResult<DeliveryBacklog>[]).at(-1)?.rows[0];
  if (backlog === undefined) throw new Error("Counting pending webhook deliveries failed");
  return backlog;
}

/** Sets the balance below which the triggers report low credits. Every process does so when it starts. */
export async function setCreditsLowAt({ pool }: Pick<Database, "pool">, creditsLowAt: number): Promise<void> {
  await pool.query("update webhook_settings set credits_low_at = $1 where credits_low_at <> $1", [creditsLowAt]);
}
