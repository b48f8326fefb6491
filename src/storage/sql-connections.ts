import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { Connection, ListedConnection } from "../connections/connection.ts";
import type { ConnectionStore } from "../connections/connection-store.ts";
import { createBatcher } from "../lib/batcher.ts";
import { BATCHES, type Database, prepared } from "./database.ts";
import type { Schema } from "./schema.ts";

export function createConnectionStore({ kysely, pool }: Database): ConnectionStore {
  const findByTokens = prepared(
    pool,
    "connection-by-token",
    `select connections.id, application_id as "applicationId", user_id as "userId", state
     from unnest($1::bytea[]) with ordinality as asked (token_hash, position)
     left join access_tokens using (token_hash)
     left join connections on connections.id = access_tokens.connection_id
     order by position`,
  );
  // Every request asks for one: those that come together share a round trip.
  const findByToken = createBatcher<Buffer, Connection | { id: null }>({
    load: (tokenHashes) => findByTokens<Connection | { id: null }>([tokenHashes]),
    ...BATCHES,
  });

  return {
    connect: (applicationId, userId) => connectUnsigned(kysely, applicationId, userId),

    async find(id) {
      const { rows } = await sql<Connection>`
        select ${COLUMNS} from connections where connections.id = ${id}
      `.execute(kysely);
      return rows[0] ?? null;
    },

    async list({ applicationId, userEmail }) {
      const { rows } = await sql<ListedConnection>`
        select ${COLUMNS}, applications.name as "applicationName", users.email as "userEmail",
          connections.created_at as "createdAt", signed_in_at as "signedInAt", checked_at as "checkedAt"
        from connections
        join applications on applications.id = application_id
        join users on users.id = user_id
        left join saved_sign_ins on saved_sign_ins.connection_id = connections.id
        where application_id = coalesce(${applicationId}, application_id) and users.email = coalesce(${userEmail}, users.email)
        order by connections.id
      `.execute(kysely);
      return rows;
    },

    replaceToken: (connectionId, tokenHash) => replaceToken(kysely, connectionId, tokenHash, null),
    async findByToken(tokenHash) {
      const connection = await findByToken(tokenHash);
      return connection.id === null ? null : connection;
    },
  };
}

type Executor = Kysely<Schema> | Transaction<Schema>;

const COLUMNS = sql.raw('connections.id, application_id as "applicationId", user_id as "userId", connections.state');

/** For a user who has agreed and, where the application wants that, has signed in: active from now on. */
export function connect(executor: Executor, applicationId: string, userId: string): Promise<Connection> {
  return upsert(executor, applicationId, userId, sql`'ACTIVE'`);
}

/** Without a sign-in: what only signing in repairs stays as it is. */
function connectUnsigned(executor: Executor, applicationId: string, userId: string): Promise<Connection> {
  return upsert(
    executor,
    applicationId,
    userId,
    sql`(
      select case when sign_in_url is null then 'ACTIVE' else connections.state end
      from applications where applications.id = connections.application_id
    )`,
  );
}

async function upsert(
  executor: Executor,
  applicationId: string,
  userId: string,
  state: RawBuilder<unknown>,
): Promise<Connection> {
  const { rows } = await sql<Connection>`
    insert into connections (application_id, user_id) values (${applicationId}, ${userId})
    on conflict (application_id, user_id) do update set state = ${state}, updated_at = now()
    returning ${COLUMNS}
  `.execute(executor);
  const [connection] = rows;
  if (connection === undefined) throw new Error("the connection was neither found nor made");
  return connection;
}

export async function replaceToken(
  executor: Executor,
  connectionId: string,
  tokenHash: Buffer,
  codeHash: Buffer | null,
): Promise<void> {
  await sql`
    insert into access_tokens (connection_id, token_hash, code_hash) values (${connectionId}, ${tokenHash}, ${codeHash})
    on conflict (connection_id) do update
    set token_hash = excluded.token_hash, code_hash = excluded.code_hash, created_at = now()
  `.execute(executor);
}
