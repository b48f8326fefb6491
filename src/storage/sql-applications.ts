import { type Selectable, sql } from "kysely";
import type { Application } from "../applications/application.ts";
import type { ApplicationStore } from "../applications/application-store.ts";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";

export function createApplicationStore({ kysely }: Database): ApplicationStore {
  return {
    insert(application, secretHash) {
      return kysely.transaction().execute(async (tx) => {
        const row = await tx
          .insertInto("applications")
          .values({
            owner_id: application.ownerId,
            name: application.name,
            type: application.type,
            redirect_uris: application.redirectUris,
            home_url: application.homeUrl,
            sign_in_url: application.signInUrl,
            signed_in_url: application.signedInUrl,
            signed_in_text: application.signedInText,
            signed_out_text: application.signedOutText,
            allowed_hosts: application.allowedHosts,
            access: application.access,
            require_pkce: application.requirePkce,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        if (secretHash !== null) {
          await tx
            .insertInto("application_secrets")
            .values({ application_id: row.id, secret_hash: secretHash })
            .execute();
        }
        return toApplication(row);
      });
    },

    async find(id) {
      const row = await kysely.selectFrom("applications").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toApplication(row);
    },

    async list() {
      const rows = await kysely.selectFrom("applications").selectAll().orderBy("created_at").orderBy("id").execute();
      return rows.map(toApplication);
    },

    async listSecretHashes(applicationId) {
      const rows = await kysely
        .selectFrom("application_secrets")
        .select("secret_hash")
        .where("application_id", "=", applicationId)
        .orderBy("id", "desc")
        .execute();
      return rows.map((row) => row.secret_hash);
    },

    async rotateSecret(applicationId, secretHash, keep) {
      await kysely.transaction().execute(async (tx) => {
        // Two rotations at once take turns, so that neither leaves one secret too many.
        await tx.selectFrom("applications").select("id").where("id", "=", applicationId).forUpdate().execute();
        await tx
          .insertInto("application_secrets")
          .values({ application_id: applicationId, secret_hash: secretHash })
          .execute();
        await sql`
          delete from application_secrets where application_id = ${applicationId} and id not in (
            select id from application_secrets where application_id = ${applicationId} order by created_at desc, id desc limit ${keep})
        `.execute(tx);
      });
    },

    async getFirstOwnerId() {
      const { id } = await kysely.selectFrom("owners").select("id").orderBy("id").limit(1).executeTakeFirstOrThrow();
      return id;
    },
  };
}

function toApplication(row: Selectable<Schema["applications"]>): Application {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    type: row.type,
    redirectUris: row.redirect_uris,
    homeUrl: row.home_url,
    signInUrl: row.sign_in_url,
    signedInUrl: row.signed_in_url,
    signedInText: row.signed_in_text,
    signedOutText: row.signed_out_text,
    allowedHosts: row.allowed_hosts,
    access: row.access,
    requirePkce: row.require_pkce,
    createdAt: row.created_at,
  };
}
