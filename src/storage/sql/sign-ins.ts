import { type Kysely, sql, type Transaction } from "kysely";
import type { SignInAttempt, SignInAttemptStore } from "../../connections/sign-in/sign-in-attempts.ts";
import type { SealedSignIn, SignInHolder, SignInStore, StoredSignIn } from "../../connections/vault/saved-sign-in.ts";
import type { FailedOutcome } from "../../executions/execution.ts";
import { SIGN_IN_DELETED } from "../../executions/outcomes.ts";
import { cancelTopic } from "../../executions/queue.ts";
import { type Database, prepared } from "../database.ts";
import type { Notifications } from "../notifications.ts";
import { lockConnection } from "./deletion.ts";
import { finishQueued } from "./finish-executions.ts";
import { MCP_CLIENT } from "./mcp-tokens.ts";
import type { Schema } from "./schema.ts";
import { type LimitColumns, toLimitColumns, toSpendingLimits } from "./spending.ts";
import { createKeyStore } from "./wrapped-keys.ts";

const COLUMNS = `
  key_id as "keyId", wrapped_key as "wrappedKey", ciphertext,
  revision, signed_in_at as "signedInAt", checked_at as "checkedAt"`;

const FIND = `select ${COLUMNS} from saved_sign_ins where connection_id = $1`;

// The connection is locked first, as everywhere. The holder's row is locked, too, so that it is checked after any wait.
const renewBy = (holder: string) => `
  with connection as (
    select id, check_expires_at from connections where id = $1 for no key update
  ), holder as (
    ${holder}
  )
  update saved_sign_ins
  set revision = gen_random_uuid(), key_id = $3, wrapped_key = $4, ciphertext = $5, saved_at = now(), checked_at = now()
  from holder
  where connection_id = $1 and revision = $2
  returning connection_id`;

const RENEW_BY_RUN = renewBy(`
  select executions.id from executions, connection
  where executions.id = $6 and connection_id = connection.id and status = 'RUNNING' and fence = $7
  for share of executions`);

const RENEW_BY_CHECK = renewBy(
  "select id from connection where check_expires_at = $6 and check_expires_at > clock_timestamp()",
);

const LIST_DUE = `
  select connection_id as "connectionId" from saved_sign_ins join connections on connections.id = connection_id
  where checked_at < now() - $1 * interval '1 millisecond' and state = 'ACTIVE' and running_execution_id is null
    and (check_expires_at is null or check_expires_at <= now())
  order by checked_at limit $2`;

// Only the current holder ends the check: a new sign-in, or a deletion, invalidates it.
const END_CHECK = `
  with connection as (
    update connections
    set check_expires_at = null, state = case when $3 then 'REAUTHORIZATION_REQUIRED' else state end,
      updated_at = case when $3 then now() else updated_at end
    where id = $1 and check_expires_at = $2
    returning id
  )
  update saved_sign_ins set checked_at = now() from connection where connection_id = connection.id`;

export function createSignInStore(database: Database, notifications: Notifications): SignInStore {
  const { kysely, pool } = database;
  const find = prepared(pool, "sign-in-find", FIND);
  const renewByRun = prepared(pool, "sign-in-renew-by-run", RENEW_BY_RUN);
  const renewByCheck = prepared(pool, "sign-in-renew-by-check", RENEW_BY_CHECK);
  const listDue = prepared(pool, "sign-in-due", LIST_DUE);
  const endCheck = prepared(pool, "sign-in-end-check", END_CHECK);

  function replace(holder: SignInHolder, values: unknown[]) {
    switch (holder.kind) {
      case "run":
        return renewByRun([...values, holder.executionId, holder.fence]);
      case "check":
        return renewByCheck([...values, holder.expiresAt]);
    }
  }

  return {
    ...createKeyStore(database, "saved_sign_ins"),

    async find(connectionId) {
      const [row] = await find<StoredSignIn>([connectionId]);
      return row ?? null;
    },

    async save(connectionId, sealed) {
      await kysely.transaction().execute(async (tx) => {
        if ((await lockConnection(tx, connectionId)) === null) throw new Error("The connection was deleted");
        await saveSignIn(tx, connectionId, sealed);
        await sql`update connections set state = 'ACTIVE', updated_at = now() where id = ${connectionId}`.execute(tx);
      });
      notifications.send("queue");
    },

    async renew(connectionId, revision, { keyId, wrappedKey, ciphertext }, holder) {
      return (await replace(holder, [connectionId, revision, keyId, wrappedKey, ciphertext])).length > 0;
    },

    delete: (connectionId) => deleteSignIn(kysely, notifications, connectionId),

    listDue: async (uncheckedForMs, limit) =>
      (await listDue<{ connectionId: string }>([uncheckedForMs, limit])).map(({ connectionId }) => connectionId),

    beginCheck: (connectionId, forMs) => kysely.transaction().execute((tx) => beginCheck(tx, connectionId, forMs)),

    async endCheck(connectionId, expiresAt, isSignedOut) {
      await endCheck([connectionId, expiresAt, isSignedOut]);
      // Executions created during the check were waiting for its end.
      notifications.send("queue");
    },
  };
}

