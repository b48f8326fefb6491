import type pg from "pg";
import type { QueryResult } from "pg";
import type { QueueGauge, QueueState } from "../../executions/execution-metrics.ts";
import type { ApplicationRules, Claim, LeaseState, QueueStore } from "../../executions/queue.ts";
import { createBatcher } from "../../lib/batcher.ts";
import { type Database, LOOKUP_BATCHES, prepared, QUICK_TIMEOUT_MS, withStatementTimeout } from "../database.ts";
import { countFailures } from "../database-metrics.ts";
import type { Notifications } from "../notifications.ts";
import { type ExecutionRow, executionColumns, toExecutionRecord } from "./execution-rows.ts";
import { createFinish } from "./finish-executions.ts";

// A connection whose sign-in is being checked does not run. There are never more of these than browsers for checks.
const IS_UNCHECKED = "(check_expires_at is null or check_expires_at <= now())";

// The index connections_ready has this order, so this takes the first row that is not locked.
const LONGEST_WAITING = `
  select id from connections
  where queued_since is not null and running_execution_id is null and ${IS_UNCHECKED}
  order by queued_since
  limit 1
  for no key update skip locked`;

const CONNECTION_OF = `
  select id from connections
  where id = (select connection_id from executions where id = $2 and status = 'QUEUED') and running_execution_id is null
    and ${IS_UNCHECKED}
  for no key update skip locked`;

const RULES = "applications.allowed_hosts, applications.home_url, applications.sign_in_url, applications.access";

// One statement is one transaction and one round trip. Its snapshot may be older than its lock on the connection, so it may
// miss an execution that was created in between: it never removes a connection from the queue. Events use clock_timestamp():
// the start of the transaction may be earlier than the previous event.
const claimSql = ({ connection, next }: { connection: string; next: string }) => `
  with locked as (
    ${connection}
  ), next as (
    ${next}
  ), execution as (
    update executions
    set status = 'RUNNING', fence = fence + 1, lease_expires_at = now() + $1 * interval '1 millisecond',
      last_event_id = last_event_id + 1, updated_at = clock_timestamp()
    from next
    where executions.id = next.id
    returning executions.*
  ), event as (
    insert into execution_events (execution_id, id, type, data, created_at)
    select execution.id, execution.last_event_id, 'execution.started', '{}', clock_timestamp() from execution
  ), connection as (
    update connections set running_execution_id = execution.id
    from execution
    where connections.id = execution.connection_id
    returning connections.id, state, application_id, connections.approval, spending_currency
  )
  select locked.id as locked_id, ${executionColumns("execution")}, execution.traceparent,
    execution.cancel_requested_at is not null as cancel_requested, connection.state as connection_state, ${RULES},
    'commits' in (applications.approval, connection.approval, coalesce(execution.approval, 'never')) as asks_before_commits,
    connection.spending_currency is not null as has_spending_limits,
    exists (
      select 1 from webhook_endpoints
      where application_id = applications.id and disabled_at is null
        and (events is null or 'execution.interaction_required' = any (events))
    ) as tells_interactions
  from locked
  left join (execution join connection on connection.id = execution.connection_id
    join applications on applications.id = connection.application_id) on true`;

// The row comparison of (connection_id, id) forces the index executions_queued. With "connection_id = $1 order by id"
// PostgreSQL may scan the primary key through the backlog of others.
const CLAIM_LONGEST_WAITING = claimSql({
  connection: LONGEST_WAITING,
  next: `select id from executions
    where status = 'QUEUED' and connection_id >= (select id from locked)
      and (connection_id, id) <= ((select id from locked), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by connection_id, id limit 1 for update`,
});
const CLAIM_ONE = claimSql({
  connection: CONNECTION_OF,
  next: "select id from executions where connection_id = (select id from locked) and status = 'QUEUED' and id = $2 for update",
});

// Statements sent together are one transaction in one round trip: the second sees every execution that was created before the
// lock. The id comes from the database.
const leaveQueueSql = (connectionId: string) => `
  select from connections where id = '${connectionId}' for no key update;
  update connections set queued_since = null
  where id = '${connectionId}' and not exists (
    select 1 from executions
    where status = 'QUEUED' and connection_id >= '${connectionId}'
      and (connection_id, id) <= ('${connectionId}', 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  )`;

const ASKED = "unnest($1::uuid[], $2::int[]) with ordinality as asked (id, fence, position)";
const IS_HELD =
  "executions.fence = asked.fence and executions.status = 'RUNNING' and executions.lease_expires_at > now()";

