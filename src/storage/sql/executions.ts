import type { ExecutionEvent } from "../../contract/execution-event.ts";
import { countCredits } from "../../executions/credits.ts";
import type { CreateOutcome, ExecutionStore, NewExecution } from "../../executions/execution-store.ts";
import { CANCELED } from "../../executions/outcomes.ts";
import { cancelTopic } from "../../executions/queue.ts";
import { createBatcher } from "../../lib/batcher.ts";
import { type Database, isUniqueViolation, LOOKUP_BATCHES, prepared } from "../database.ts";
import type { Notifications } from "../notifications.ts";
import { type ExecutionRow, executionColumns, toExecutionRecord } from "./execution-rows.ts";
import { createFinish, withMetadata } from "./finish-executions.ts";

// Counts only up to the limit, in the index executions_queued.
const IS_FULL = `case when $8::bigint is null then false else exists (
    select 1 from executions
    where status = 'QUEUED' and connection_id >= $1
      and (connection_id, id) <= ($1, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by connection_id, id offset $8::bigint - 1 limit 1
  ) end`;

// One statement is one transaction and one round trip, so the owner's row is locked as briefly as possible. Updating the
// connection serializes creates, claims and changes of its state, so that no queued execution is overlooked.
const CREATE = `
  with connection as (
    update connections set queued_since = case when state = 'ACTIVE' then coalesce(queued_since, now()) else queued_since end
    from applications
    where connections.id = $1 and applications.id = connections.application_id
    returning connections.id, connections.state, connections.application_id, applications.owner_id, applications.home_url
  ), owner as (
    update owners set balance = balance - $5
    from connection
    where owners.id = connection.owner_id and connection.state = 'ACTIVE' and owners.balance >= $5
      and not ${IS_FULL}
    returning owners.id
  ), execution as (
    insert into executions
      (connection_id, prompt, start_url, output_schema, credits, idempotency_key, request_hash, traceparent, approval,
        metadata, recipe_id, recipe_version, recipe_values, recipe_off, last_event_id)
    select connection.id, $2, coalesce($3, connection.home_url), $4::json, $5, $6, $7, $9, $10, $11::jsonb, $12, $13,
      $14::jsonb, $15, 1
    from connection, owner
    returning *
  ), entry as (
    insert into credit_entries (owner_id, application_id, execution_id, kind, credits)
    select owner.id, connection.application_id, execution.id, 'reserve', execution.credits from connection, owner, execution
  ), event as (
    insert into execution_events (execution_id, id, type, data)
    select execution.id, 1, 'execution.queued', ${withMetadata("'{}'")} from execution
  )
  select connection.state, case when execution.id is null then ${IS_FULL} end as "isFull",
    ${executionColumns("execution")}
  from connection left join execution on true`;

const FIND = `
  select ${executionColumns("executions")}
  from unnest($1::uuid[], $2::uuid[]) with ordinality as asked (id, connection_id, position)
  left join executions on executions.id = asked.id and executions.connection_id = asked.connection_id
  order by position`;

const FIND_BY_KEY = `select ${executionColumns("executions")} from executions where connection_id = $1 and idempotency_key = $2`;

// The row comparison of (connection_id, id) forces the index executions_of_connection. With a plain "connection_id = $1 order
// by id desc" PostgreSQL may scan the primary key instead, through all newer executions of others.
const listSql = (condition: string) => `
  select ${executionColumns("executions")} from executions
  where connection_id >= $1 and (connection_id, id) <= ($1, 'ffffffff-ffff-ffff-ffff-ffffffffffff') and ${condition}
  order by connection_id desc, id desc limit $2`;

// A cursor of another connection becomes null, and nothing comes after null.
const listAfterSql = (condition: string) => `
  select ${executionColumns("executions")} from executions
  where connection_id >= $1
    and (connection_id, id) < ($1, (select id from executions where id = $2 and connection_id = $1)) and ${condition}
  order by connection_id desc, id desc limit $3`;

const EXISTS = "select 1 from executions where id = $1 and connection_id = $2";

const REQUEST_CANCEL = `
  update executions set cancel_requested_at = coalesce(cancel_requested_at, now()), updated_at = now()
  where id = $1 and status = 'RUNNING'
  returning id`;

// Several followers share a watch. Losing one in a crash only delays their next event, so the commit does not wait for the disk.
const WATCH = `
  update executions set watched_until = now() + $2 * interval '1 millisecond'
  from (select set_config('synchronous_commit', 'off', true)) as setting
  where id = $1 and status in ('QUEUED', 'RUNNING')
    and coalesce(watched_until < now() + $2 * interval '0.5 millisecond', true)`;

const LIST_EVENTS = `
  select id, type, created_at as at, data from execution_events
  where execution_id = $1 and id > $2 order by id limit $3`;

