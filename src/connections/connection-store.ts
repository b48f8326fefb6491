import type { Connection } from "./connection.ts";

export interface ConnectionStore {
  /** One per (application, user): the same user connecting again keeps the id and becomes active. */
  connect(applicationId: string, userId: string): Promise<Connection>;
  /** Replaces the connection's live token, if any: there is never more than one. */
  replaceToken(connectionId: string, tokenHash: Buffer): Promise<void>;
  findByToken(tokenHash: Buffer): Promise<Connection | null>;
}
