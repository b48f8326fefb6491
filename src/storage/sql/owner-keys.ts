import { sql } from "kysely";
import type { OwnerKey, OwnerKeyStore } from "../../applications/owner-keys.ts";
import type { Database } from "../database.ts";

const COLUMNS = sql.raw(`
  id, owner_id as "ownerId", name, scope, created_at as "createdAt", last_used_at as "lastUsedAt",
  (select json_build_object('id', applications.id, 'name', applications.name) from applications
    where applications.id = application_id) as application`);

export function createOwnerKeyStore({ kysely }: Database): OwnerKeyStore {
  return {
    async insert({ ownerId, applicationId, name, scope, keyHash }, maxKeys) {
      // Requests at the same moment may exceed the limit by a few, which does no harm.
      const { rows } = await sql<OwnerKey>`
        insert into owner_keys (owner_id, application_id, name, scope, key_hash)
        select ${ownerId}::uuid, ${applicationId}::uuid, ${name}, ${scope}, ${keyHash}::bytea
        where (select count(*) from owner_keys where owner_id = ${ownerId}) < ${maxKeys}
        returning ${COLUMNS}
      `.execute(kysely);
      return rows[0] ?? null;
    },

    async list(ownerId) {
      const { rows } = await sql<OwnerKey>`
        select ${COLUMNS} from owner_keys where owner_id = ${ownerId} order by id desc
      `.execute(kysely);
      return rows;
    },

    async delete(ownerId, keyId) {
      const { numAffectedRows } = await sql`
        delete from owner_keys where id = ${keyId} and owner_id = ${ownerId}
      `.execute(kysely);
      return numAffectedRows === 1n;
    },

    async findByHash(keyHash) {
      // Written once a minute at most, so that a busy key does not write with every request.
      const { rows } = await sql<OwnerKey>`
        with found as (
          select ${COLUMNS} from owner_keys where key_hash = ${keyHash}
        ), used as (
          update owner_keys set last_used_at = now() from found
          where owner_keys.id = found.id
            and (owner_keys.last_used_at is null or owner_keys.last_used_at < now() - interval '1 minute')
        )
        select * from found
      `.execute(kysely);
      return rows[0] ?? null;
    },

    async ownsApplication(ownerId, applicationId) {
      const { rows } = await sql`
        select 1 from applications where id = ${applicationId} and owner_id = ${ownerId}
      `.execute(kysely);
      return rows.length > 0;
    },
  };
}
