import { type RawBuilder, type Selectable, sql } from "kysely";
import type { ConsoleApplicationStore, OwnedApplication } from "../console/applications-store.ts";
import { createApplicationDeletion } from "./delete-application.ts";
import type { DeletionMeans } from "./delete-connection.ts";
import type { Schema } from "./schema.ts";
import { toApplication } from "./sql-applications.ts";

export function createConsoleApplicationStore(means: DeletionMeans): ConsoleApplicationStore {
  const { kysely } = means.database;

  async function select(condition: RawBuilder<unknown>): Promise<OwnedApplication[]> {
    // Ids of executions begin with their time, so that each connection's are counted from where the last day begins.
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

    delete: createApplicationDeletion(means),
  };
}

interface OwnedRow extends Selectable<Schema["applications"]> {
  secrets_created_at: Date[];
  connections: number;
  recent_executions: number;
}
