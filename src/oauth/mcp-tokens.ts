import type { Application, McpClient } from "../applications/application.ts";
import { sha256 } from "../lib/hash.ts";
import { isWellFormedSecret, mintSecret } from "../lib/secret-token.ts";
import { parseUuid } from "../lib/uuid.ts";

/** What an MCP token gives access to. */
export interface McpAccess {
  connectionId: string;
  application: Pick<Application, "id" | "name" | "access" | "mcpClients">;
  clientId: string;
  /** The URL of the endpoint that it was issued for. */
  resource: string;
}

/** Tokens for the MCP endpoints. They are no access tokens of the API, and those are none of these. */
export interface McpTokens {
  /** Null for an unknown or revoked token, for one of another endpoint, and when the owner no longer allows MCP clients. */
  authenticate(token: string, resource: string): Promise<McpAccess | null>;
  /** For operators: a token without the OAuth flow, in place of the program's previous one. */
  issue(connectionId: string, client: McpClient): Promise<string>;
  /** The programs on the user's connections, newest first. */
  listOfUser(userId: string): Promise<ConnectedProgram[]>;
  /** False when the user has no such program. */
  revokeOfUser(userId: string, program: Pick<ConnectedProgram, "connectionId" | "clientId">): Promise<boolean>;
}

export interface ConnectedProgram {
  connectionId: string;
  clientId: string;
  name: string;
  createdAt: Date;
}

export interface McpTokenStore extends Pick<McpTokens, "listOfUser" | "revokeOfUser"> {
  find(tokenHash: Buffer): Promise<McpAccess | null>;
  replace(connectionId: string, client: McpClient, tokenHash: Buffer): Promise<void>;
  /** Does nothing when the token belongs to somebody else. */
  revoke(tokenHash: Buffer, client: { applicationId: string | null; clientId: string }): Promise<void>;
}

const PREFIX = "errand_mt_";

export function createMcpTokens({ store }: { store: McpTokenStore }): McpTokens {
  return {
    async authenticate(token, resource) {
      const tokenHash = hashMcpToken(token);
      const access = tokenHash === null ? null : await store.find(tokenHash);
      if (access === null || !isFor(access, resource)) return null;
      // What the operator or the application itself has set up needs no permission for unknown programs.
      return isClientUrl(access.clientId) && !access.application.mcpClients ? null : access;
    },

    async issue(connectionId, client) {
      const { token, tokenHash } = mintMcpToken();
      await store.replace(connectionId, client, tokenHash);
      return token;
    },

    listOfUser: store.listOfUser,
    revokeOfUser: store.revokeOfUser,
  };
}

/** A token for /mcp is also one for its own application's endpoint, which is the same with fewer choices. */
function isFor({ resource: own, application }: McpAccess, resource: string): boolean {
  return own === resource || `${own}/${application.id}` === resource;
}

export function mintMcpToken(): { token: string; tokenHash: Buffer } {
  const token = mintSecret(PREFIX);
  return { token, tokenHash: sha256(token) };
}

/** Null for a text that cannot be one of these tokens. */
export function hashMcpToken(token: string): Buffer | null {
  return isWellFormedSecret(PREFIX, token) ? sha256(token) : null;
}

/** Whether a client id names a metadata document instead of an application. */
export function isClientUrl(clientId: string): boolean {
  return /^https?:\/\//i.test(clientId);
}

/** The URL of an MCP endpoint: of one application, or of the application that the token or the authorization names. */
export function mcpResource(publicUrl: string, applicationId: string | null): string {
  return applicationId === null ? `${publicUrl}/mcp` : `${publicUrl}/mcp/${applicationId}`;
}

/** Null for what is no MCP endpoint of this service. */
export function parseMcpResource(publicUrl: string, resource: unknown): { applicationId: string | null } | null {
  if (resource === mcpResource(publicUrl, null)) return { applicationId: null };
  const prefix = mcpResource(publicUrl, "");
  if (typeof resource !== "string" || !resource.startsWith(prefix)) return null;
  const applicationId = parseUuid(resource.slice(prefix.length));
  return applicationId === null ? null : { applicationId };
}

/** RFC 9728. */
export function buildResourceMetadata(publicUrl: string, applicationId: string | null) {
  return {
    resource: mcpResource(publicUrl, applicationId),
    authorization_servers: [publicUrl],
    bearer_methods_supported: ["header"],
    resource_name: "Errand",
    resource_documentation: `${publicUrl}/docs`,
  };
}
