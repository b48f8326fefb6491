import { hashAccessToken, mintAccessToken } from "./access-token.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionStore } from "./connection-store.ts";

export interface Connections {
  /** The connection that a bearer token identifies; null for an unknown or revoked one. */
  authenticate(token: string): Promise<Connection | null>;
  /** The operator's shortcut: a connection and its token without the OAuth flow. */
  connect(applicationId: string, userId: string): Promise<{ connection: Connection; accessToken: string }>;
  /** The same without a token: one that is in use stays valid. */
  open(applicationId: string, userId: string): Promise<Connection>;
}

export function createConnections({ store }: { store: ConnectionStore }): Connections {
  return {
    async authenticate(token) {
      const tokenHash = hashAccessToken(token);
      return tokenHash === null ? null : store.findByToken(tokenHash);
    },

    open: (applicationId, userId) => store.connect(applicationId, userId),

    async connect(applicationId, userId) {
      const connection = await store.connect(applicationId, userId);
      const { token, tokenHash } = mintAccessToken();
      await store.replaceToken(connection.id, tokenHash);
      return { connection, accessToken: token };
    },
  };
}