// Locks in the order of the ids, so that two of these never wait for each other.
const EXTEND = `
  with held as (
    select executions.id, extension from ${ASKED} join unnest($3::float8[]) with ordinality as given (extension, position)
      using (position) join executions on executions.id = asked.id and ${IS_HELD}
    order by executions.id
    for no key update of executions
  ), extended as (
    update executions set lease_expires_at = now() + extension * interval '1 millisecond'
    from held where executions.id = held.id
    returning executions.id, cancel_requested_at is not null as "cancelRequested"
  )
  select extended."cancelRequested" from ${ASKED} left join extended on extended.id = asked.id order by position`;

const READ_LEASES = `
  select case when executions.id is not null then cancel_requested_at is not null end as "cancelRequested"
  from ${ASKED} left join executions on executions.id = asked.id and ${IS_HELD}
  order by position`;

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
  const extendAll = prepared(pool, "queue-extend-leases", EXTEND, LEASE_TIMEOUT_MS);
  const readAll = prepared(pool, "queue-read-leases", READ_LEASES, LEASE_TIMEOUT_MS);
  // Heartbeats of one worker share a round trip.
  const extend = createBatcher<Lease & { leaseMs: number }, LeaseRow>({
    load: (leases) => extendAll([...toColumns(leases), leases.map(({ leaseMs }) => leaseMs)]),
    ...LOOKUP_BATCHES,
  });
  const readLease = createBatcher<Lease, LeaseRow>({
    load: (leases) => readAll(toColumns(leases)),
    ...LOOKUP_BATCHES,
  });
  const claimLongestWaiting = prepared(pool, "queue-claim", CLAIM_LONGEST_WAITING);
  const claimOne = prepared(pool, "queue-claim-one", CLAIM_ONE);
  const begin = prepared(pool, "queue-begin", BEGIN);
  const putBack = prepared(pool, "queue-put-back", PUT_BACK);
  const appendEvent = prepared(pool, "queue-append-event", APPEND_EVENT);
  const listExpired = prepared(pool, "queue-expired", LIST_EXPIRED);
  const findRules = prepared(pool, "queue-find-rules", FIND_RULES);
  const finish = createFinish(pool);

  function started(row: ClaimRow): Claim {
    notifications.send(row.id);
    return toClaim(row);
  }

  return {
    async claim(leaseMs) {
      for (;;) {
        const [row] = await claimLongestWaiting<ClaimRow | NothingToClaim>([leaseMs]);
        if (row === undefined) return null;
        if (row.id !== null) return started(row);
        // Its executions have ended or were canceled.
        await countFailures(pool.query(withQuickTimeout({ text: leaveQueueSql(row.locked_id) })));
      }
    },

    async claimOne(executionId, leaseMs) {
      const [row] = await claimOne<ClaimRow | NothingToClaim>([leaseMs, executionId]);
      return row === undefined || row.id === null ? null : started(row);
    },

    extend: async (executionId, fence, leaseMs) => toLeaseState(await extend({ executionId, fence, leaseMs })),
    checkLease: async (executionId, fence) => toLeaseState(await readLease({ executionId, fence })),

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
      const finished = await finish(executionId, { status: "RUNNING", fence }, outcome);
      if (finished === null) return null;
      notifications.send(finished.record.id);
      // The connection is free for its next execution.
      if (finished.hasMore) notifications.send("queue");
      return finished.record;
    },

    async findRules(connectionId) {
      const [row] = await findRules<RulesRow>([connectionId]);
      return row === undefined ? null : toRules(row);
    },

    listExpired: (limit) => listExpired<{ id: string; fence: number; hasBegun: boolean }>([limit]),
  };
}

function withQuickTimeout(statement: pg.QueryConfig): pg.QueryConfig {
  return withStatementTimeout(QUICK_TIMEOUT_MS, statement);
}

interface Lease {
  executionId: string;
  fence: number;
}

interface LeaseRow {
  /** Null: the lease is lost. */
  cancelRequested: boolean | null;
}

function toColumns(leases: readonly Lease[]): [string[], number[]] {
  return [leases.map(({ executionId }) => executionId), leases.map(({ fence }) => fence)];
}

function toLeaseState({ cancelRequested }: LeaseRow): LeaseState | null {
  return cancelRequested === null ? null : { cancelRequested };
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
  cancel_requested: boolean;
}

/** The connection seems to have no queued execution. */
interface NothingToClaim {
  locked_id: string;
  id: null;
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
    cancelRequested: row.cancel_requested,
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
      const results: unknown = await pool.query(withQuickTimeout({ text: COUNT_QUEUE }));
      const state = (results as QueryResult<QueueState>[]).at(-1)?.rows[0];
      if (state === undefined) throw new Error("Counting the queue failed");
      return state;
    },
  };
}
