import type pg from "pg";
import type { QueryResult } from "pg";
import type { QueueGauge, QueueState } from "../../executions/execution-metrics.ts";
import type { ApplicationRules, Claim, LeaseState, QueueStore } from "../../executions/queue.ts";
import { type Database, prepared, QUICK_TIMEOUT_MS, withStatementTimeout } from "../database.ts";
import { countFailures } from "../database-metrics.ts";
import type { Notifications } from "../notifications.ts";
import { type ExecutionRow, executionColumns, toExecutionRecord } from "./execution-rows.ts";
import { createFinish } from "./finish-executions.ts";

// A connection whose sign-in is being checked does not run. There are never more of these than browsers for checks.
const IS_UNCHECKED = "(check_expires_at is null or check_expires_at <= now())";

// The index connections_ready has this order, so this takes the first row that is not locked.
const LOCK_LONGEST_WAITING = `
  select id from connections
  where queued_since is not null and running_execution_id is null and ${IS_UNCHECKED}
  order by queued_since
  limit 1
  for no key update skip locked`;

const LOCK_CONNECTION_OF = `
  select id from connections
  where id = (select connection_id from executions where id = $1 and status = 'QUEUED') and running_execution_id is null
    and ${IS_UNCHECKED}
  for no key update skip locked`;

const RULES = "applications.allowed_hosts, applications.home_url, applications.sign_in_url, applications.access";

// A separate statement after the lock, so that it sees every execution created before. Events use clock_timestamp(): the start
// of the transaction may be earlier than the previous event.
const startSql = ({ next, queuedSince }: { next: string; queuedSince: string }) => `
  with next as (
    ${next}
  ), execution as (
    update executions
    set status = 'RUNNING', fence = fence + 1, lease_expires_at = now() + $2 * interval '1 millisecond',
      last_event_id = last_event_id + 1, updated_at = clock_timestamp()
    from next
    where executions.id = next.id
    returning executions.*
  ), event as (
    insert into execution_events (execution_id, id, type, data, created_at)
    select execution.id, execution.last_event_id, 'execution.started', '{}', clock_timestamp() from execution
  ), connection as (
    update connections
    set running_execution_id = (select id from execution),
      queued_since = ${queuedSince}
    where id = $1
    returning state, application_id, approval, spending_currency
  )
  select ${executionColumns("execution")}, execution.traceparent, connection.state as connection_state, ${RULES},
    'commits' in (applications.approval, connection.approval, coalesce(execution.approval, 'never')) as asks_before_commits,
    connection.spending_currency is not null as has_spending_limits,
    exists (
      select 1 from webhook_endpoints
      where application_id = applications.id and disabled_at is null
        and (events is null or 'execution.interaction_required' = any (events))
    ) as tells_interactions
  from execution, connection join applications on applications.id = connection.application_id`;

// The row comparison of (connection_id, id) forces the index executions_queued. With "connection_id = $1 order by id"
// PostgreSQL may scan the primary key through the backlog of others. A connection with nothing queued leaves the queue.
const START_OLDEST = startSql({
  next: `select id from executions
    where status = 'QUEUED' and connection_id >= $1 and (connection_id, id) <= ($1, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by connection_id, id limit 1 for update`,
  queuedSince: "case when exists (select 1 from execution) then queued_since end",
});
const START_ONE = startSql({
  next: "select id from executions where connection_id = $1 and status = 'QUEUED' and id = $3 for update",
  queuedSince: "queued_since",
});

const EXTEND = `
  update executions set lease_expires_at = now() + $3 * interval '1 millisecond'
  where id = $1 and fence = $2 and status = 'RUNNING' and lease_expires_at > now()
  returning cancel_requested_at is not null as "cancelRequested"`;

const READ_LEASE = `
  select cancel_requested_at is not null as "cancelRequested" from executions
  where id = $1 and fence = $2 and status = 'RUNNING' and lease_expires_at > now()`;

const BEGIN = `
  update executions set began_at = now()
  where id = $1 and fence = $2 and status = 'RUNNING' and lease_expires_at > now()
  returning id`;

