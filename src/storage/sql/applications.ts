import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from "kysely";
import type { Application, ApplicationSettings, ApplicationStore } from "../../applications/application.ts";
import type { ConsoleApplicationStore, OwnedApplication } from "../../console/applications.ts";
import type { Database } from "../database.ts";
import { createApplicationDeletion, type DeletionDependencies } from "./deletion.ts";
import type { Schema } from "./schema.ts";

export function createApplicationStore({ kysely }: Database): ApplicationStore {
  return {
    insert(application, secretHash) {
      return kysely.transaction().execute(async (tx) => {
        const row = await tx
          .insertInto("applications")
          .values({ owner_id: application.ownerId, type: application.type, ...toColumns(application) })
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

    update(id, changes) {
      return kysely.transaction().execute(async (tx) => {
        // The lock serializes concurrent changes: the second one sees the result of the first.
        const before = await tx
          .selectFrom("applications")
          .selectAll()
          .where("id", "=", id)
          .forNoKeyUpdate()
          .executeTakeFirst();
        if (before === undefined) return null;
        const after = { ...toApplication(before), ...changes };
        await tx
          .updateTable("applications")
          .set({ ...toColumns(after), updated_at: sql<Date>`now()` })
          .where("id", "=", id)
          .execute();
        if (before.access === "read_only" && after.access === "all") await requireConsent(tx, id);
        if (before.stored_credentials && !after.storedCredentials) await deleteCredentials(tx, id);
        return after;
      });
    },

    async find(id) {
      const row = await kysely.selectFrom("applications").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toApplication(row);
    },

    async findForMcpClients() {
      const rows = await kysely
        .selectFrom("applications")
        .selectAll()
        .where("mcp_clients", "=", true)
        .limit(2)
        .execute();
      const [only, another] = rows;
      return only === undefined || another !== undefined ? null : toApplication(only);
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
        // The lock serializes concurrent rotations, so that neither leaves one secret too many.
        await tx.selectFrom("applications").select("id").where("id", "=", applicationId).forUpdate().execute();
        await tx
          .insertInto("application_secrets")
          .values({ application_id: applicationId, secret_hash: secretHash })
          .execute();
        await keepNewest(tx, applicationId, keep);
      });
    },

    dropOldSecrets: (applicationId) => keepNewest(kysely, applicationId, 1),

    async getFirstOwnerId() {
      const { id } = await kysely.selectFrom("owners").select("id").orderBy("id").limit(1).executeTakeFirstOrThrow();
      return id;
    },
  };
}

/** Null when there is no such connection. */
export async function findApplicationOf({ kysely }: Database, connectionId: string): Promise<Application | null> {
  const row = await kysely
    .selectFrom("applications")
    .innerJoin("connections", "connections.application_id", "applications.id")
    .selectAll("applications")
    .where("connections.id", "=", connectionId)
    .executeTakeFirst();
  return row === undefined ? null : toApplication(row);
}

async function keepNewest(
  executor: Kysely<Schema> | Transaction<Schema>,
  applicationId: string,
  keep: number,
): Promise<void> {
  await sql`
    delete from application_secrets where application_id = ${applicationId} and id not in (
      select id from application_secrets where application_id = ${applicationId} order by created_at desc, id desc limit ${keep})
  `.execute(executor);
}

async function requireConsent(tx: Transaction<Schema>, applicationId: string): Promise<void> {
  await sql`
    update connections set state = 'REAUTHORIZATION_REQUIRED', updated_at = now()
    where application_id = ${applicationId} and state = 'ACTIVE'
  `.execute(tx);
}

async function deleteCredentials(tx: Transaction<Schema>, applicationId: string): Promise<void> {
  await sql`
    delete from sign_in_credentials using connections
    where connections.id = connection_id and application_id = ${applicationId}
  `.execute(tx);
}

function toColumns(settings: ApplicationSettings) {
  return {
    name: settings.name,
    redirect_uris: settings.redirectUris,
    home_url: settings.homeUrl,
    sign_in_url: settings.signInUrl,
    signed_in_url: settings.signedInUrl,
    signed_in_text: settings.signedInText,
    signed_out_text: settings.signedOutText,
    allowed_hosts: settings.allowedHosts,
    access: settings.access,
    approval: settings.approval,
    require_pkce: settings.requirePkce,
    mcp_clients: settings.mcpClients,
    stored_credentials: settings.storedCredentials,
    recipes: settings.recipes,
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
    approval: row.approval,
    requirePkce: row.require_pkce,
    mcpClients: row.mcp_clients,
    storedCredentials: row.stored_credentials,
    recipes: row.recipes,
    createdAt: row.created_at,
  };
}

export function createConsoleApplicationStore(dependencies: DeletionDependencies): ConsoleApplicationStore {
  const { kysely } = dependencies.database;

  async function select(condition: RawBuilder<unknown>): Promise<OwnedApplication[]> {
    // Execution ids start with their creation time, so the count reads only the last day of each connection.
    const { rows } = await sql<OwnedRow>`
      select applications.*,
        array(
          select created_at from application_secrets where application_id = applications.id order by created_at desc, id desc
        ) as secrets_created_at,
        (select count(*) from connections where application_id = applications.id) as connections,
        (
          select count(*) from connections join executions on connection_id = connections.id and executions.id >= yesterday
          where application_id = applications.id
        ) as recent_executions
      from applications, (
        select rpad(lpad(to_hex((extract(epoch from now() - interval '24 hours') * 1000)::int8), 12, '0'), 32, '0')::uuid
          as yesterday
      ) as clock
      where ${condition}
      order by applications.created_at, applications.id
    `.execute(kysely);
    return rows.map((row) => ({
      ...toApplication(row),
      secretsCreatedAt: row.secrets_created_at,
      connections: row.connections,
      recentExecutions: row.recent_executions,
    }));
  }

  return {
    list: (ownerId) => select(sql`owner_id = ${ownerId}`),

    async find(ownerId, id) {
      const [application] = await select(sql`owner_id = ${ownerId} and applications.id = ${id}`);
      return application ?? null;
    },

    delete: createApplicationDeletion(dependencies),
  };
}

interface OwnedRow extends Selectable<Schema["applications"]> {
  secrets_created_at: Date[];
  connections: number;
  recent_executions: number;
}
