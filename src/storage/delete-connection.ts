import { sql, type Transaction } from "kysely";
import type { ArtifactFiles } from "../executions/artifact-store.ts";
import { CONNECTION_DELETED } from "../executions/outcomes.ts";
import type { Database } from "./database.ts";
import { createFinish } from "./finish-execution.ts";
import { finishQueued } from "./finish-queued.ts";
import type { Hints } from "./hints.ts";
import type { Schema } from "./schema.ts";

export interface DeletionMeans {
  database: Database;
  hints: Hints;
  files: Pick<ArtifactFiles, "removeAll">;
}

/** Bounds how long a round keeps an owner's balance locked. */
const MAX_EXECUTIONS_AT_ONCE = 1_000;
// Nobody is told how things ended that are gone a moment later: see the triggers in migrations/0012_webhooks.sql.
const TELL_NOTHING = "select set_config('errand.tell', 'off', true)";
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Deletes a connection with all that it has done; only the ledger stays. In rounds: each ends what waits and what runs, and
 * removes some of what has ended. One that is broken off leaves a connection that opens nothing and can be deleted again.
 */
export function createConnectionDeletion({ database: { kysely, pool }, hints, files }: DeletionMeans) {
  async function endRunning({ id, fence }: { id: string; fence: number }): Promise<void> {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query("begin");
      await client.query(TELL_NOTHING);
      await createFinish(client)(id, { status: "RUNNING", fence }, CONNECTION_DELETED);
      await client.query("commit");
    } catch (error) {
      failure = error instanceof Error ? error : new Error("an execution could not be ended", { cause: error });
      throw error;
    } finally {
      // One that failed is closed, which takes everything back.
      client.release(failure);
    }
  }

  async function removeEnded(connectionId: string): Promise<void> {
    const { rows } = await sql<{ id: string }>`
      select id from executions
      where status in ('COMPLETED', 'FAILED') and connection_id <= ${connectionId}
        and (connection_id, id) >= (${connectionId}, ${FIRST_ID}::uuid)
      order by connection_id desc, id desc limit ${MAX_EXECUTIONS_AT_ONCE}
    `.execute(kysely);
    const ids = rows.map(({ id }) => id);
    // What has ended gains no more files. They go before the rows that lead to them.
    await Promise.all(ids.map((id) => files.removeAll(id)));
    await kysely.transaction().execute(async (tx) => {
      await lockConnection(tx, connectionId);
      await sql`delete from executions where id = any(${ids}::uuid[])`.execute(tx);
    });
  }

  return async (connectionId: string): Promise<void> => {
    for (;;) {
      const left = await kysely.transaction().execute((tx) => shut(tx, connectionId));
      if (left === null) return;
      for (const running of left.running) await endRunning(running);
      for (const { id } of [...left.running, ...left.ended]) hints.send(id);
      await removeEnded(connectionId);
    }
  };
}

interface Left {
  running: { id: string; fence: number }[];
  ended: { id: string }[];
}

/** Takes away everything that opens the connection, and the connection itself once it has no executions: null. */
async function shut(tx: Transaction<Schema>, connectionId: string): Promise<Left | null> {
  const connection = await lockConnection(tx, connectionId);
  if (connection === null) return null;
  await sql.raw(TELL_NOTHING).execute(tx);
  await wipeTokens(tx, connectionId);
  await sql`delete from saved_sign_ins where connection_id = ${connectionId}`.execute(tx);
  await sql`
    delete from sign_in_attempts
    where application_id = ${connection.applicationId} and user_id = ${connection.userId}
  `.execute(tx);
  const some = { connectionId, lastId: LAST_ID, limit: MAX_EXECUTIONS_AT_ONCE };
  const ended = await finishQueued(tx, some, CONNECTION_DELETED);
  const running = await sql<{ id: string; fence: number }>`
    select id, fence from executions where connection_id = ${connectionId} and status = 'RUNNING'
  `.execute(tx);
  const hasUntold = await cancelUntold(tx, connectionId);
  const { numAffectedRows } = await sql`
    delete from connections
    where id = ${connectionId} and not ${hasUntold}
      and not exists (select 1 from executions where connection_id = ${connectionId})
  `.execute(tx);
  if (numAffectedRows === 1n) return null;
  await sql`
    update connections set state = 'REAUTHORIZATION_REQUIRED', check_expires_at = null, updated_at = now()
    where id = ${connectionId}
  `.execute(tx);
  return { running: running.rows, ended: ended.map((id) => ({ id })) };
}

/** Some of what waits to be told of it, with the jobs that would tell; whether there may be more. */
async function cancelUntold(tx: Transaction<Schema>, connectionId: string): Promise<boolean> {
  const { rows } = await sql<{ canceled: number }>`
    with canceled as (
      update webhook_deliveries set state = 'canceled', next_attempt_at = null, finished_at = now()
      where id in (
        select id from webhook_deliveries
        where connection_id = ${connectionId} and state = 'pending' limit ${MAX_EXECUTIONS_AT_ONCE} for update skip locked
      )
      returning id
    ), ids as (
      select array_agg(id) as canceled from canceled having count(*) > 0
    )
    select cardinality(canceled) as canceled, remove_webhook_jobs(canceled) from ids
  `.execute(tx);
  return (rows[0]?.canceled ?? 0) === MAX_EXECUTIONS_AT_ONCE;
}

/** As everything that changes a connection or its executions does first. */
export async function lockConnection(
  tx: Transaction<Schema>,
  connectionId: string,
): Promise<{ applicationId: string; userId: string } | null> {
  const { rows } = await sql<{ applicationId: string; userId: string }>`
    select application_id as "applicationId", user_id as "userId" from connections
    where id = ${connectionId} for no key update
  `.execute(tx);
  return rows[0] ?? null;
}

/** The token, and every code that could still become one. */
export async function wipeTokens(tx: Transaction<Schema>, connectionId: string): Promise<void> {
  // In this order: an exchange that holds its code has made its token by the time the code can be deleted.
  await sql`delete from authorization_codes where connection_id = ${connectionId}`.execute(tx);
  await sql`delete from access_tokens where connection_id = ${connectionId}`.execute(tx);
}
