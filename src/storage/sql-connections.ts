import { type Kysely, sql, type Transaction } from "kysely";
import type { Connection } from "../connections/connection.ts";
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
    connect: (applicationId, userId) => connect(kysely, applicationId, userId),
    replaceToken: (connectionId, tokenHash) => replaceToken(kysely, connectionId, tokenHash, null),
    async findByToken(tokenHash) {
      const connection = await findByToken(tokenHash);
      return connection.id === null ? null : connection;
    },
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
