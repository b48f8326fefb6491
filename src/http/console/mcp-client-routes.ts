import { type McpClientList, McpClientQuery } from "../../contract/console/mcp-clients.ts";
import { CallerError } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/uuid.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { type ConsoleGuards, visitorOf } from "./guards.ts";

/** The programs that the signed-in person has connected over MCP. Only the person sees and revokes them. */
export function addMcpClientRoutes(
  scope: App,
  { mcpTokens }: AppDependencies,
  { requireVisitor }: ConsoleGuards,
): void {
  scope.get(
    "/console/api/mcp-clients",
    { onRequest: requireVisitor, schema: { hide: true } },
    async (request): Promise<McpClientList> => {
      const found = await mcpTokens.listOfUser(visitorOf(request).person.id);
      return {
        clients: found.map(({ connectionId, clientId, name, createdAt }) => ({
          connection_id: connectionId,
          client_id: clientId,
          name,
          connected_at: createdAt.toISOString(),
        })),
      };
    },
  );

  scope.delete(
    "/console/api/mcp-clients",
    { onRequest: requireVisitor, schema: { hide: true, querystring: McpClientQuery } },
    async (request, reply) => {
      const { connection_id, client_id: clientId } = request.query;
      const connectionId = parseUuid(connection_id);
      const isRevoked =
        connectionId !== null &&
        (await mcpTokens.revokeOfUser(visitorOf(request).person.id, { connectionId, clientId }));
      if (!isRevoked) throw new CallerError("NOT_FOUND", "You have connected no such program.");
      return reply.code(204).send();
    },
  );
}