/**
 * Saves a new sign-in in place of any previous one. A running check of the previous one becomes invalid. Stored credentials are
 * deleted: they may be those of another account.
 */
export async function saveSignIn(
  tx: Transaction<Schema>,
  connectionId: string,
  { keyId, wrappedKey, ciphertext }: SealedSignIn,
): Promise<void> {
  await sql`update connections set check_expires_at = null where id = ${connectionId}`.execute(tx);
  await sql`delete from sign_in_credentials where connection_id = ${connectionId}`.execute(tx);
  await sql`
    insert into saved_sign_ins (connection_id, key_id, wrapped_key, ciphertext)
    values (${connectionId}, ${keyId}, ${wrappedKey}, ${ciphertext})
    on conflict (connection_id) do update
    set revision = gen_random_uuid(), key_id = excluded.key_id, wrapped_key = excluded.wrapped_key,
      ciphertext = excluded.ciphertext, signed_in_at = now(), saved_at = now(), checked_at = now()
  `.execute(tx);
}

/** Separate statements, so that the sign-in is read after the lock was acquired. */
async function beginCheck(tx: Transaction<Schema>, connectionId: string, forMs: number) {
  const free = await sql`
    select id from connections
    where id = ${connectionId} and state = 'ACTIVE' and running_execution_id is null
      and (check_expires_at is null or check_expires_at <= clock_timestamp())
    for no key update
  `.execute(tx);
  if (free.rows.length === 0) return null;
  const found = await sql<StoredSignIn>`
    select ${sql.raw(COLUMNS)} from saved_sign_ins where connection_id = ${connectionId}
  `.execute(tx);
  const [signIn] = found.rows;
  if (signIn === undefined) return null;
  // In whole milliseconds, so that a Date can represent it exactly.
  const begun = await sql<{ expiresAt: Date }>`
    update connections
    set check_expires_at = date_trunc('milliseconds', clock_timestamp() + ${forMs} * interval '1 millisecond')
    where id = ${connectionId}
    returning check_expires_at as "expiresAt"
  `.execute(tx);
  const [check] = begun.rows;
  return check === undefined ? null : { expiresAt: check.expiresAt, signIn };
}

/** Limits how long a deletion locks the owner's balance: each execution may notify twenty webhooks. */
const FINISH_BATCH = 200;

/** Deletes the sign-in and stops the executions that use it. Returns false if there is none. */
function deleteSignIn(kysely: Kysely<Schema>, notifications: Notifications, connectionId: string): Promise<boolean> {
  return stopConnection(kysely, notifications, connectionId, { outcome: SIGN_IN_DELETED, change: forgetSignIn });
}

/** Returns false if there is none. */
export async function forgetSignIn(tx: Transaction<Schema>, connectionId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from saved_sign_ins where connection_id = ${connectionId}`.execute(tx);
  return numAffectedRows === 1n;
}

interface ConnectionStop {
  /** For queued executions. */
  outcome: FailedOutcome;
  /** Done in the same transaction. When it returns false, nothing is stopped. */
  change: (tx: Transaction<Schema>, connectionId: string) => Promise<boolean>;
}

/**
 * Nothing runs on the connection until its user authorizes again: queued executions end, running ones are asked to stop.
 * Returns what `change` returned.
 */
export async function stopConnection(
  kysely: Kysely<Schema>,
  notifications: Notifications,
  connectionId: string,
  { outcome, change }: ConnectionStop,
): Promise<boolean> {
  const stopped = await kysely.transaction().execute(async (tx) => {
    await lockConnection(tx, connectionId);
    return (await change(tx, connectionId)) ? stopLocked(tx, connectionId, outcome) : null;
  });
  if (stopped === null) return false;
  for (const topic of stopped.running.flatMap((id) => [id, cancelTopic(id)])) notifications.send(topic);
  // After an interruption the rest ends when it is claimed: nothing runs on a connection that requires a sign-in.
  for (let ended = stopped.ended; ended.length > 0; ) {
    for (const id of ended) notifications.send(id);
    ended = await kysely.transaction().execute(async (tx) => {
      await lockConnection(tx, connectionId);
      return finishNextQueued(tx, connectionId, stopped.lastQueuedId, outcome);
    });
  }
  return true;
}

interface StoppedConnection {
  /** Running executions that were asked to stop. */
  running: string[];
  /** The first batch of queued executions. */
  ended: string[];
  /** Executions created later, after a new authorization, are not affected. */
  lastQueuedId: string | null;
}

async function stopLocked(
  tx: Transaction<Schema>,
  connectionId: string,
  outcome: FailedOutcome,
): Promise<StoppedConnection> {
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
  const ended = await finishNextQueued(tx, connectionId, lastQueuedId, outcome);
  return { running: running.rows.map(({ id }) => id), ended, lastQueuedId };
}

/** The row comparison forces the index executions_queued. */
async function findLastQueued(tx: Transaction<Schema>, connectionId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from executions
    where status = 'QUEUED' and connection_id <= ${connectionId}
      and (connection_id, id) >= (${connectionId}, '00000000-0000-0000-0000-000000000000')
    order by connection_id desc, id desc limit 1
  `.execute(tx);
  return rows[0]?.id ?? null;
}

