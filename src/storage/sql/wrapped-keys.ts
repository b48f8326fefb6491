import type { KeyStore, StoredKey } from "../../connections/vault/saved-sign-in.ts";
import { type Database, prepared } from "../database.ts";

/** The wrapped data keys of a table whose rows are sealed for one connection each. */
export function createKeyStore({ pool }: Database, table: "saved_sign_ins" | "sign_in_credentials"): KeyStore {
  const listUnderOthers = prepared(
    pool,
    `${table}-under-others`,
    `select connection_id as "connectionId", revision, key_id as "keyId", wrapped_key as "wrappedKey" from ${table}
     where key_id <> $1 and connection_id > coalesce($2, '00000000-0000-0000-0000-000000000000')::uuid
     order by connection_id limit $3`,
  );
  const rewrap = prepared(
    pool,
    `${table}-rewrap`,
    `update ${table} set key_id = wrapped.key_id, wrapped_key = wrapped.wrapped_key
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) as wrapped (connection_id, revision, key_id, wrapped_key)
     where ${table}.connection_id = wrapped.connection_id and ${table}.revision = wrapped.revision
     returning ${table}.connection_id`,
  );
  const countByKey = prepared(
    pool,
    `${table}-by-key`,
    `select key_id as "keyId", count(*) as count from ${table} group by key_id order by key_id`,
  );

  return {
    listNotWrappedBy: (otherThan, after, limit) => listUnderOthers<StoredKey>([otherThan, after, limit]),

    async rewrap(keys) {
      if (keys.length === 0) return 0;
      const columns = (["connectionId", "revision", "keyId", "wrappedKey"] as const).map((name) =>
        keys.map((key) => key[name]),
      );
      return (await rewrap(columns)).length;
    },

    countByKey: () => countByKey<{ keyId: string; count: number }>([]),
  };
}
