import { sql, type Transaction } from "kysely";
import type { Pool } from "pg";
import { countCredits, settle } from "../../executions/credits.ts";
import { canMove, type ExecutionRecord, type FailedOutcome, type Outcome } from "../../executions/execution.ts";
import { countEnded } from "../../executions/execution-metrics.ts";
import { prepared } from "../database.ts";
import { type ExecutionRow, executionColumns, toExecutionRecord } from "./execution-rows.ts";
import type { Schema } from "./schema.ts";

/** The expected current state and, for a running execution, the fence of its holder. */
type FinishFrom = { status: "QUEUED" } | { status: "RUNNING"; fence: number };

interface Finished {
  record: ExecutionRecord;
  /** Whether its connection has more queued executions. One that is created meanwhile may be missed: it notifies itself. */
  hasMore: boolean;
}

/** SQL for the data of an event, with the metadata of the row `execution` if it has any. */
export function withMetadata(data: string): string {
  return `case when execution.metadata = '{}' then ${data}::json
      else (${data}::jsonb || jsonb_build_object('metadata', execution.metadata))::json end`;
}

// Locks in the same order as the whole queue: connection, execution, owner. A running execution frees its connection, which
// goes to the back of the queue if it has more to do. If the user was signed out, the connection is marked, unless they have
// signed in again since the execution began, or could not sign in at all because the application has no sign-in URL.
const FINISH = `
  with connection as (
    select id, application_id from connections
    where id = (select connection_id from executions where id = $1)
    for no key update
  ), execution as (
    update executions
    set status = $3, terminal_status = $4, terminal_reason = $5, result = $6::json, error_code = $7, error_message = $8,
      charged = $9, last_event_id = last_event_id + 1, lease_expires_at = null, updated_at = now(), completed_at = now()
    from connection
    where executions.id = $1 and status = $2 and ($13::int is null or fence = $13)
    returning executions.*
  ), signed_out as (
    select execution.terminal_status = 'reauthorization_required' and not exists (
      select 1 from saved_sign_ins
      where connection_id = execution.connection_id and signed_in_at > coalesce(began_at, execution.created_at)
    ) and (
      exists (select 1 from applications where id = connection.application_id and sign_in_url is not null)
      or exists (select 1 from saved_sign_ins where connection_id = execution.connection_id)
    ) as is_signed_out
    from execution, connection
  ), freed as (
    update connections
    set running_execution_id = null, queued_since = case when queued_since is not null then now() end,
      state = case when is_signed_out then 'REAUTHORIZATION_REQUIRED' else state end,
      updated_at = case when is_signed_out then now() else connections.updated_at end
    from execution, signed_out
    where connections.id = execution.connection_id and connections.running_execution_id = execution.id
  ), entry as (
    insert into credit_entries (owner_id, application_id, execution_id, kind, credits)
    select applications.owner_id, applications.id, execution.id, $10, execution.credits
    from execution, connection join applications on applications.id = connection.application_id
    returning owner_id, change
  ), owner as (
    update owners set balance = balance + entry.change from entry where owners.id = entry.owner_id
  ), event as (
    insert into execution_events (execution_id, id, type, data, created_at)
    select execution.id, execution.last_event_id, $11, ${withMetadata("$12")}, clock_timestamp() from execution
  )
  select ${executionColumns("execution")}, exists (
      select 1 from executions
      where status = 'QUEUED' and connection_id >= execution.connection_id
        and (connection_id, id) <= (execution.connection_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    ) as has_more
  from execution`;

/** Ends an execution and settles its credits in one statement. Returns null if it is not in the state `from`. */
export function createFinish(pool: Pick<Pool, "query">) {
  const finish = prepared(pool, "execution-finish", FINISH);
  return async (executionId: string, from: FinishFrom, outcome: Outcome): Promise<Finished | null> => {
    if (!canMove(from.status, outcome.status)) {
      throw new Error(`An execution cannot go from ${from.status} to ${outcome.status}`);
    }
    const { kind, charged } = settle(outcome.status);
    const [row] = await finish<ExecutionRow & { has_more: boolean }>([
      executionId,
      from.status,
      outcome.status,
      outcome.terminal.status,
      outcome.terminal.reason,
      outcome.status === "COMPLETED" ? JSON.stringify(outcome.result) : null,
      outcome.status === "FAILED" ? outcome.error.code : null,
      outcome.status === "FAILED" ? outcome.error.message : null,
      charged,
      kind,
      outcome.status === "COMPLETED" ? "execution.completed" : "execution.failed",
      JSON.stringify(finalEventData(outcome)),
      from.status === "RUNNING" ? from.fence : null,
    ]);
    if (row === undefined) return null;
    countEnded(outcome);
    countCredits(kind, row.credits);
    return { record: toExecutionRecord(row), hasMore: row.has_more };
  };
}

/** The data of the last event. */
function finalEventData(outcome: Outcome): object {
  const { terminal } = outcome;
  if (outcome.status === "COMPLETED") return { terminal, ...(outcome.cost === null ? {} : { cost: outcome.cost }) };
  const { sideEffects, verifier, cost } = outcome.aftermath;
  return {
    terminal,
    ...(sideEffects.length === 0 ? {} : { side_effects: sideEffects }),
    ...(verifier === null ? {} : { verifier }),
    ...(cost === null ? {} : { cost }),
  };
}

/**
 * Ends the oldest queued executions of a connection, up to `lastId` and at most `limit`, and releases their credits, as
 * `createFinish` does for one. The transaction must hold the lock on the connection.
 */
export async function finishQueued(
  tx: Transaction<Schema>,
  { connectionId, lastId, limit }: { connectionId: string; lastId: string; limit: number },
  outcome: FailedOutcome,
): Promise<string[]> {
  const { terminal, error } = outcome;
  const { kind, charged } = settle(outcome.status);
  const data = JSON.stringify(finalEventData(outcome));
  const { rows } = await sql<{ id: string; credits: number }>`
    with next as (
      select id from executions
      where status = 'QUEUED' and connection_id >= ${connectionId} and (connection_id, id) <= (${connectionId}, ${lastId}::uuid)
      order by connection_id, id limit ${limit} for update
    ), execution as (
      update executions
      set status = ${outcome.status}, terminal_status = ${terminal.status}, terminal_reason = ${terminal.reason},
        error_code = ${error.code}, error_message = ${error.message}, charged = ${charged},
        last_event_id = last_event_id + 1, updated_at = now(), completed_at = now()
      from next
      where executions.id = next.id
      returning executions.id, connection_id, credits, last_event_id, metadata
    ), entry as (
      insert into credit_entries (owner_id, application_id, execution_id, kind, credits)
      select applications.owner_id, applications.id, execution.id, ${kind}, execution.credits
      from execution
      join connections on connections.id = execution.connection_id
      join applications on applications.id = connections.application_id
      returning owner_id, change
    ), owner as (
      update owners set balance = balance + released.change
      from (select owner_id, sum(change) as change from entry group by owner_id) as released
      where owners.id = released.owner_id
    ), event as (
      insert into execution_events (execution_id, id, type, data, created_at)
      select id, last_event_id, 'execution.failed',
        case when metadata = '{}' then ${data}::json
          else (${data}::jsonb || jsonb_build_object('metadata', metadata))::json end,
        clock_timestamp()
      from execution
    )
    select id, credits from execution`.execute(tx);
  countEnded(outcome, rows.length);
  countCredits(
    kind,
    rows.reduce((sum, { credits }) => sum + credits, 0),
  );
  return rows.map(({ id }) => id);
}
