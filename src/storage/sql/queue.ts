import type pg from "pg";
import type { QueryResult } from "pg";
import type { NewArtifactRecord } from "../../executions/artifacts.ts";
import type { QueueGauge, QueueState } from "../../executions/execution-metrics.ts";
import type { LeaseState, QueueStore } from "../../executions/queue.ts";
import { createBatcher } from "../../lib/batcher.ts";
import { type Database, LOOKUP_BATCHES, prepared, QUICK_TIMEOUT_MS, withStatementTimeout } from "../database.ts";
import type { Notifications } from "../notifications.ts";
import { createClaims } from "./claims.ts";
import { createFinish } from "./finish-executions.ts";

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

/** One transaction for each event is what limits the database, so the artifact of an event shares its own. */
const WITH_ARTIFACT = `, artifact as (
    insert into execution_artifacts (id, execution_id, kind, name, content_type, bytes, sha256)
    select $5, execution.id, $6, $7, $8, $9, $10 from execution
    on conflict (id) do nothing
  )`;

const toAppendEvent = (artifact: string) => `
  with execution as (
    update executions set last_event_id = last_event_id + 1, updated_at = now()
    where id = $1 and fence = $2 and status = 'RUNNING'
    returning id, last_event_id, coalesce(watched_until > now(), false) as is_watched
  )${artifact}
  insert into execution_events (execution_id, id, type, data, created_at)
  select id, last_event_id, $3, $4::json, clock_timestamp() from execution
  returning (select is_watched from execution) as "isWatched"`;

const LIST_EXPIRED = `
  select id, fence, began_at is not null as "hasBegun" from executions
  where status = 'RUNNING' and lease_expires_at < now()
  order by lease_expires_at limit $1`;

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
  const begin = prepared(pool, "queue-begin", BEGIN);
  const putBack = prepared(pool, "queue-put-back", PUT_BACK);
  const appendEvent = prepared(pool, "queue-append-event", toAppendEvent(""));
  const appendWithArtifact = prepared(pool, "queue-append-event-artifact", toAppendEvent(WITH_ARTIFACT));
  const listExpired = prepared(pool, "queue-expired", LIST_EXPIRED);
  const finish = createFinish(pool);

  return {
    ...createClaims(pool, notifications),

    extend: async (executionId, fence, leaseMs) => toLeaseState(await extend({ executionId, fence, leaseMs })),
    checkLease: async (executionId, fence) => toLeaseState(await readLease({ executionId, fence })),

    begin: async (executionId, fence) => (await begin([executionId, fence])).length > 0,

    async putBack(executionId, fence) {
      const isPutBack = (await putBack([executionId, fence])).length > 0;
      if (isPutBack) notifications.send("queue");
      return isPutBack;
    },

    async appendEvent(executionId, fence, { type, data, artifact = null }) {
      const event = [executionId, fence, type, JSON.stringify(data)];
      const [appended] =
        artifact === null
          ? await appendEvent<{ isWatched: boolean }>(event)
          : await appendWithArtifact<{ isWatched: boolean }>([...event, ...toArtifactColumns(artifact)]);
      if (appended === undefined) return false;
      // Each notification wakes every process that listens, and most runs have nobody who follows their steps.
      if (appended.isWatched) notifications.send(executionId);
      else notifications.sendLocally(executionId);
      return true;
    },

    async finish(executionId, fence, outcome) {
      const finished = await finish(executionId, { status: "RUNNING", fence }, outcome);
      if (finished === null) return null;
      notifications.send(finished.record.id);
      // The connection is free for its next execution.
      if (finished.hasMore) notifications.send("queue");
      return finished.record;
    },

    listExpired: (limit) => listExpired<{ id: string; fence: number; hasBegun: boolean }>([limit]),
  };
}

function toArtifactColumns({ id, kind, name, contentType, bytes, sha256 }: NewArtifactRecord) {
  return [id, kind, name, contentType, bytes, sha256];
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
