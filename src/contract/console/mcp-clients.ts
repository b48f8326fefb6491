import { type Static, Type } from "typebox";

/** GET /console/api/mcp-clients: the programs that act for the visitor over MCP, on all of their connections. */
export interface McpClientList {
  clients: McpClientItem[];
}

export interface McpClientItem {
  connection_id: string;
  /** The URL of the program's metadata document, or what an operator called it. */
  client_id: string;
  /** The program's own choice. */
  name: string;
  connected_at: string;
}

/** DELETE /console/api/mcp-clients → 204 revokes the program's token. The connection and its other programs stay. */
export const McpClientQuery = Type.Object(
  { connection_id: Type.String({ maxLength: 100 }), client_id: Type.String({ maxLength: 2_048 }) },
  { additionalProperties: false },
);
export type McpClientQuery = Static<typeof McpClientQuery>;
