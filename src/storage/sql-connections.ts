import { type Kysely, sql, type Transaction } from "kysely";
import type { Connection } from "../connections/connection.ts";
import type { ConnectionStore } from "../connections/connection-store.ts";
import { type Database, prepared } from "./database.ts";
import type { Schema } from "./schema.ts";

export function createConnectionStore({ kysely, pool }: Database): ConnectionStore {
  const findByToken = prepared(
    pool,
    "connection-by-token",
    `select connections.id, application_id as "applicationId", user_id as "userId", state
     from access_tokens join connections on connections.id = access_tokens.connection_id
     where token_hash = $1`,
  );

  return {
    connect: (applicationId, userId) => connect(kysely, applicationId, userId),
    replaceToken: (connectionId, tokenHash) => replaceToken(kysely, connectionId, tokenHash, null),
    findByToken: async (tokenHash) => (await findByToken<Connection>([tokenHash]))[0] ?? null,
  };
}

type Executor = Kysely<Schema> | Transaction<Schema>;

export async function connect(executor: Executor, applicationId: string, userId: string): Promise<Connection> {
  const { rows } = await sql<Connection>`
    insert into connections (application_id, user_id) values (${applicationId}, ${userId})
    on conflict (application_id, user_id) do update set state = 'ACTIVE', updated_at = now()
    returning id, application_id as "applicationId", user_id as "userId", state
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
