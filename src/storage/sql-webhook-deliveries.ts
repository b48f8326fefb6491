import { sql } from "kysely";
import type { WebhookMessageType } from "../contract/webhook.ts";
import type { DeliveryStore, DueDelivery } from "../webhooks/delivery-store.ts";
import type { MessageSubject } from "../webhooks/message-body.ts";
import type { SealedSecret } from "../webhooks/webhook-secret.ts";
import { type Database, prepared } from "./database.ts";
import { type ExecutionRow, executionColumns, toExecutionRecord } from "./execution-rows.ts";
import { cancelPending } from "./sql-webhooks.ts";

const FIND_DUE = `
  select webhook_deliveries.id as delivery_id, webhook_deliveries.type, webhook_deliveries.attempts, facts,
    webhook_deliveries.created_at as happened_at, connections.id as known_connection_id,
    webhook_endpoints.id as webhook_id, application_of.id as application_id, url, webhook_endpoints.disabled_at,
    secret_key_id, secret_box, previous_key_id,
    case when previous_until > now() then previous_box end as previous_box, ${executionColumns("executions")}
  from webhook_deliveries
  join webhook_endpoints on webhook_endpoints.id = endpoint_id
  join applications as application_of on application_of.id = webhook_endpoints.application_id
  left join executions on executions.id = webhook_deliveries.execution_id
  left join connections on connections.id = webhook_deliveries.connection_id
  where webhook_deliveries.id = $1 and webhook_deliveries.state = 'pending'`;

const CANCEL = `
  update webhook_deliveries set state = 'canceled', next_attempt_at = null, finished_at = now()
  where id = $1 and state = 'pending'`;

// Of one that was canceled during the attempt only the attempt is noted.
const RECORD = `
  with attempt as (
    insert into webhook_attempts (delivery_id, at, status, duration_ms, error)
    select id, $2, $3, $4, $5 from webhook_deliveries where id = $1
  ), delivery as (
    update webhook_deliveries
    set attempts = attempts + 1, state = $6,
      next_attempt_at = case when $6 = 'pending' then now() + $7 * interval '1 millisecond' end,
      finished_at = case when $6 <> 'pending' then now() end
    where id = $1 and state = 'pending'
    returning id, endpoint_id, next_attempt_at
  )
  select queue_webhook_delivery(id, endpoint_id, next_attempt_at) from delivery where next_attempt_at is not null`;

const POSTPONE = `
  select queue_webhook_delivery(id, endpoint_id, now() + $2 * interval '1 millisecond') from webhook_deliveries
  where id = $1 and state = 'pending'`;

// A job that is being done for longer than any can take was left behind by a process that died.
const REQUEUE_LOST = `
  select queue_webhook_delivery(lost.id, lost.endpoint_id, now()) from (
    select overdue.id, overdue.endpoint_id
    from (
      select id, endpoint_id from webhook_deliveries
      where state = 'pending' and next_attempt_at < now() - $1 * interval '1 millisecond'
      order by next_attempt_at limit 10000
    ) as overdue
    left join graphile_worker.jobs on jobs.key = 'webhook ' || overdue.id
    where jobs.id is null or jobs.locked_at < now() - $1 * interval '1 millisecond'
      or (jobs.attempts >= jobs.max_attempts and jobs.locked_at is null)
    limit $2
  ) as lost`;

// Jobs that were replaced while a process that died had them: nobody will ever do them.
const FORGET_JOBS = `
  select graphile_worker.complete_jobs(array(
    select id from graphile_worker.jobs
    where task_identifier = 'deliver-webhook' and key is null and attempts >= max_attempts limit $1
  ))`;

const FORGET_SECRETS = `
  update webhook_endpoints set previous_key_id = null, previous_box = null, previous_until = null
  where previous_until < now()`;

const FORGET_OLD = `
  delete from webhook_deliveries where id in (
    select id from webhook_deliveries
    where created_at < now() - $1 * interval '1 millisecond' and state <> 'pending' order by created_at limit $2
  ) returning id`;

export function createDeliveryStore({ kysely, pool }: Database): DeliveryStore {
  const findDue = prepared(pool, "webhook-find-due", FIND_DUE);
  const cancel = prepared(pool, "webhook-cancel", CANCEL);
  const record = prepared(pool, "webhook-record", RECORD);
  const postpone = prepared(pool, "webhook-postpone", POSTPONE);

  return {
    async findDue(deliveryId) {
      const [row] = await findDue<DueRow>([deliveryId]);
      if (row === undefined) return null;
      const due = toDueDelivery(row);
      if (due === null) await cancel([deliveryId]);
      return due;
    },

    async record(deliveryId, { at, status, durationMs, error }, verdict) {
      const retryInMs = verdict.state === "pending" ? verdict.retryInMs : 0;
      await record([deliveryId, at, status, durationMs, error, verdict.state, retryInMs]);
    },

    async postpone(deliveryId, byMs) {
      await postpone([deliveryId, byMs]);
    },

    disableGone: (webhookId) =>
      kysely.transaction().execute(async (tx) => {
        await sql`
          update webhook_endpoints set disabled_at = now(), disabled_reason = 'gone'
          where id = ${webhookId} and disabled_at is null
        `.execute(tx);
        await cancelPending(tx, webhookId);
      }),

    requeueLost: async (overdueMs, limit) => (await pool.query(REQUEUE_LOST, [overdueMs, limit])).rows.length,

    async forgetOld(olderThanMs, limit) {
      await pool.query(FORGET_JOBS, [limit]);
      await pool.query(FORGET_SECRETS);
      return (await pool.query(FORGET_OLD, [olderThanMs, limit])).rows.length;
    },
  };
}

type DueRow = Base & (ExecutionRow | { [Name in keyof ExecutionRow]: null });

interface Base {
  delivery_id: string;
  type: WebhookMessageType;
  attempts: number;
  facts: { balance: number; low_at: number } | null;
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

/** Null when there is nothing to tell any more. */
function toDueDelivery(row: DueRow): DueDelivery | null {
  const subject = row.disabled_at === null ? toSubject(row) : null;
  if (subject === null) return null;
  return {
    id: row.delivery_id,
    webhookId: row.webhook_id,
    url: row.url,
    secrets: toSecrets(row),
    attempts: row.attempts,
    message: { type: row.type, applicationId: row.application_id, subject, at: row.happened_at },
  };
}

function toSubject(row: DueRow): MessageSubject | null {
  switch (row.type) {
    case "execution.completed":
    case "execution.failed":
      return row.id === null ? null : { kind: "execution", execution: toExecutionRecord(row) };
    case "connection.reauthorization_required":
      return row.known_connection_id === null ? null : { kind: "connection", connectionId: row.known_connection_id };
    case "credits.low":
      return row.facts === null ? null : { kind: "credits", balance: row.facts.balance, lowAt: row.facts.low_at };
    case "ping":
      return { kind: "ping", webhookId: row.webhook_id };
  }
}

function toSecrets(row: Base): SealedSecret[] {
  const current = { keyId: row.secret_key_id, box: row.secret_box };
  const { previous_key_id: keyId, previous_box: box } = row;
  return keyId === null || box === null ? [current] : [current, { keyId, box }];
}
