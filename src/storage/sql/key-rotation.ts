import type { Pool } from "pg";
import type { SecretStore, StoredSecrets } from "../../webhooks/webhook-secret.ts";
import { type Database, prepared } from "../database.ts";

const LIST_UNDER_OTHERS = `
  select id, secret_key_id, secret_box, previous_key_id, previous_box from webhook_endpoints
  where (secret_key_id <> $1 or previous_key_id <> $1) and id > coalesce($2, '00000000-0000-0000-0000-000000000000')::uuid
  order by id limit $3`;

const RESEAL = `
  update webhook_endpoints set secret_key_id = $4, secret_box = $5, previous_key_id = $6, previous_box = $7
  where id = $1 and secret_box = $2 and previous_box is not distinct from $3
  returning id`;

const COUNT_BY_KEY = `
  select key_id as "keyId", count(distinct id) as webhooks from (
    select id, secret_key_id as key_id from webhook_endpoints
    union all
    select id, previous_key_id from webhook_endpoints where previous_key_id is not null
  ) as used
  group by key_id order by key_id`;

export function createSecretStore({ pool }: Database): SecretStore {
  const listUnderOthers = prepared(pool, "webhook-secrets-under-others", LIST_UNDER_OTHERS);
  const reseal = prepared(pool, "webhook-secrets-reseal", RESEAL);
  const countByKey = prepared(pool, "webhook-secrets-by-key", COUNT_BY_KEY);

  return {
    listNotSealedWith: async (otherThan, after, limit) =>
      (await listUnderOthers<SecretRow>([otherThan, after, limit])).map(toStoredSecrets),

    async reseal(before, { secret, previous }) {
      const rows = await reseal([
        before.webhookId,
        before.secret.box,
        before.previous?.box ?? null,
        secret.keyId,
        secret.box,
        previous?.keyId ?? null,
        previous?.box ?? null,
      ]);
      return rows.length > 0;
    },

    countByKey: () => countByKey<{ keyId: string; webhooks: number }>([]),
  };
}

interface SecretRow {
  id: string;
  secret_key_id: string;
  secret_box: Buffer;
  previous_key_id: string | null;
  previous_box: Buffer | null;
}

function toStoredSecrets(row: SecretRow): StoredSecrets {
  const { previous_key_id: keyId, previous_box: box } = row;
  return {
    webhookId: row.id,
    secret: { keyId: row.secret_key_id, box: row.secret_box },
    previous: keyId === null || box === null ? null : { keyId, box },
  };
}

/** How many secrets are encrypted with a master key. */
interface SealedUnderKey {
  keyId: string;
  signIns: number;
  webhooks: number;
}

const COUNT_SEALED = `
  select key_id as "keyId", count(distinct connection_id) as "signIns", count(distinct webhook_id) as webhooks from (
    select key_id, connection_id, null::uuid as webhook_id from saved_sign_ins
    union all
    select key_id, connection_id, null from sign_in_credentials
    union all
    select secret_key_id, null, id from webhook_endpoints
    union all
    select previous_key_id, null, id from webhook_endpoints where previous_key_id is not null
  ) as used
  group by key_id order by key_id`;

export async function countSealed({ pool }: Database): Promise<SealedUnderKey[]> {
  return (await pool.query<SealedUnderKey>(COUNT_SEALED)).rows;
}

const ROTATION_LOCK = 7_305_224;

/** A lock that one process at a time can hold, until it is disposed or the process ends. Null if another holds it. */
export async function tryLockRotation(pool: Pool): Promise<AsyncDisposable | null> {
  const client = await pool.connect();
  const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [
    ROTATION_LOCK,
  ]);
  if (rows[0]?.locked !== true) {
    client.release();
    return null;
  }
  return {
    async [Symbol.asyncDispose]() {
      await client.query("select pg_advisory_unlock($1)", [ROTATION_LOCK]);
      client.release();
    },
  };
}
