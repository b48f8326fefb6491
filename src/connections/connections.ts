import { CallerError } from "../lib/caller-error.ts";
import { parseUuid } from "../lib/uuid.ts";
import { hashAccessToken, mintAccessToken } from "./access-token.ts";
import type { Connection, ConnectionFilter, ListedConnection } from "./connection.ts";
import type { ConnectionStore } from "./connection-store.ts";

export interface Connections {
  /** The connection that a bearer token identifies; null for an unknown or revoked one. */
  authenticate(token: string): Promise<Connection | null>;
  /** The operator's shortcut: a connection and its token without the OAuth flow. */
  connect(applicationId: string, userId: string): Promise<{ connection: Connection; accessToken: string }>;
  /** The same without a token: one that is in use stays valid. */
  open(applicationId: string, userId: string): Promise<Connection>;
  /** Throws when there is no such connection. */
  get(id: string): Promise<Connection>;
  list(filter: ConnectionFilter): Promise<ListedConnection[]>;
}

export function createConnections({ store }: { store: ConnectionStore }): Connections {
  return {
    async authenticate(token) {
      const tokenHash = hashAccessToken(token);
      return tokenHash === null ? null : store.findByToken(tokenHash);
    },

    async get(id) {
      const uuid = parseUuid(id);
      const connection = uuid === null ? null : await store.find(uuid);
      if (connection === null) {
        throw new CallerError("NOT_FOUND", `There is no connection ${id}. "errand connection list" shows them all.`);
      }
      return connection;
    },

    list: (filter) => store.list(filter),

    open: (applicationId, userId) => store.connect(applicationId, userId),

    async connect(applicationId, userId) {
      const connection = await store.connect(applicationId, userId);
      const { token, tokenHash } = mintAccessToken();
      await store.replaceToken(connection.id, tokenHash);
      return { connection, accessToken: token };
    },
  };
}