// The fence increases, so that the previous holder can neither begin nor write.
const PUT_BACK = `
  with connection as (
    select id from connections where id = (select connection_id from executions where id = $1) for no key update
  ), execution as (
    update executions set status = 'QUEUED', lease_expires_at = null, fence = fence + 1, updated_at = now()
    from connection
    where executions.id = $1 and fence = $2 and status = 'RUNNING' and began_at is null
    returning executions.id, executions.connection_id
  )
  update connections set running_execution_id = null, queued_since = coalesce(queued_since, now())
  from execution
  where connections.id = execution.connection_id
  returning execution.id`;

const APPEND_EVENT = `
  with execution as (
    update executions set last_event_id = last_event_id + 1, updated_at = now()
    where id = $1 and fence = $2 and status = 'RUNNING'
    returning id, last_event_id
  )
  insert into execution_events (execution_id, id, type, data, created_at)
  select id, last_event_id, $3, $4::json, clock_timestamp() from execution
  returning id`;

const LIST_EXPIRED = `
  select id, fence, began_at is not null as "hasBegun" from executions
  where status = 'RUNNING' and lease_expires_at < now()
  order by lease_expires_at limit $1`;

const FIND_RULES = `
  select ${RULES} from connections join applications on applications.id = application_id where connections.id = $1`;

/** Short enough to extend a lease in time even if the first database connection turns out to be dead. */
const LEASE_TIMEOUT_MS = 4_000;

export function createQueueStore({ pool }: Database, notifications: Notifications): QueueStore {
  const extend = prepared(pool, "queue-extend", EXTEND, LEASE_TIMEOUT_MS);
  const look = prepared(pool, "queue-look", READ_LEASE, LEASE_TIMEOUT_MS);
  const begin = prepared(pool, "queue-begin", BEGIN);
  const putBack = prepared(pool, "queue-put-back", PUT_BACK);
  const appendEvent = prepared(pool, "queue-append-event", APPEND_EVENT);
  const listExpired = prepared(pool, "queue-expired", LIST_EXPIRED);
  const findRules = prepared(pool, "queue-find-rules", FIND_RULES);
  const finish = createFinish(pool);

  async function claim(target: ClaimTarget, leaseMs: number): Promise<Claim | null> {
    const client = await countFailures(pool.connect());
    let failure: unknown;
    try {
      const claimed = await countFailures(claimFirst(client, target, leaseMs));
      if (claimed !== null) notifications.send(claimed.execution.id);
      return claimed;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // After a failure the transaction may still be open, so the pool replaces the connection.
      client.release(failure !== undefined);
    }
  }

  return {
    claim: (leaseMs) => claim({ kind: "longest_waiting" }, leaseMs),
    claimOne: (executionId, leaseMs) => claim({ kind: "one", executionId }, leaseMs),

    async extend(executionId, fence, leaseMs) {
      const [row] = await extend<LeaseState>([executionId, fence, leaseMs]);
      return row ?? null;
    },

    async checkLease(executionId, fence) {
      const [row] = await look<LeaseState>([executionId, fence]);
      return row ?? null;
    },

    begin: async (executionId, fence) => (await begin([executionId, fence])).length > 0,

    async putBack(executionId, fence) {
      const isPutBack = (await putBack([executionId, fence])).length > 0;
      if (isPutBack) notifications.send("queue");
      return isPutBack;
    },

    async appendEvent(executionId, fence, { type, data }) {
      const isAppended = (await appendEvent([executionId, fence, type, JSON.stringify(data)])).length > 0;
      if (isAppended) notifications.send(executionId);
      return isAppended;
    },

    async finish(executionId, fence, outcome) {
      const record = await finish(executionId, { status: "RUNNING", fence }, outcome);
      if (record === null) return null;
      notifications.send(record.id);
      // The connection is free for its next execution.
      notifications.send("queue");
      return record;
    },

    async findRules(connectionId) {
      const [row] = await findRules<RulesRow>([connectionId]);
      return row === undefined ? null : toRules(row);
    },

    listExpired: (limit) => listExpired<{ id: string; fence: number; hasBegun: boolean }>([limit]),
  };
}

type ClaimTarget = { kind: "longest_waiting" } | { kind: "one"; executionId: string };

