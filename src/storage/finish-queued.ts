import { sql, type Transaction } from "kysely";
import { countCredits } from "../credits/credit-metrics.ts";
import { settle } from "../credits/settlement.ts";
import { countEnded } from "../executions/execution-metrics.ts";
import type { FailedOutcome } from "../executions/execution-state.ts";
import { describeEnd } from "./finish-execution.ts";
import type { Schema } from "./schema.ts";

/**
 * Ends the oldest queued executions of a connection, up to this one and no more than `limit`, and releases their credits:
 * as `createFinish` does for one. Inside a transaction that holds the connection's row.
 */
export async function finishQueued(
  tx: Transaction<Schema>,
  { connectionId, lastId, limit }: { connectionId: string; lastId: string; limit: number },
  outcome: FailedOutcome,
): Promise<string[]> {
  const { terminal, error } = outcome;
  const { kind, charged } = settle(outcome.status);
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
      returning executions.id, connection_id, credits, last_event_id
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
      select id, last_event_id, 'execution.failed', ${JSON.stringify(describeEnd(outcome))}::json, clock_timestamp()
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
