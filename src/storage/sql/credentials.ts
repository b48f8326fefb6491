import type { CredentialStore, StoredCredentials } from "../../connections/vault/credentials.ts";
import { type Database, prepared } from "../database.ts";
import { createKeyStore } from "./wrapped-keys.ts";

const SAVE = `
  insert into sign_in_credentials (connection_id, key_id, wrapped_key, ciphertext)
  select connection_id, $2, $3, $4 from saved_sign_ins where connection_id = $1
  on conflict (connection_id) do update
  set revision = gen_random_uuid(), key_id = excluded.key_id, wrapped_key = excluded.wrapped_key,
    ciphertext = excluded.ciphertext, saved_at = now(), renewed_at = null, failed_at = null, failure = null
  returning connection_id`;

const DELETE = "delete from sign_in_credentials where connection_id = $1 returning connection_id";

const BEGIN_TRY = `
  update sign_in_credentials set failed_at = now(), failure = 'interrupted'
  where connection_id = $1 and failed_at is null
  returning key_id as "keyId", wrapped_key as "wrappedKey", ciphertext, revision`;

const END_TRY = `
  update sign_in_credentials
  set renewed_at = case when $3 = 'renewed' then now() else renewed_at end,
    failed_at = case when $4::text is not null then now() end, failure = $4
  where connection_id = $1 and revision = $2`;

export function createCredentialStore(database: Database): CredentialStore {
  const { pool } = database;
  const save = prepared(pool, "credentials-save", SAVE);
  const remove = prepared(pool, "credentials-delete", DELETE);
  const beginTry = prepared(pool, "credentials-begin-try", BEGIN_TRY);
  const endTry = prepared(pool, "credentials-end-try", END_TRY);

  return {
    ...createKeyStore(database, "sign_in_credentials"),

    save: async (connectionId, { keyId, wrappedKey, ciphertext }) =>
      (await save([connectionId, keyId, wrappedKey, ciphertext])).length > 0,

    delete: async (connectionId) => (await remove([connectionId])).length > 0,

    async beginTry(connectionId) {
      const [credentials] = await beginTry<StoredCredentials>([connectionId]);
      return credentials ?? null;
    },

    async endTry(connectionId, revision, result) {
      const failure = result === "renewed" || result === "untried" ? null : result;
      await endTry([connectionId, revision, result, failure]);
    },
  };
}
