import { type Kysely, sql, type Transaction } from "kysely";
import type { ArtifactFiles } from "../../executions/artifacts.ts";
import { CONNECTION_DELETED } from "../../executions/outcomes.ts";
import type { Database } from "../database.ts";
import type { Notifications } from "../notifications.ts";
import { createFinish, finishQueued } from "./finish-executions.ts";
import type { Schema } from "./schema.ts";

export interface DeletionDependencies {
  database: Database;
  hints: Notifications;
  files: Pick<ArtifactFiles, "removeAll">;
}

/** Bounds how long a round keeps an owner's balance locked. */
const EXECUTION_BATCH = 1_000;
// Nobody is told how things ended that are gone a moment later: see the triggers in migrations/0012_webhooks.sql.
const SUPPRESS_WEBHOOKS = "select set_config('errand.tell', 'off', true)";
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Deletes a connection with all that it has done; only the ledger stays. In rounds: each ends what waits and what runs, and
 * removes some of what has ended. One that is broken off leaves a connection that opens nothing and can be deleted again.
 */
export function createConnectionDeletion({ database: { kysely, pool }, hints, files }: DeletionDependencies) {
  async function endRunning({ id, fence }: { id: string; fence: number }): Promise<void> {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query("begin");
      await client.query(SUPPRESS_WEBHOOKS);
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
      order by connection_id desc, id desc limit ${EXECUTION_BATCH}
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
      const left = await kysely.transaction().execute((tx) => disableConnection(tx, connectionId));
      if (left === null) return;
      for (const running of left.running) await endRunning(running);
      for (const { id } of [...left.running, ...left.ended]) hints.send(id);
      await removeEnded(connectionId);
    }
  };
}

interface RemainingExecutions {
  running: { id: string; fence: number }[];
  ended: { id: string }[];
}

/** Takes away everything that opens the connection, and the connection itself once it has no executions: null. */
async function disableConnection(tx: Transaction<Schema>, connectionId: string): Promise<RemainingExecutions | null> {
  const connection = await lockConnection(tx, connectionId);
  if (connection === null) return null;
  await sql.raw(SUPPRESS_WEBHOOKS).execute(tx);
  await deleteTokens(tx, connectionId);
  await sql`delete from saved_sign_ins where connection_id = ${connectionId}`.execute(tx);
  await sql`
    delete from sign_in_attempts
    where application_id = ${connection.applicationId} and user_id = ${connection.userId}
  `.execute(tx);
  const some = { connectionId, lastId: LAST_ID, limit: EXECUTION_BATCH };
  const ended = await finishQueued(tx, some, CONNECTION_DELETED);
  const running = await sql<{ id: string; fence: number }>`
    select id, fence from executions where connection_id = ${connectionId} and status = 'RUNNING'
  `.execute(tx);
  const hasUntold = await cancelPendingDeliveries(tx, connectionId);
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
async function cancelPendingDeliveries(tx: Transaction<Schema>, connectionId: string): Promise<boolean> {
  const { rows } = await sql<{ canceled: number }>`
    with canceled as (
      update webhook_deliveries set state = 'canceled', next_attempt_at = null, finished_at = now()
      where id in (
        select id from webhook_deliveries
        where connection_id = ${connectionId} and state = 'pending' limit ${EXECUTION_BATCH} for update skip locked
      )
      returning id
    ), ids as (
      select array_agg(id) as canceled from canceled having count(*) > 0
    )
    select cardinality(canceled) as canceled, remove_webhook_jobs(canceled) from ids
  `.execute(tx);
  return (rows[0]?.canceled ?? 0) === EXECUTION_BATCH;
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
export async function deleteTokens(tx: Transaction<Schema>, connectionId: string): Promise<void> {
  // In this order: an exchange that holds its code has made its token by the time the code can be deleted.
  await sql`delete from authorization_codes where connection_id = ${connectionId}`.execute(tx);
  await sql`delete from access_tokens where connection_id = ${connectionId}`.execute(tx);
}

const CONNECTION_BATCH = 100;
const DELIVERY_BATCH = 1_000;

/**
 * Deletes an application with its connections and all that they have done; only the ledger stays. Nobody can use it from the
 * first step on; one that is broken off leaves an application that can be deleted again.
 */
export function createApplicationDeletion(means: DeletionDependencies) {
  const { kysely } = means.database;
  const deleteConnection = createConnectionDeletion(means);

  return async (applicationId: string): Promise<void> => {
    do {
      await kysely.transaction().execute((tx) => disableApplication(tx, applicationId));
      const { rows } = await sql<{ id: string }>`
        select id from connections where application_id = ${applicationId} limit ${CONNECTION_BATCH}
      `.execute(kysely);
      while (await deleteDeliveries(kysely, applicationId));
      for (const { id } of rows) await deleteConnection(id);
      // Somebody may have connected since.
    } while (!(await kysely.transaction().execute((tx) => deleteUnconnected(tx, applicationId))));
  };
}

/** Without addresses to go back to nobody can connect, so that the connections come to an end. Nobody is told any more. */
async function disableApplication(tx: Transaction<Schema>, applicationId: string): Promise<void> {
  await sql`update applications set redirect_uris = '{}', updated_at = now() where id = ${applicationId}`.execute(tx);
  await sql`delete from application_secrets where application_id = ${applicationId}`.execute(tx);
  await sql`
    update webhook_endpoints set disabled_at = now(), disabled_reason = 'by_hand'
    where application_id = ${applicationId} and disabled_at is null
  `.execute(tx);
  await sql`delete from sign_in_attempts where application_id = ${applicationId}`.execute(tx);
  await sql`
    delete from access_tokens using connections
    where connections.id = access_tokens.connection_id and application_id = ${applicationId}
  `.execute(tx);
}

/** Some of what its webhooks were told or would be, with the jobs that would tell; whether there may be more. */
async function deleteDeliveries(kysely: Kysely<Schema>, applicationId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_deliveries where id in (
      select webhook_deliveries.id from webhook_endpoints join webhook_deliveries on endpoint_id = webhook_endpoints.id
      where application_id = ${applicationId} limit ${DELIVERY_BATCH}
    )
  `.execute(kysely);
  return numAffectedRows > 0n;
}

/** False when it has connections. */
async function deleteUnconnected(tx: Transaction<Schema>, applicationId: string): Promise<boolean> {
  // Waits for whoever is connecting, so that the next statement sees their connection; nobody else can begin to.
  await sql`select id from applications where id = ${applicationId} for update`.execute(tx);
  const { rows } = await sql`select 1 from connections where application_id = ${applicationId} limit 1`.execute(tx);
  if (rows.length > 0) return false;
  await sql`delete from applications where id = ${applicationId}`.execute(tx);
  return true;
}
