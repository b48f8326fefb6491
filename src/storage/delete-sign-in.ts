import { type Kysely, sql, type Transaction } from "kysely";
import { SIGN_IN_DELETED } from "../executions/outcomes.ts";
import { finishQueued } from "./finish-queued.ts";
import type { Hints } from "./hints.ts";
import type { Schema } from "./schema.ts";

/** Bounds how long a deletion keeps the balance of its owner locked, who may have twenty webhooks that are told of each. */
const MAX_ENDED_AT_ONCE = 200;

/** Forgets the sign-in and stops what would have used it; false when there is none. */
export async function deleteSignIn(kysely: Kysely<Schema>, hints: Hints, connectionId: string): Promise<boolean> {
  const deletion = await kysely.transaction().execute((tx) => deleteLocked(tx, connectionId));
  if (deletion === null) return false;
  for (const id of deletion.stopped) hints.send(id);
  // If this is broken off, the others end when their turn comes: nothing runs on a connection that is signed out.
  for (let ended = deletion.ended; ended.length > 0; ) {
    for (const id of ended) hints.send(id);
    ended = await kysely.transaction().execute(async (tx) => {
      await lockConnection(tx, connectionId);
      return endQueued(tx, connectionId, deletion.lastQueuedId);
    });
  }
  return true;
}

interface Deletion {
  /** Running ones that were asked to stop. */
  stopped: string[];
  /** The first of the queued ones. */
  ended: string[];
  /** Those that are created later, after another sign-in, are not concerned. */
  lastQueuedId: string | null;
}

async function deleteLocked(tx: Transaction<Schema>, connectionId: string): Promise<Deletion | null> {
  await lockConnection(tx, connectionId);
  const { numAffectedRows } = await sql`delete from saved_sign_ins where connection_id = ${connectionId}`.execute(tx);
  if (numAffectedRows !== 1n) return null;
  await sql`
    update connections set state = 'REAUTHORIZATION_REQUIRED', check_expires_at = null, updated_at = now()
    where id = ${connectionId}
  `.execute(tx);
  const running = await sql<{ id: string }>`
    update executions set cancel_requested_at = coalesce(cancel_requested_at, now()), updated_at = now()
    where connection_id = ${connectionId} and status = 'RUNNING'
    returning id
  `.execute(tx);
  const lastQueuedId = await findLastQueued(tx, connectionId);
  const ended = await endQueued(tx, connectionId, lastQueuedId);
  return { stopped: running.rows.map(({ id }) => id), ended, lastQueuedId };
}

async function lockConnection(tx: Transaction<Schema>, connectionId: string): Promise<void> {
  await sql`select id from connections where id = ${connectionId} for no key update`.execute(tx);
}

/** Compared as rows, as in the queue, so that only the index executions_queued can be walked. */
async function findLastQueued(tx: Transaction<Schema>, connectionId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from executions
    where status = 'QUEUED' and connection_id <= ${connectionId}
      and (connection_id, id) >= (${connectionId}, '00000000-0000-0000-0000-000000000000')
    order by connection_id desc, id desc limit 1
  `.execute(tx);
  return rows[0]?.id ?? null;
}

/** Some of those that are queued, no more than may be ended at once. */
async function endQueued(tx: Transaction<Schema>, connectionId: string, lastId: string | null): Promise<string[]> {
  if (lastId === null) return [];
  return finishQueued(tx, { connectionId, lastId, limit: MAX_ENDED_AT_ONCE }, SIGN_IN_DELETED);
}
