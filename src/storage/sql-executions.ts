import type { ExecutionEvent } from "../contract/execution-event.ts";
import { settle } from "../credits/settlement.ts";
import type { ExecutionRecord } from "../executions/execution-record.ts";
import { canMove } from "../executions/execution-state.ts";
import type { Creation, ExecutionStore, NewExecution } from "../executions/execution-store.ts";
import { type Database, isUniqueViolation, prepared } from "./database.ts";
import type { Hints } from "./hints.ts";

interface ExecutionRow {
  id: string;
  connection_id: string;
  status: ExecutionRecord["status"];
  terminal_status: NonNullable<ExecutionRecord["terminal"]>["status"] | null;
  terminal_reason: string | null;
  prompt: string;
  start_url: string | null;
  output_schema: ExecutionRecord["outputSchema"];
  result: ExecutionRecord["result"];
  error_code: string | null;
  error_message: string | null;
  credits: number;
  charged: boolean;
  request_hash: Buffer | null;
  created_at: Date;
  updated_at: Date;
  completed_at: Date | null;
}

const COLUMNS = [
  "id",
  "connection_id",
  "status",
  "terminal_status",
  "terminal_reason",
  "prompt",
  "start_url",
  "output_schema",
  "result",
  "error_code",
  "error_message",
  "credits",
  "charged",
  "request_hash",
  "created_at",
  "updated_at",
  "completed_at",
];
const columns = (table: string) => COLUMNS.map((column) => `${table}.${column}`).join(", ");

// One statement is one transaction and one round trip: the owner's row stays locked as briefly as it can.
// "key share" lets workers claim meanwhile and makes a change of the connection's state wait, or us see it.
const CREATE = `
  with connection as (
    select connections.id, connections.state, applications.owner_id, applications.home_url
    from connections join applications on applications.id = connections.application_id
    where connections.id = $1
    for key share of connections
  ), owner as (
    update owners set balance = balance - $5
    from connection
    where owners.id = connection.owner_id and connection.state = 'ACTIVE' and owners.balance >= $5
    returning owners.id
  ), execution as (
    insert into executions
      (connection_id, prompt, start_url, output_schema, credits, idempotency_key, request_hash, last_event_id)
    select connection.id, $2, coalesce($3, connection.home_url), $4::json, $5, $6, $7, 1 from connection, owner
    returning *
  ), entry as (
    insert into credit_entries (owner_id, execution_id, kind, credits)
    select owner.id, execution.id, 'reserve', execution.credits from owner, execution
  ), event as (
    insert into execution_events (execution_id, id, type, data)
    select execution.id, 1, 'execution.queued', '{}' from execution
  )
  select connection.state, ${columns("execution")} from connection left join execution on true`;

const FIND = `select ${columns("executions")} from executions where id = $1 and connection_id = $2`;

const FIND_BY_KEY = `select ${columns("executions")} from executions where connection_id = $1 and idempotency_key = $2`;

// Both walk the index executions_newest_first, however many executions there are.
const LIST = `select ${columns("executions")} from executions where connection_id = $1 order by id desc limit $2`;

// A cursor that is not this connection's is null, and null has nothing after it.
const LIST_AFTER = `
  select ${columns("executions")} from executions
  where connection_id = $1 and id < (select id from executions where id = $2 and connection_id = $1)
  order by id desc limit $3`;

const EXISTS = "select 1 from executions where id = $1 and connection_id = $2";

const FINISH = `
  with execution as (
    update executions
    set status = $3, terminal_status = $4, terminal_reason = $5, result = $6::json, error_code = $7, error_message = $8,
      charged = $9, last_event_id = last_event_id + 1, updated_at = now(), completed_at = now()
    where id = $1 and status = $2
    returning *
  ), entry as (
    insert into credit_entries (owner_id, execution_id, kind, credits)
    select applications.owner_id, execution.id, $10, execution.credits
    from execution
    join connections on connections.id = execution.connection_id
    join applications on applications.id = connections.application_id
    returning owner_id, change
  ), owner as (
    update owners set balance = balance + entry.change from entry where owners.id = entry.owner_id
  ), event as (
    insert into execution_events (execution_id, id, type, data)
    select execution.id, execution.last_event_id, $11, $12::json from execution
  )
  select ${columns("execution")} from execution`;

const REQUEST_CANCEL = `
  update executions set cancel_requested_at = coalesce(cancel_requested_at, now()), updated_at = now()
  where id = $1 and status = 'RUNNING'`;

const LIST_EVENTS = `
  select id, type, created_at as at, data from execution_events
  where execution_id = $1 and id > $2 order by id limit $3`;