/** Ends the next batch of queued executions. */
async function finishNextQueued(
  tx: Transaction<Schema>,
  connectionId: string,
  lastId: string | null,
  outcome: FailedOutcome,
): Promise<string[]> {
  if (lastId === null) return [];
  return finishQueued(tx, { connectionId, lastId, limit: FINISH_BATCH }, outcome);
}

export function createSignInAttemptStore({ kysely }: Database): SignInAttemptStore {
  return {
    async insert(request, { lifetimeMs, memoryMs }) {
      const { applicationId, userId, redirectUri, state, codeChallenge, client, approval, spendingLimits } = request;
      const { spending_currency, spending_per_errand, spending_per_month } = toLimitColumns(spendingLimits);
      await sql`delete from sign_in_attempts where expires_at < now() - ${memoryMs} * interval '1 millisecond'`.execute(
        kysely,
      );
      const { rows } = await sql<{ id: string }>`
        insert into sign_in_attempts (application_id, user_id, redirect_uri, state, code_challenge,
          client_id, client_name, resource, approval, spending_currency, spending_per_errand, spending_per_month, expires_at)
        values (${applicationId}, ${userId}, ${redirectUri}, ${state}, ${codeChallenge},
          ${client?.id}, ${client?.name}, ${client?.resource}, ${approval}, ${spending_currency}, ${spending_per_errand}, ${spending_per_month},
          now() + ${lifetimeMs} * interval '1 millisecond')
        returning id
      `.execute(kysely);
      const [row] = rows;
      if (row === undefined) throw new Error("The sign-in attempt was not stored");
      return row;
    },

    async find(id, userId) {
      const { rows } = await sql<Omit<SignInAttempt, "spendingLimits"> & LimitColumns>`
        select id, application_id as "applicationId", user_id as "userId", redirect_uri as "redirectUri", state,
          code_challenge as "codeChallenge", ${MCP_CLIENT} as client, approval, outcome, spending_currency, spending_per_errand, spending_per_month
        from sign_in_attempts
        where id = ${id} and user_id = ${userId} and expires_at > now()
      `.execute(kysely);
      const [row] = rows;
      if (row === undefined) return null;
      const { spending_currency, spending_per_errand, spending_per_month, ...attempt } = row;
      const columns = { spending_currency, spending_per_errand, spending_per_month };
      return { ...attempt, spendingLimits: toSpendingLimits(columns) };
    },

    async setTicket(id, ticketHash) {
      await sql`update sign_in_attempts set ticket_hash = ${ticketHash} where id = ${id}`.execute(kysely);
    },

    async spendTicket(id, ticketHash, nextHash) {
      const { rows } = await sql`
        update sign_in_attempts set ticket_hash = ${nextHash}
        where id = ${id} and ticket_hash = ${ticketHash}
        returning id
      `.execute(kysely);
      return rows.length > 0;
    },

    async beginCredentials(id) {
      await sql`update sign_in_attempts set outcome = 'credentials' where id = ${id} and outcome = 'code'`.execute(
        kysely,
      );
    },

    async endCredentials(id) {
      const { rows } = await sql`
        update sign_in_attempts set outcome = 'code' where id = ${id} and outcome = 'credentials' returning id
      `.execute(kysely);
      return rows.length > 0;
    },

    async conclude(id, outcome) {
      const { rows } = await sql`
        update sign_in_attempts set outcome = ${outcome} where id = ${id} and outcome is null returning id
      `.execute(kysely);
      return rows.length > 0;
    },
  };
}
