import { type Kysely, sql, type Transaction } from "kysely";
import { createConnectionDeletion, type DeletionMeans } from "./delete-connection.ts";
import type { Schema } from "./schema.ts";

const MAX_CONNECTIONS_AT_ONCE = 100;
const MAX_DELIVERIES_AT_ONCE = 1_000;

/**
 * Deletes an application with its connections and all that they have done; only the ledger stays. Nobody can use it from the
 * first step on; one that is broken off leaves an application that can be deleted again.
 */
export function createApplicationDeletion(means: DeletionMeans) {
  const { kysely } = means.database;
  const deleteConnection = createConnectionDeletion(means);

  return async (applicationId: string): Promise<void> => {
    do {
      await kysely.transaction().execute((tx) => shut(tx, applicationId));
      const { rows } = await sql<{ id: string }>`
        select id from connections where application_id = ${applicationId} limit ${MAX_CONNECTIONS_AT_ONCE}
      `.execute(kysely);
      while (await deleteDeliveries(kysely, applicationId));
      for (const { id } of rows) await deleteConnection(id);
      // Somebody may have connected since.
    } while (!(await kysely.transaction().execute((tx) => deleteUnconnected(tx, applicationId))));
  };
}

/** Without addresses to go back to nobody can connect, so that the connections come to an end. Nobody is told any more. */
async function shut(tx: Transaction<Schema>, applicationId: string): Promise<void> {
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
      where application_id = ${applicationId} limit ${MAX_DELIVERIES_AT_ONCE}
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
