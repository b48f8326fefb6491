import { CallerError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { isWellFormedSecret, mintSecret } from "../lib/secret-token.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { SignInStore } from "./vault/saved-sign-in.ts";

export interface Connections {
  /** The connection of a bearer token; null for an unknown or revoked token. */
  authenticate(token: string): Promise<Connection | null>;
  /** For operators: a connection and its token without the OAuth flow. */
  connect(applicationId: string, userId: string): Promise<{ connection: Connection; accessToken: string }>;
  /** As `connect`, but issues no token: an existing token stays valid. */
  open(applicationId: string, userId: string): Promise<Connection>;
  /** Throws when there is no such connection. */
  get(id: string): Promise<Connection>;
  list(filter: ConnectionFilter): Promise<ListedConnection[]>;
  getTerms(id: string): Promise<ConnectionTerms>;
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
    getTerms: (id) => store.getTerms(id),

    open: (applicationId, userId) => store.connect(applicationId, userId),

    async connect(applicationId, userId) {
      const connection = await store.connect(applicationId, userId);
      const { token, tokenHash } = mintAccessToken();
      await store.replaceToken(connection.id, tokenHash);
      return { connection, accessToken: token };
    },
  };
}

export interface Connection {
  id: string;
  applicationId: string;
  userId: string;
  state: "ACTIVE" | "REAUTHORIZATION_REQUIRED";
}

/** A connection as an operator sees it in a list. */
export interface ListedConnection extends Connection {
  applicationName: string;
  userEmail: string;
  createdAt: Date;
  /** When the user last signed in by hand, and when the saved sign-in was last checked; null without a saved sign-in. */
  signedInAt: Date | null;
  checkedAt: Date | null;
}

interface ConnectionFilter {
  applicationId: string | null;
  userEmail: string | null;
}

/** What an execution on the connection is subject to. */
export interface ConnectionTerms {
  /** `commits`: the application or the user wants to be asked before commits. */
  approval: "never" | "commits";
  /** The credits of the application's owner. */
  balance: number;
}

export interface ConnectionStore {
  /**
   * One per (application, user): the same user connecting again keeps the id. The connection becomes active, unless the
   * application has a sign-in page: then only a new sign-in makes it active.
   */
  connect(applicationId: string, userId: string): Promise<Connection>;
  /** Replaces the connection's token, if any: there is never more than one. */
  replaceToken(connectionId: string, tokenHash: Buffer): Promise<void>;
  find(id: string): Promise<Connection | null>;
  /** Oldest first. */
  list(filter: ConnectionFilter): Promise<ListedConnection[]>;
  findByToken(tokenHash: Buffer): Promise<Connection | null>;
  getTerms(id: string): Promise<ConnectionTerms>;
}

const ACCESS_TOKEN_PREFIX = "errand_ct_";

export function mintAccessToken(): { token: string; tokenHash: Buffer } {
  const token = mintSecret(ACCESS_TOKEN_PREFIX);
  return { token, tokenHash: sha256(token) };
}

/** Null for a text that cannot be one of our tokens, which saves the lookup. */
export function hashAccessToken(token: string): Buffer | null {
  return isWellFormedSecret(ACCESS_TOKEN_PREFIX, token) ? sha256(token) : null;
}

interface DeletionParts {
  connections: Pick<Connections, "get">;
  signIns: Pick<SignInStore, "delete">;
}

/**
 * Deletes the saved sign-in and cancels executions that would use it. The connection and its token stay, in
 * REAUTHORIZATION_REQUIRED. False when there was no saved sign-in; throws when there is no such connection.
 */
export async function deleteSignIn(connectionId: string, { connections, signIns }: DeletionParts): Promise<boolean> {
  const { id } = await connections.get(connectionId);
  return signIns.delete(id);
}
