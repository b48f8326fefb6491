import { type Kysely, sql, type Transaction } from "kysely";
import type { ArtifactFiles } from "../../executions/artifacts.ts";
import { CONNECTION_DELETED } from "../../executions/outcomes.ts";
import { cancelTopic } from "../../executions/queue.ts";
import type { Database } from "../database.ts";
import type { Notifications } from "../notifications.ts";
import { createFinish, finishQueued } from "./finish-executions.ts";
import type { Schema } from "./schema.ts";

export interface DeletionDependencies {
  database: Database;
  notifications: Notifications;
  files: Pick<ArtifactFiles, "removeAll">;
}

/** Limits how long a round locks the owner's balance. */
const EXECUTION_BATCH = 1_000;
// Turns off webhooks for executions that are about to be deleted. See the triggers in migrations/0012_webhooks.sql.
const SUPPRESS_WEBHOOKS = "select set_config('errand.tell', 'off', true)";
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Deletes a connection with its executions. Only the ledger stays. It works in rounds: each ends queued and running executions
 * and deletes a batch of ended ones. After an interruption the connection is unusable and can be deleted again.
 */
export function createConnectionDeletion({ database: { kysely, pool }, notifications, files }: DeletionDependencies) {
  async function endRunning({ id, fence }: { id: string; fence: number }): Promise<void> {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      await client.query("begin");
      await client.query(SUPPRESS_WEBHOOKS);
      await createFinish(client)(id, { status: "RUNNING", fence }, CONNECTION_DELETED);
      await client.query("commit");
    } catch (error) {
      failure = error instanceof Error ? error : new Error("Ending an execution failed", { cause: error });
      throw error;
    } finally {
      // After a failure the connection is closed, which rolls back.
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
    // Ended executions get no more files. Files are deleted before the rows that refer to them.
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
      for (const { id } of [...left.running, ...left.ended]) notifications.send(id);
      for (const { id } of left.running) notifications.send(cancelTopic(id));
      await removeEnded(connectionId);
    }
  };
}

interface RemainingExecutions {
  running: { id: string; fence: number }[];
  ended: { id: string }[];
}

/** Revokes all access to the connection. Deletes it and returns null once it has no executions left. */
async function disableConnection(tx: Transaction<Schema>, connectionId: string): Promise<RemainingExecutions | null> {
  const connection = await lockConnection(tx, connectionId);
  if (connection === null) return null;
  await sql.raw(SUPPRESS_WEBHOOKS).execute(tx);
  await deleteTokens(tx, connectionId);
  await sql`delete from saved_sign_ins where connection_id = ${connectionId}`.execute(tx);
  await sql`delete from recipes where connection_id = ${connectionId}`.execute(tx);
  await sql`
    delete from sign_in_attempts
    where application_id = ${connection.applicationId} and user_id = ${connection.userId}
  `.execute(tx);
  const batch = { connectionId, lastId: LAST_ID, limit: EXECUTION_BATCH };
  const ended = await finishQueued(tx, batch, CONNECTION_DELETED);
  const running = await sql<{ id: string; fence: number }>`
    select id, fence from executions where connection_id = ${connectionId} and status = 'RUNNING'
  `.execute(tx);
  const hasPending = await cancelPendingDeliveries(tx, connectionId);
  const { numAffectedRows } = await sql`
    delete from connections
    where id = ${connectionId} and not ${hasPending}
      and not exists (select 1 from executions where connection_id = ${connectionId})
  `.execute(tx);
  if (numAffectedRows === 1n) return null;
  await sql`
    update connections set state = 'REAUTHORIZATION_REQUIRED', check_expires_at = null, updated_at = now()
    where id = ${connectionId}
  `.execute(tx);
  return { running: running.rows, ended: ended.map((id) => ({ id })) };
}

/** Cancels a batch of pending deliveries about the connection, with their jobs. Returns whether there may be more. */
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

/** Every change to a connection or its executions takes this lock first. */
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

/** Deletes the token and all codes that could still be exchanged for one. */
export async function deleteTokens(tx: Transaction<Schema>, connectionId: string): Promise<void> {
  // The order matters: a concurrent exchange locks its code, so its token exists by the time the code can be deleted.
  await sql`delete from authorization_codes where connection_id = ${connectionId}`.execute(tx);
  await sql`delete from access_tokens where connection_id = ${connectionId}`.execute(tx);
  await sql`delete from mcp_tokens where connection_id = ${connectionId}`.execute(tx);
}

const CONNECTION_BATCH = 100;
const DELIVERY_BATCH = 1_000;

/**
 * Deletes an application with its connections and executions. Only the ledger stays. The first step makes the application
 * unusable. After an interruption it can be deleted again.
 */
export function createApplicationDeletion(dependencies: DeletionDependencies) {
  const { kysely } = dependencies.database;
  const deleteConnection = createConnectionDeletion(dependencies);

  return async (applicationId: string): Promise<void> => {
    do {
      await kysely.transaction().execute((tx) => disableApplication(tx, applicationId));
      const { rows } = await sql<{ id: string }>`
        select id from connections where application_id = ${applicationId} limit ${CONNECTION_BATCH}
      `.execute(kysely);
      while (await deleteDeliveries(kysely, applicationId));
      for (const { id } of rows) await deleteConnection(id);
      // Someone may have connected in the meantime.
    } while (!(await kysely.transaction().execute((tx) => deleteUnconnected(tx, applicationId))));
  };
}

/** Without redirect URIs nobody can connect, so no new connections appear. Webhooks are disabled. */
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

/** Deletes a batch of webhook deliveries with their jobs. Returns whether there may be more. */
async function deleteDeliveries(kysely: Kysely<Schema>, applicationId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_deliveries where id in (
      select webhook_deliveries.id from webhook_endpoints join webhook_deliveries on endpoint_id = webhook_endpoints.id
      where application_id = ${applicationId} limit ${DELIVERY_BATCH}
    )
  `.execute(kysely);
  return numAffectedRows > 0n;
}

/** Returns false if it still has connections. */
async function deleteUnconnected(tx: Transaction<Schema>, applicationId: string): Promise<boolean> {
  // Waits for transactions that are creating connections, so that the next statement sees them. No new ones can start.
  await sql`select id from applications where id = ${applicationId} for update`.execute(tx);
  const { rows } = await sql`select 1 from connections where application_id = ${applicationId} limit 1`.execute(tx);
  if (rows.length > 0) return false;
  await sql`delete from applications where id = ${applicationId}`.execute(tx);
  return true;
}
