import type { Application } from "../applications/application.ts";
import type { Connection } from "../connections/connections.ts";
import type { SignInStore } from "../connections/vault/saved-sign-in.ts";
import type { ConnectionList, ConnectionQuery, ConsoleConnection } from "../contract/console/applications.ts";
import type { ExecutionStatus } from "../contract/execution.ts";
import { CallerError } from "../lib/errors.ts";
import { isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { ConsoleApplications } from "./applications.ts";
import type { Visitor } from "./visitor.ts";

/**
 * Connections as the console manages them. The application's owner and the connection's user have the same rights, but what
 * the user revokes the owner cannot use. For everybody else the connection does not exist.
 */
export interface ConsoleConnections {
  listOfApplication(ownerId: string, applicationId: string, query: ConnectionQuery): Promise<ConnectionList>;
  /** The apps that may act for this user. */
  listOfUser(userId: string, query: ConnectionQuery): Promise<ConnectionList>;
  /** Nothing runs until the user has consented and signed in again. */
  requireSignIn(visitor: Visitor, id: string): Promise<ConsoleConnection>;
  /** When the user revokes it, nothing runs until they consent again: the owner's console works without a token. */
  deleteToken(visitor: Visitor, id: string): Promise<void>;
  /** Also cancels executions that would use it. */
  deleteSignIn(visitor: Visitor, id: string): Promise<void>;
  delete(visitor: Visitor, id: string): Promise<void>;
}

interface ConsoleConnectionsDependencies {
  store: ConsoleConnectionStore;
  applications: Pick<ConsoleApplications, "requireOwned">;
  signIns: Pick<SignInStore, "delete">;
}

const DEFAULT_LIMIT = 50;

export function createConsoleConnections({
  store,
  applications,
  signIns,
}: ConsoleConnectionsDependencies): ConsoleConnections {
  async function get(visitor: Visitor, id: string): Promise<VisibleConnection> {
    const uuid = parseUuid(id);
    const connection = uuid === null ? null : await store.find(visitor, uuid);
    if (connection === null) throw new CallerError("NOT_FOUND", "You have no connection with this id.");
    return connection;
  }

  return {
    async listOfApplication(ownerId, applicationId, query) {
      const id = await applications.requireOwned(ownerId, applicationId);
      return listPage(query, (page) => store.listOfApplication(ownerId, id, page));
    },

    listOfUser: (userId, query) => listPage(query, (page) => store.listOfUser(userId, page)),

    async requireSignIn(visitor, id) {
      const connection = await get(visitor, id);
      await store.requireSignIn(connection.id);
      return toWire(await get(visitor, id));
    },

    async deleteToken(visitor, id) {
      const connection = await get(visitor, id);
      await store.deleteToken(connection.id, { requiresSignIn: connection.userId === visitor.person.id });
    },

    async deleteSignIn(visitor, id) {
      await signIns.delete((await get(visitor, id)).id);
    },

    async delete(visitor, id) {
      await store.delete((await get(visitor, id)).id);
    },
  };
}

async function listPage(
  { after, limit = DEFAULT_LIMIT, text }: ConnectionQuery,
  list: (page: ConnectionPage) => Promise<VisibleConnection[] | null>,
): Promise<ConnectionList> {
  const cursor = after === undefined ? null : parseUuid(after);
  const isBroken = after !== undefined && cursor === null;
  if (text !== undefined && !isStorableText(text)) {
    const message = "must not contain NUL characters or lone surrogates";
    throw new CallerError("INVALID_REQUEST", `text ${message}.`, { details: [{ path: "text", message }] });
  }
  // One more than requested shows whether there are more.
  const page = { after: cursor, limit: limit + 1, text: text === undefined || text === "" ? null : text };
  const found = isBroken ? null : await list(page);
  if (found === null) {
    throw new CallerError("INVALID_CURSOR", "after must be the id of the last connection of the previous page.");
  }
  return { connections: found.slice(0, limit).map(toWire), has_more: found.length > limit };
}

function toWire(connection: VisibleConnection): ConsoleConnection {
  const { application, lastExecution } = connection;
  return {
    id: connection.id,
    application: {
      id: connection.applicationId,
      name: application.name,
      access: application.access,
      hosts: listHosts(application),
    },
    user: { id: connection.userId, email: connection.userEmail },
    state: connection.state,
    has_token: connection.hasToken,
    signed_in_at: connection.signedInAt?.toISOString() ?? null,
    last_execution:
      lastExecution === null
        ? null
        : { id: lastExecution.id, status: lastExecution.status, created_at: lastExecution.createdAt.toISOString() },
    created_at: connection.createdAt.toISOString(),
  };
}

/** The hosts that the consent page named. */
function listHosts({ homeUrl, signInUrl, allowedHosts }: VisibleConnection["application"]): string[] {
  const urls = [homeUrl, signInUrl].map((text) => (text === null ? null : URL.parse(text)));
  return [...new Set([...urls.flatMap((url) => (url === null ? [] : [url.host])), ...allowedHosts])];
}

/** A connection as its application's owner and its user see it. */
export interface VisibleConnection extends Connection {
  application: Pick<Application, "name" | "access" | "homeUrl" | "signInUrl" | "allowedHosts">;
  userEmail: string;
  hasToken: boolean;
  /** Null without a saved sign-in. */
  signedInAt: Date | null;
  lastExecution: { id: string; status: ExecutionStatus; createdAt: Date } | null;
  createdAt: Date;
}

export interface ConnectionPage {
  /** The last one of the previous page. */
  after: string | null;
  limit: number;
  /** Case-insensitive part of the user's email address or the application's name. */
  text: string | null;
}

export interface ConsoleConnectionStore {
  /** Newest first; `text` searches email addresses. Null when the cursor is not in the list. */
  listOfApplication(ownerId: string, applicationId: string, page: ConnectionPage): Promise<VisibleConnection[] | null>;
  /** Newest first; `text` searches application names. Null when the cursor is not in the list. */
  listOfUser(userId: string, page: ConnectionPage): Promise<VisibleConnection[] | null>;
  /** Null unless the visitor owns its application or is its user. */
  find(visitor: Visitor, id: string): Promise<VisibleConnection | null>;
  requireSignIn(id: string): Promise<void>;
  /** Also deletes unused codes; with `requiresSignIn` also sets REAUTHORIZATION_REQUIRED, in the same transaction. */
  deleteToken(id: string, change: { requiresSignIn: boolean }): Promise<void>;
  /**
   * Ends its executions, so that no worker writes anything any more, and deletes them with their events and artifacts. The
   * ledger stays.
   */
  delete(id: string): Promise<void>;
}