export function createExecutionStore({ pool }: Database, notifications: Notifications): ExecutionStore {
  const insert = prepared(pool, "execution-create", CREATE);
  const findByKey = prepared(pool, "execution-by-key", FIND_BY_KEY);
  const findAll = prepared(pool, "execution-find", FIND);
  // Polling clients do this all the time: concurrent lookups share a round trip.
  const find = createBatcher<{ executionId: string; connectionId: string }, ExecutionRow | { id: null }>({
    load: (keys) => findAll([keys.map(({ executionId }) => executionId), keys.map(({ connectionId }) => connectionId)]),
    ...LOOKUP_BATCHES,
  });
  const listAll = prepareList("all", "true");
  // The status is part of the statement, so that the index executions_queued can be used.
  const listInStatus = {
    QUEUED: prepareList("queued", "status = 'QUEUED'"),
    RUNNING: prepareList("running", "status = 'RUNNING'"),
    COMPLETED: prepareList("completed", "status = 'COMPLETED'"),
    FAILED: prepareList("failed", "status = 'FAILED'"),
  };
  const exists = prepared(pool, "execution-exists", EXISTS);
  const finish = createFinish(pool);
  const requestCancel = prepared(pool, "execution-request-cancel", REQUEST_CANCEL);
  const watch = prepared(pool, "execution-watch", WATCH);
  const listEvents = prepared(pool, "execution-events", LIST_EVENTS);

  function prepareList(name: string, condition: string) {
    return {
      first: prepared(pool, `execution-list-${name}`, listSql(condition)),
      next: prepared(pool, `execution-list-${name}-after`, listAfterSql(condition)),
    };
  }

  async function findReplay(connectionId: string, key: string) {
    const [row] = await findByKey<ExecutionRow>([connectionId, key]);
    if (row === undefined || row.request_hash === null) return null;
    return { outcome: "replayed" as const, execution: toExecutionRecord(row), requestHash: row.request_hash };
  }

  async function findReplayOf({ connectionId, idempotency }: NewExecution): Promise<CreateOutcome | null> {
    return idempotency === null ? null : findReplay(connectionId, idempotency.key);
  }

  async function tryInsert(execution: NewExecution): Promise<CreateOutcome> {
    const [row] = await insert<{ state: string; isFull: boolean | null } & (ExecutionRow | { id: null })>(
      toParameters(execution),
    );
    if (row === undefined || row.state !== "ACTIVE") return { outcome: "reauthorization_required" };
    if (row.id === null) return { outcome: row.isFull === true ? "queue_full" : "insufficient_credits" };
    countCredits("reserve", execution.credits);
    notifications.send("queue");
    return { outcome: "created", execution: toExecutionRecord(row) };
  }

  return {
    findReplay,

    async create(execution) {
      const replay = await findReplayOf(execution);
      if (replay !== null) return replay;
      try {
        const creation = await tryInsert(execution);
        if (creation.outcome === "created") return creation;
        // An equal concurrent request may have taken the last credit: then this one is its replay.
        return (await findReplayOf(execution)) ?? creation;
      } catch (error) {
        // An equal concurrent request won. The unique index has rolled back this statement.
        const winner = isUniqueViolation(error, "executions_idempotency") ? await findReplayOf(execution) : null;
        if (winner === null) throw error;
        return winner;
      }
    },

    async find(connectionId, executionId) {
      const row = await find({ executionId, connectionId });
      return row.id === null ? null : toExecutionRecord(row);
    },

    async list(connectionId, { limit, after, status }) {
      const statement = status === null ? listAll : listInStatus[status];
      if (after === null) return (await statement.first<ExecutionRow>([connectionId, limit])).map(toExecutionRecord);
      const rows = await statement.next<ExecutionRow>([connectionId, after, limit]);
      // Only with an empty page is it unclear whether the cursor exists.
      const isCursor = rows.length > 0 || (await exists([after, connectionId])).length > 0;
      return isCursor ? rows.map(toExecutionRecord) : null;
    },

    async cancelQueued(executionId) {
      const finished = await finish(executionId, { status: "QUEUED" }, CANCELED);
      if (finished !== null) notifications.send(finished.record.id);
      return finished?.record ?? null;
    },

    async requestCancel(executionId) {
      const isRequested = (await requestCancel([executionId])).length > 0;
      if (isRequested) for (const topic of [executionId, cancelTopic(executionId)]) notifications.send(topic);
      return isRequested;
    },

    async watch(executionId, forMs) {
      await watch([executionId, forMs]);
    },

    async listEvents(executionId, { after, limit }) {
      const rows = await listEvents<Omit<ExecutionEvent, "at"> & { at: Date }>([executionId, after, limit]);
      return rows.map(({ id, type, at, data }) => ({ id, type, at: at.toISOString(), data }));
    },
  };
}

/** Of CREATE, in order. */
function toParameters(execution: NewExecution): unknown[] {
  const { outputSchema, idempotency } = execution;
  const recipe = typeof execution.recipe === "string" ? null : execution.recipe;
  return [
    execution.connectionId,
    execution.prompt,
    execution.startUrl,
    outputSchema && JSON.stringify(outputSchema),
    execution.credits,
    idempotency?.key,
    idempotency?.requestHash,
    execution.maxQueued,
    execution.traceparent,
    execution.approval,
    JSON.stringify(execution.metadata),
    recipe?.id,
    recipe?.version,
    recipe && JSON.stringify(recipe.values),
    execution.recipe === "off",
  ];
}
