import type { Command } from "commander";
import { parseEmail } from "../accounts/person.ts";
import { deleteSignIn, type ListedConnection } from "../connections/connections.ts";
import { CallerError } from "../lib/errors.ts";
import { withOperations, withStorage } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";

interface ListOptions extends CommonOptions {
  application?: string;
  user?: string;
}

export function addConnectionCommands(program: Command): void {
  const connection = program.command("connection").description("users' links to applications, and their sign-ins");
  addList(connection);
  addDeleteSignIn(connection);
}

function addList(connection: Command): void {
  connection
    .command("list")
    .description("list connections: whose they are, whether they work, when the user last signed in to the site")
    .option("--application <id>", "only those to this application")
    .option("--user <email>", "only those of this user")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(async (options: ListOptions) => {
      const userEmail = options.user === undefined ? null : parseEmail(options.user);
      if (options.user !== undefined && userEmail === null) {
        throw new CallerError("INVALID_REQUEST", `${options.user} is not an e-mail address.`);
      }
      const connections = await withOperations(options, async (operations) => {
        const { application } = options;
        const applicationId = application === undefined ? null : (await operations.applications.get(application)).id;
        return operations.connections.list({ applicationId, userEmail });
      });
      printResult(
        options.json,
        { connections: connections.map(describe) },
        connections.length === 0 ? ["There are no such connections."] : toTable(connections),
      );
    });
}

function addDeleteSignIn(connection: Command): void {
  connection
    .command("delete-sign-in")
    .description("forget by what the site knows the user; the connection stays, and waits for them to sign in again")
    .requiredOption("--connection <id>", "the connection's id")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExecutions that wait are canceled, and one that runs is stopped.")
    .action(async (options: CommonOptions & { connection: string }) => {
      const isDeleted = await deleteSavedSignIn(options);
      printResult(options.json, { deleted: isDeleted }, [
        isDeleted
          ? "The saved sign-in is deleted. The authorization link lets the user sign in again."
          : "There was no saved sign-in, and nothing has changed.",
      ]);
    });
}

async function deleteSavedSignIn(options: CommonOptions & { connection: string }): Promise<boolean> {
  // Loaded here, so that a command that is only explained or refused need not wait for it.
  const [{ createOperations }, { createNotifications }, { createSignInStore }] = await Promise.all([
    import("../app/operations.ts"),
    import("../storage/notifications.ts"),
    import("../storage/sql/sign-ins.ts"),
  ]);
  return withStorage(options, async ({ database, connectionString }, _config, logger) => {
    // Whoever runs one of its executions hears of it at once.
    await using hints = createNotifications({ connectionString, pool: database.pool, logger });
    const { connections } = createOperations(database);
    return await deleteSignIn(options.connection, { connections, signIns: createSignInStore(database, hints) });
  });
}

function describe(connection: ListedConnection) {
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

function toTable(connections: ListedConnection[]): string[] {
  const rows = connections.map(({ id, state, userEmail, applicationName, signedInAt, checkedAt }) => [
    id,
    state,
    signedInAt === null ? "no sign-in" : toMinute(signedInAt),
    checkedAt === null ? "" : toMinute(checkedAt),
    userEmail,
    applicationName,
  ]);
  const table = [["id", "state", "signed in", "last checked", "user", "application"], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** In UTC, as everything that is printed. */
function toMinute(date: Date): string {
  return date.toISOString().slice(0, 16).replace("T", " ");
}
