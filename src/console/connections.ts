import type { Application } from "../applications/application.ts";
import type { Connection } from "../connections/connections.ts";
import { RENEWAL_FAILURES } from "../connections/vault/credentials.ts";
import type {
  ConnectionList,
  ConnectionQuery,
  ConsoleConnection,
  CredentialsBody,
  StoredCredentials,
} from "../contract/console/applications.ts";
import type { ExecutionStatus } from "../contract/execution.ts";
import { isMonthLower, type SpendingLimits } from "../contract/spending.ts";
import { CallerError } from "../lib/errors.ts";
import { formatMoney } from "../lib/money.ts";
import { isStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { ConsoleApplications } from "./applications.ts";
import type { Visitor } from "./visitor.ts";

/**
 * Connections as the console manages them. The application's owner and the connection's user have the same rights. For
 * everybody else the connection does not exist.
 */
export interface ConsoleConnections {
  listOfApplication(ownerId: string, applicationId: string, query: ConnectionQuery): Promise<ConnectionList>;
  /** The apps that may act for this user. */
  listOfUser(userId: string, query: ConnectionQuery): Promise<ConnectionList>;
  /** Ends everything that runs. Nothing runs until the user has consented again. Token, sign-in and history stay. */
  stop(visitor: Visitor, id: string): Promise<ConsoleConnection>;
  /** Stops, revokes the token and deletes the saved sign-in. The history stays. */
  disconnect(visitor: Visitor, id: string): Promise<ConsoleConnection>;
  /** Disconnects and deletes the history. */
  delete(visitor: Visitor, id: string): Promise<void>;
  /** Only for the connection's user: a sign-in that was made elsewhere, as a storage state of Playwright. */
  importSignIn(visitor: Visitor, id: string, given: unknown, url: string | null): Promise<ConsoleConnection>;
  /** Only for the connection's user. */
  storeCredentials(visitor: Visitor, id: string, given: CredentialsBody): Promise<StoredCredentials>;
  /** For the connection's user and the application's owner. */
  deleteCredentials(visitor: Visitor, id: string): Promise<void>;
}

interface ConsoleConnectionsDependencies {
  credentials: {
    store(
      connection: Connection,
      entry: { userName: string; password: string; totpSecret: string },
    ): Promise<{ code: string | null }>;
    delete(connectionId: string): Promise<boolean>;
  };
  store: ConsoleConnectionStore;
  applications: Pick<ConsoleApplications, "requireOwned">;
  /** Null in a process without browsers. */
  signInImports: {
    import(connection: Connection, given: unknown, url: string | null): Promise<void>;
  } | null;
}

const DEFAULT_LIMIT = 50;

export function createConsoleConnections(dependencies: ConsoleConnectionsDependencies): ConsoleConnections {
  const { store, applications, signInImports, credentials } = dependencies;

  async function get(visitor: Visitor, id: string): Promise<VisibleConnection> {
    const uuid = parseUuid(id);
    const connection = uuid === null ? null : await store.find(visitor, uuid);
    if (connection === null) throw new CallerError("NOT_FOUND", "You have no connection with this id.");
    return connection;
  }

  /** The owner of the application must not decide as whom it acts. */
  async function getOwn(visitor: Visitor, id: string, problem: string): Promise<VisibleConnection> {
    const connection = await get(visitor, id);
    if (connection.userId !== visitor.person.id) throw new CallerError("NOT_FOUND", problem);
    return connection;
  }

  return {
    async listOfApplication(ownerId, applicationId, query) {
      const id = await applications.requireOwned(ownerId, applicationId);
      return listPage(query, (page) => store.listOfApplication(ownerId, id, page));
    },

    listOfUser: (userId, query) => listPage(query, (page) => store.listOfUser(userId, page)),

    async stop(visitor, id) {
      await store.stop((await get(visitor, id)).id);
      return toWire(await get(visitor, id));
    },

    async disconnect(visitor, id) {
      await store.disconnect((await get(visitor, id)).id);
      return toWire(await get(visitor, id));
    },

    async delete(visitor, id) {
      await store.delete((await get(visitor, id)).id);
    },

    async importSignIn(visitor, id, given, url) {
      const connection = await getOwn(visitor, id, "Only the user of a connection can import a sign-in for it.");
      if (signInImports === null) throw new CallerError("UNAVAILABLE", "No browser is available to check the sign-in.");
      await signInImports.import(connection, given, url);
      return toWire(await get(visitor, id));
    },

    async storeCredentials(visitor, id, { user_name: userName, password, totp_secret: totpSecret = "" }) {
      const connection = await getOwn(visitor, id, "Only the user of a connection can store credentials for it.");
      const { code } = await credentials.store(connection, { userName, password, totpSecret });
      return { connection: toWire(await get(visitor, id)), code };
    },

    async deleteCredentials(visitor, id) {
      await credentials.delete((await get(visitor, id)).id);
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
      stored_credentials: application.storedCredentials,
    },
    user: { id: connection.userId, email: connection.userEmail },
    state: connection.state,
    has_token: connection.hasToken,
    approval: connection.approval,
    spending_limits: connection.spendingLimits && toWireLimits(connection.spendingLimits),
    signed_in_at: connection.signedInAt?.toISOString() ?? null,
    renewal: connection.renewal && {
      saved_at: connection.renewal.savedAt.toISOString(),
      renewed_at: connection.renewal.renewedAt?.toISOString() ?? null,
      failed_at: connection.renewal.failedAt?.toISOString() ?? null,
      failure: describeFailure(connection.renewal.failure),
    },
    last_execution:
      lastExecution === null
        ? null
        : { id: lastExecution.id, status: lastExecution.status, created_at: lastExecution.createdAt.toISOString() },
    created_at: connection.createdAt.toISOString(),
  };
}

function describeFailure(failure: string | null): string | null {
  if (failure === null) return null;
  const failures: Readonly<Record<string, string>> = RENEWAL_FAILURES;
  return failures[failure] ?? "Signing in failed.";
}

function toWireLimits(limits: SpendingLimits): ConsoleConnection["spending_limits"] {
  const { currency, perErrand, perMonth } = limits;
  const toText = (minorUnits: number | null) => (minorUnits === null ? null : formatMoney({ minorUnits, currency }));
  return { per_errand: toText(perErrand), per_month: toText(perMonth), is_month_lower: isMonthLower(limits) };
}

/** The hosts that the consent page named. */
function listHosts({ homeUrl, signInUrl, allowedHosts }: VisibleConnection["application"]): string[] {
  const urls = [homeUrl, signInUrl].map((text) => (text === null ? null : URL.parse(text)));
  return [...new Set([...urls.flatMap((url) => (url === null ? [] : [url.host])), ...allowedHosts])];
}

/** A connection as its application's owner and its user see it. */
export interface VisibleConnection extends Connection {
  application: Pick<Application, "name" | "access" | "homeUrl" | "signInUrl" | "allowedHosts" | "storedCredentials">;
  userEmail: string;
  hasToken: boolean;
  /** What the user chose at consent. */
  approval: "never" | "commits";
  spendingLimits: SpendingLimits | null;
  /** Null without a saved sign-in. */
  signedInAt: Date | null;
  /** Null without stored credentials. */
  renewal: { savedAt: Date; renewedAt: Date | null; failedAt: Date | null; failure: string | null } | null;
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
  /**
   * Sets REAUTHORIZATION_REQUIRED, ends queued executions and asks running ones to stop. An execution created afterwards is
   * refused.
   */
  stop(id: string): Promise<void>;
  /** As `stop`, and in the same transaction deletes the token, unused codes, the saved sign-in and sign-in attempts. */
  disconnect(id: string): Promise<void>;
  /** Also deletes unused codes. */
  deleteToken(id: string): Promise<void>;
  /**
   * Ends its executions, so that no worker writes anything any more, and deletes them with their events and artifacts. The
   * ledger stays.
   */
  delete(id: string): Promise<void>;
}
