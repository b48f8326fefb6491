import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { McpClient } from "../../applications/application.ts";
import type { ConnectedProgram, McpAccess, McpTokenStore } from "../../oauth/mcp-tokens.ts";
import type { Database } from "../database.ts";
import type { Schema } from "./schema.ts";

/** The program's columns as one value; null for the application itself. */
export const MCP_CLIENT: RawBuilder<McpClient | null> = sql`
  case when client_id is not null then json_build_object('id', client_id, 'name', client_name, 'resource', resource) end`;

export function createMcpTokenStore({ kysely }: Database): McpTokenStore {
  return {
    async find(tokenHash) {
      const { rows } = await sql<McpAccess>`
        select connections.id as "connectionId", resource, client_id as "clientId",
          json_build_object('id', applications.id, 'name', applications.name, 'access', access, 'mcpClients', mcp_clients)
            as application
        from mcp_tokens
        join connections on connections.id = connection_id
        join applications on applications.id = application_id
        where token_hash = ${tokenHash}
      `.execute(kysely);
      return rows[0] ?? null;
    },

    replace: (connectionId, client, tokenHash) => replaceMcpToken(kysely, connectionId, client, tokenHash, null),

    async revoke(tokenHash, { applicationId, clientId }) {
      await sql`
        delete from mcp_tokens using connections
        where connections.id = connection_id and token_hash = ${tokenHash} and client_id = ${clientId}
          and application_id = coalesce(${applicationId}, application_id)
      `.execute(kysely);
    },

    async listOfUser(userId) {
      const { rows } = await sql<ConnectedProgram>`
        select connection_id as "connectionId", client_id as "clientId", client_name as name,
          mcp_tokens.created_at as "createdAt"
        from connections
        join mcp_tokens on connection_id = connections.id
        where user_id = ${userId}
        order by mcp_tokens.created_at desc
      `.execute(kysely);
      return rows;
    },

    async revokeOfUser(userId, { connectionId, clientId }) {
      const { rows } = await sql`
        delete from mcp_tokens using connections
        where connections.id = connection_id and user_id = ${userId} and connection_id = ${connectionId}
          and mcp_tokens.client_id = ${clientId}
        returning 1
      `.execute(kysely);
      return rows.length > 0;
    },
  };
}

/** One token for each program on a connection. */
export async function replaceMcpToken(
  executor: Kysely<Schema> | Transaction<Schema>,
  connectionId: string,
  { id, name, resource }: McpClient,
  tokenHash: Buffer,
  codeHash: Buffer | null,
): Promise<void> {
  await sql`
    insert into mcp_tokens (connection_id, client_id, client_name, resource, token_hash, code_hash)
    values (${connectionId}, ${id}, ${name}, ${resource}, ${tokenHash}, ${codeHash})
    on conflict (connection_id, client_id) do update
    set client_name = excluded.client_name, resource = excluded.resource, token_hash = excluded.token_hash,
      code_hash = excluded.code_hash, created_at = now()
  `.execute(executor);
}