export function createExecutionStore({ pool }: Database, hints: Hints): ExecutionStore {
  const insert = prepared(pool, "execution-create", CREATE);
  const findByKey = prepared(pool, "execution-by-key", FIND_BY_KEY);
  const find = prepared(pool, "execution-find", FIND);
  const listFirst = prepared(pool, "execution-list", LIST);
  const listAfter = prepared(pool, "execution-list-after", LIST_AFTER);
  const exists = prepared(pool, "execution-exists", EXISTS);
  const finish = prepared(pool, "execution-finish", FINISH);
  const requestCancel = prepared(pool, "execution-request-cancel", REQUEST_CANCEL);
  const listEvents = prepared(pool, "execution-events", LIST_EVENTS);

  async function findReplay(execution: NewExecution): Promise<Creation | null> {
    if (execution.idempotency === null) return null;
    const [row] = await findByKey<ExecutionRow>([execution.connectionId, execution.idempotency.key]);
    if (row === undefined || row.request_hash === null) return null;
    return { outcome: "replayed", execution: toRecord(row), requestHash: row.request_hash };
  }

  async function tryInsert(execution: NewExecution): Promise<Creation> {
    const { connectionId, prompt, startUrl, outputSchema, credits, idempotency } = execution;
    const [row] = await insert<{ state: string } & (ExecutionRow | { id: null })>([
      connectionId,
      prompt,
      startUrl,
      outputSchema === null ? null : JSON.stringify(outputSchema),
      credits,
      idempotency?.key ?? null,
      idempotency?.requestHash ?? null,
    ]);
    if (row === undefined || row.state !== "ACTIVE") return { outcome: "reauthorization_required" };
    if (row.id === null) return { outcome: "insufficient_credits" };
    hints.send("queue");
    return { outcome: "created", execution: toRecord(row) };
  }

  return {
    async create(execution) {
      const replay = await findReplay(execution);
      if (replay !== null) return replay;
      try {
        const creation = await tryInsert(execution);
        if (creation.outcome === "created") return creation;
        // An equal request may have got the last credit since we looked: then this one is its replay.
        return (await findReplay(execution)) ?? creation;
      } catch (error) {
        // The index decided against us, and took back everything this statement did.
        const winner = isUniqueViolation(error, "executions_idempotency") ? await findReplay(execution) : null;
        if (winner === null) throw error;
        return winner;
      }
    },

    async find(connectionId, executionId) {
      const [row] = await find<ExecutionRow>([executionId, connectionId]);
      return row === undefined ? null : toRecord(row);
    },

    async list(connectionId, { limit, after }) {
      if (after === null) return (await listFirst<ExecutionRow>([connectionId, limit])).map(toRecord);
      const rows = await listAfter<ExecutionRow>([connectionId, after, limit]);
      // Only an empty page leaves open whether the cursor is one of ours.
      const isCursor = rows.length > 0 || (await exists([after, connectionId])).length > 0;
      return isCursor ? rows.map(toRecord) : null;
    },

    async finish(executionId, from, outcome) {
      if (!canMove(from, outcome.status)) throw new Error(`an execution cannot go from ${from} to ${outcome.status}`);
      const { kind, charged } = settle(outcome.status);
      const [row] = await finish<ExecutionRow>([
        executionId,
        from,
        outcome.status,
        outcome.terminal.status,
        outcome.terminal.reason,
        outcome.status === "COMPLETED" ? JSON.stringify(outcome.result) : null,
        outcome.status === "FAILED" ? outcome.error.code : null,
        outcome.status === "FAILED" ? outcome.error.message : null,
        charged,
        kind,
        outcome.status === "COMPLETED" ? "execution.completed" : "execution.failed",
        JSON.stringify({ terminal: outcome.terminal }),
      ]);
      if (row === undefined) return null;
      hints.send(row.id);
      return toRecord(row);
    },

    async requestCancel(executionId) {
      await requestCancel([executionId]);
      hints.send(executionId);
    },

    async listEvents(executionId, { after, limit }) {
      const rows = await listEvents<Omit<ExecutionEvent, "at"> & { at: Date }>([executionId, after, limit]);
      return rows.map(({ id, type, at, data }) => ({ id, type, at: at.toISOString(), data }));
    },
  };
}

function toRecord(row: ExecutionRow): ExecutionRecord {
  return {
    id: row.id,
    connectionId: row.connection_id,
    status: row.status,
    terminal: row.terminal_status === null ? null : { status: row.terminal_status, reason: row.terminal_reason ?? "" },
    prompt: row.prompt,
    startUrl: row.start_url,
    outputSchema: row.output_schema,
    result: row.result,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? "" },
    credits: row.credits,
    charged: row.charged,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
  };
}
