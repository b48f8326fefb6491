import { type Kysely, type RawBuilder, sql } from "kysely";
import type { ConnectionPage, ConsoleConnectionStore, SeenConnection } from "../console/connections-store.ts";
import { createConnectionDeletion, type DeletionMeans, lockConnection, wipeTokens } from "./delete-connection.ts";
import type { Schema } from "./schema.ts";

export function createConsoleConnectionStore(means: DeletionMeans): ConsoleConnectionStore {
  const { kysely } = means.database;

  async function select(rest: RawBuilder<unknown>): Promise<SeenConnection[]> {
    const { rows } = await sql<ConnectionRow>`
      select connections.id, application_id as "applicationId", connections.user_id as "userId", connections.state,
        connections.created_at as "createdAt", users.email as "userEmail", signed_in_at as "signedInAt",
        exists (select 1 from access_tokens where connection_id = connections.id) as "hasToken",
        applications.name, access, home_url as "homeUrl", sign_in_url as "signInUrl", allowed_hosts as "allowedHosts",
        last.id as "lastId", last.status as "lastStatus", last.created_at as "lastCreatedAt"
      ${FROM}
      left join saved_sign_ins on saved_sign_ins.connection_id = connections.id
      left join lateral (${LAST_EXECUTION}) as last on true
      ${rest}
    `.execute(kysely);
    return rows.map(toSeenConnection);
  }

  /** Newest first, of those that `bound` allows. An unknown cursor has nothing after it, so only an empty page needs a look. */
  async function list(bound: RawBuilder<unknown>, wanted: RawBuilder<string>, page: ConnectionPage) {
    const { after, limit, text } = page;
    const isWanted = text === null ? sql`true` : sql`position(lower(${text}::text) in lower(${wanted})) > 0`;
    const isNext =
      after === null
        ? sql`true`
        : sql`connections.id < (select connections.id ${FROM} where ${bound} and connections.id = ${after})`;
    const found = await select(sql`
      where ${bound} and ${isWanted} and ${isNext}
      order by connections.id desc limit ${limit}
    `);
    if (after === null || found.length > 0) return found;
    const { rows } = await sql`select 1 ${FROM} where ${bound} and connections.id = ${after}`.execute(kysely);
    return rows.length > 0 ? found : null;
  }

  return {
    listOfApplication: (ownerId, applicationId, page) =>
      list(sql`application_id = ${applicationId} and owner_id = ${ownerId}`, sql`users.email`, page),

    listOfUser: (userId, page) => list(sql`connections.user_id = ${userId}`, sql`applications.name`, page),

    async find({ person, owner }, id) {
      const [connection] = await select(sql`
        where connections.id = ${id} and (connections.user_id = ${person.id} or owner_id = ${owner?.id ?? null})
      `);
      return connection ?? null;
    },

    requireSignIn: (id) => requireSignIn(kysely, id),

    async deleteToken(id, { requiresSignIn }) {
      await kysely.transaction().execute(async (tx) => {
        await lockConnection(tx, id);
        await wipeTokens(tx, id);
        if (requiresSignIn) await requireSignIn(tx, id);
      });
    },

    delete: createConnectionDeletion(means),
  };
}

async function requireSignIn(kysely: Kysely<Schema>, id: string): Promise<void> {
  await sql`
    update connections set state = 'REAUTHORIZATION_REQUIRED', updated_at = now()
    where id = ${id} and state = 'ACTIVE'
  `.execute(kysely);
}

const FROM = sql`
  from connections
  join applications on applications.id = application_id
  join users on users.id = connections.user_id`;

// Compared as rows, so that only the index executions_of_connection can be walked.
const LAST_EXECUTION = sql`
  select executions.id, executions.status, executions.created_at from executions
  where connection_id >= connections.id
    and (connection_id, executions.id) <= (connections.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
  order by connection_id desc, executions.id desc limit 1`;

interface ConnectionRow extends Omit<SeenConnection, "application" | "lastExecution"> {
  name: string;
  access: SeenConnection["application"]["access"];
  homeUrl: string | null;
  signInUrl: string | null;
  allowedHosts: string[];
  lastId: string | null;
  lastStatus: NonNullable<SeenConnection["lastExecution"]>["status"];
  lastCreatedAt: Date;
}

function toSeenConnection(row: ConnectionRow): SeenConnection {
  const { name, access, homeUrl, signInUrl, allowedHosts, lastId, lastStatus, lastCreatedAt, ...connection } = row;
  return {
    ...connection,
    application: { name, access, homeUrl, signInUrl, allowedHosts },
    lastExecution: lastId === null ? null : { id: lastId, status: lastStatus, createdAt: lastCreatedAt },
  };
}
