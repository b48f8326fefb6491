import type { Connection, ConnectionFilter, ListedConnection } from "./connection.ts";

export interface ConnectionStore {
  /**
   * One per (application, user): the same user connecting again keeps the id. They become active, unless the application
   * has a sign-in page: then only signing in there again makes them so.
   */
  connect(applicationId: string, userId: string): Promise<Connection>;
  /** Replaces the connection's live token, if any: there is never more than one. */
  replaceToken(connectionId: string, tokenHash: Buffer): Promise<void>;
  find(id: string): Promise<Connection | null>;
  /** The oldest first. */
  list(filter: ConnectionFilter): Promise<ListedConnection[]>;
  findByToken(tokenHash: Buffer): Promise<Connection | null>;
}
