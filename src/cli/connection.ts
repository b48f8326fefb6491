import type { Command } from "commander";
import { parseEmail } from "../accounts/person.ts";
import { type Connections, deleteSignIn, type ListedConnection } from "../connections/connections.ts";
import type { SignInStore } from "../connections/vault/saved-sign-in.ts";
import type { ConsoleConnectionStore } from "../console/connections.ts";
import { CallerError } from "../lib/errors.ts";
import { withOperations, withStorage } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION } from "./options.ts";
import { printResult, toMinute, toTable } from "./output.ts";

interface ListOptions extends CommonOptions {
  application?: string;
  user?: string;
}

interface ConnectionOptions extends CommonOptions {
  connection: string;
}

export function addConnectionCommands(program: Command): void {
  const connection = program.command("connection").description("manage connections of users to applications");
  addList(connection);
  addRevokeToken(connection);
  addDeleteSignIn(connection);
  addDelete(connection);
}

function addList(connection: Command): void {
  connection
    .command("list")
    .description("list connections with their user, state and last sign-in")
    .option("--application <id>", "only connections to this application")
    .option("--user <email>", "only connections of this user")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: ListOptions) => {
      const userEmail = options.user === undefined ? null : parseEmail(options.user);
      if (options.user !== undefined && userEmail === null) {
        throw new CallerError("INVALID_REQUEST", `${options.user} is not an email address.`);
      }
      const connections = await withOperations(options, async (operations) => {
        const { application } = options;
        const applicationId = application === undefined ? null : (await operations.applications.get(application)).id;
        return operations.connections.list({ applicationId, userEmail });
      });
      printResult(
        options.json,
        { connections: connections.map(toJson) },
        connections.length === 0 ? ["No connections found."] : toTable([HEADINGS, ...connections.map(toRow)]),
      );
    });
}

function addRevokeToken(connection: Command): void {
  addOne(connection, "revoke-token", "revoke the access token of a connection")
    .addHelpText(
      "after",
      "\nThe connection, its saved sign-in and its executions stay. The application gets a new token when the user authorizes\n" +
        "it again, or with errand connect.",
    )
    .action(async (options: ConnectionOptions) => {
      await withConnection(options, ({ id, store }) => store.deleteToken(id));
      printResult(options.json, { revoked: true }, ["The access token of the connection is revoked."]);
    });
}

function addDeleteSignIn(connection: Command): void {
  addOne(connection, "delete-sign-in", "delete the saved sign-in of a connection; the connection stays")
    .addHelpText(
      "after",
      "\nQueued executions are canceled and a running one is stopped. Nothing runs until the user signs in again.",
    )
    .action(async (options: ConnectionOptions) => {
      const isDeleted = await withConnection(options, ({ id, connections, signIns }) =>
        deleteSignIn(id, { connections, signIns }),
      );
      printResult(options.json, { deleted: isDeleted }, [
        isDeleted
          ? "The saved sign-in is deleted. The user can sign in again through the authorization link."
          : "The connection has no saved sign-in. Nothing was changed.",
      ]);
    });
}

function addDelete(connection: Command): void {
  addOne(connection, "delete", "delete a connection with its token, saved sign-in and executions")
    .addHelpText(
      "after",
      "\nQueued and running executions are ended and not charged. Events and artifacts are deleted, too; the credit ledger stays.",
    )
    .action(async (options: ConnectionOptions) => {
      await withConnection(options, ({ id, store }) => store.delete(id));
      printResult(options.json, { deleted: true }, ["The connection is deleted."]);
    });
}

function addOne(connection: Command, name: string, description: string): Command {
  return connection
    .command(name)
    .description(description)
    .requiredOption("--connection <id>", "the connection's id (see errand connection list)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION);
}

interface OpenedConnection {
  id: string;
  connections: Connections;
  signIns: SignInStore;
  store: ConsoleConnectionStore;
}

/** Throws when there is no such connection. */
async function withConnection<Result>(
  options: ConnectionOptions,
  work: (opened: OpenedConnection) => Promise<Result>,
): Promise<Result> {
  // Loaded lazily, so that --help and usage errors are fast.
  const [
    { createOperations },
    { openArtifactFiles },
    { createNotifications },
    { createConsoleConnectionStore },
    { createSignInStore },
  ] = await Promise.all([
    import("../app/operations.ts"),
    import("../storage/artifacts/artifact-files.ts"),
    import("../storage/notifications.ts"),
    import("../storage/sql/connections.ts"),
    import("../storage/sql/sign-ins.ts"),
  ]);
  return withStorage(options, async ({ database, connectionString }, config, logger) => {
    // Tells workers at once that an execution was ended or should stop.
    await using notifications = createNotifications({ connectionString, pool: database.pool, logger });
    using files = openArtifactFiles(config);
    const { connections } = createOperations(database);
    const { id } = await connections.get(options.connection);
    return await work({
      id,
      connections,
      signIns: createSignInStore(database, notifications),
      store: createConsoleConnectionStore({ database, notifications, files }),
    });
  });
}

function toJson(connection: ListedConnection) {
  return {
    id: connection.id,
    application_id: connection.applicationId,
    application_name: connection.applicationName,
    user_id: connection.userId,
    user_email: connection.userEmail,
    state: connection.state,
    created_at: connection.createdAt.toISOString(),
    signed_in_at: connection.signedInAt?.toISOString() ?? null,
    checked_at: connection.checkedAt?.toISOString() ?? null,
  };
}

const HEADINGS = ["id", "state", "signed in", "last checked", "user", "application"];

function toRow({ id, state, userEmail, applicationName, signedInAt, checkedAt }: ListedConnection): string[] {
  return [
    id,
    state,
    signedInAt === null ? "no sign-in" : toMinute(signedInAt),
    checkedAt === null ? "" : toMinute(checkedAt),
    userEmail,
    applicationName,
  ];
}