/** One transaction per connection. Skips connections whose executions were all canceled. */
async function claimFirst(client: pg.PoolClient, target: ClaimTarget, leaseMs: number): Promise<Claim | null> {
  for (;;) {
    await client.query(withQuickTimeout({ text: "begin" }));
    const locked = await client.query<{ id: string }>(withQuickTimeout(lockStatement(target)));
    const [connection] = locked.rows;
    const started =
      connection === undefined
        ? null
        : await client.query<ClaimRow>(withQuickTimeout(startStatement(connection.id, target, leaseMs)));
    await client.query(withQuickTimeout({ text: "commit" }));
    const [row] = started?.rows ?? [];
    if (row !== undefined) return toClaim(row);
    if (connection === undefined || target.kind === "one") return null;
  }
}

function withQuickTimeout(statement: pg.QueryConfig): pg.QueryConfig {
  return withStatementTimeout(QUICK_TIMEOUT_MS, statement);
}

function lockStatement(target: ClaimTarget): pg.QueryConfig {
  return target.kind === "one"
    ? { name: "queue-lock-one", text: LOCK_CONNECTION_OF, values: [target.executionId] }
    : { name: "queue-lock", text: LOCK_LONGEST_WAITING };
}

function startStatement(connectionId: string, target: ClaimTarget, leaseMs: number): pg.QueryConfig {
  return target.kind === "one"
    ? { name: "queue-start-one", text: START_ONE, values: [connectionId, leaseMs, target.executionId] }
    : { name: "queue-start", text: START_OLDEST, values: [connectionId, leaseMs] };
}

interface RulesRow {
  allowed_hosts: string[];
  home_url: string | null;
  sign_in_url: string | null;
  access: ApplicationRules["access"];
}

interface ClaimRow extends ExecutionRow, RulesRow {
  connection_state: Claim["connectionState"];
  asks_before_commits: boolean;
  has_spending_limits: boolean;
  tells_interactions: boolean;
  traceparent: string | null;
}

function toClaim(row: ClaimRow): Claim {
  return {
    execution: toExecutionRecord(row),
    fence: row.fence,
    connectionState: row.connection_state,
    application: toRules(row),
    approval: row.asks_before_commits ? "commits" : "never",
    hasSpendingLimits: row.has_spending_limits,
    tellsInteractions: row.tells_interactions,
    traceparent: row.traceparent,
  };
}

function toRules({ allowed_hosts, home_url, sign_in_url, access }: RulesRow): ApplicationRules {
  return { allowedHosts: allowed_hosts, homeUrl: home_url, signInUrl: sign_in_url, access };
}

const COUNT_LIMIT = 10_000;

// Statements sent together are one transaction, so the settings apply to the last one only. They force PostgreSQL to scan the
// partial indexes up to the limit. With the outdated statistics of a fast-growing queue it would collect all rows first. The
// next connection is the first one in connections_ready with something queued: one whose executions were all canceled stays
// there until a worker removes it.
const COUNT_QUEUE = `
  set local enable_seqscan = off;
  set local enable_bitmapscan = off;
  set local enable_sort = off;
  select
    (select count(*) from (
      select from executions where status = 'QUEUED' order by connection_id, id limit ${COUNT_LIMIT}
    ) as counted) as "waiting",
    (select count(*) from (
      select from executions where status = 'RUNNING' order by lease_expires_at limit ${COUNT_LIMIT}
    ) as counted) as "running",
    (select count(*) from (
      select from executions where status = 'RUNNING' and lease_expires_at < now()
      order by lease_expires_at limit ${COUNT_LIMIT}
    ) as counted) as "silent",
    coalesce((
      select extract(epoch from now() - queued_since) from connections
      where queued_since is not null and running_execution_id is null
        and exists (select from executions where connection_id = connections.id and status = 'QUEUED')
      order by queued_since limit 1
    ), 0)::float8 as "oldestWaitSeconds"`;

export function createQueueGauge({ pool }: Database): QueueGauge {
  return {
    async read() {
      // For several statements the driver returns several results. Its types do not say so.
      const results: unknown = await pool.query(withStatementTimeout(QUICK_TIMEOUT_MS, { text: COUNT_QUEUE }));
      const state = (results as QueryResult<QueueState>[]).at(-1)?.rows[0];
      if (state === undefined) throw new Error("Counting the queue failed");
      return state;
    },
  };
}
