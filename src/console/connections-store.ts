import type { Application } from "../applications/application.ts";
import type { Connection } from "../connections/connection.ts";
import type { ExecutionStatus } from "../contract/execution.ts";
import type { Visitor } from "./visitor.ts";

/** A connection as the application's owner and its user see it. */
export interface SeenConnection extends Connection {
  application: Pick<Application, "name" | "access" | "homeUrl" | "signInUrl" | "allowedHosts">;
  userEmail: string;
  hasToken: boolean;
  /** Null without a saved sign-in. */
  signedInAt: Date | null;
  lastExecution: { id: string; status: ExecutionStatus; createdAt: Date } | null;
  createdAt: Date;
}

export interface ConnectionPage {
  /** The last one of the page before. */
  after: string | null;
  limit: number;
  /** Stands anywhere in what tells them apart, whatever its case. */
  text: string | null;
}

export interface ConsoleConnectionStore {
  /** Newest first, told apart by the user's e-mail address. Null when the cursor is none of these. */
  listOfApplication(ownerId: string, applicationId: string, page: ConnectionPage): Promise<SeenConnection[] | null>;
  /** Newest first, told apart by the application's name. Null when the cursor is none of these. */
  listOfUser(userId: string, page: ConnectionPage): Promise<SeenConnection[] | null>;
  /** Null unless the visitor owns its application, or is its user. */
  find(visitor: Visitor, id: string): Promise<SeenConnection | null>;
  requireSignIn(id: string): Promise<void>;
  /** With the codes that could still become one; with `requiresSignIn` nothing else opens it either, from the same moment. */
  deleteToken(id: string, change: { requiresSignIn: boolean }): Promise<void>;
  /**
   * Ends its executions, so that no worker writes anything any more, and forgets them with everything they have kept. The
   * ledger stays.
   */
  delete(id: string): Promise<void>;
}
