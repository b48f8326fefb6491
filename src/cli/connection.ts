import type { Command } from "commander";
import { parseEmail } from "../accounts/person.ts";
import type { Operations } from "../app/operations.ts";
import type { Config } from "../config/config.ts";
import { type Connection, type Connections, deleteSignIn, type ListedConnection } from "../connections/connections.ts";
import type { SignInCredentials } from "../connections/sign-in/store-credentials.ts";
import type { SignInStore } from "../connections/vault/saved-sign-in.ts";
import type { ConsoleConnectionStore } from "../console/connections.ts";
import { systemClock } from "../lib/clock.ts";
import { CallerError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { Database } from "../storage/database.ts";
import { withOperations, withStorage } from "./database.ts";
import { type CommonOptions, DATA_DIR_OPTION, JSON_OPTION, toCommandOptions } from "./options.ts";
import { printResult, showProgress, toMinute, toTable } from "./output.ts";

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
  addCreate(connection);
  addImportSignIn(connection);
  addStoreCredentials(connection);
  addDeleteCredentials(connection);
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
      const userEmail = options.user === undefined ? null : readEmail(options.user);
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

function addCreate(connection: Command): void {
  connection
    .command("create")
    .description("connect a user to an application, without consent and without a token")
    .requiredOption("--application <id>", "the application's id")
    .requiredOption("--user <email>", "the user's email address; the user is created if necessary")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nAn existing connection stays as it is. errand connect also prints an access token.")
    .action(async (options: CommonOptions & { application: string; user: string }) => {
      const email = readEmail(options.user);
      const { connection, hasSignIn } = await withOperations(options, async ({ applications, connections, people }) => {
        const application = await applications.get(options.application);
        const opened = await connections.open(application.id, (await people.findOrCreate(email)).id);
        return { connection: opened, hasSignIn: application.signInUrl !== null };
      });
      const { id, state } = connection;
      const next = `errand connection import-sign-in --connection ${id} --storage-state <file>`;
      printResult(options.json, { connection_id: id, state }, [
        `Connected ${email}.`,
        `  connection     ${id}`,
        ...(hasSignIn
          ? [
              "If they are not signed in to the site yet: through the authorization link, or with",
              `  ${next}${toCommandOptions(options)}`,
            ]
          : []),
      ]);
    });
}

interface ImportOptions extends ConnectionOptions {
  storageState: string;
  url?: string;
}

const IMPORT_HELP = `
The file is a storage state of Playwright: await context.storageState({ path: "state.json", indexedDB: true }).
Session storage, which Playwright leaves out, can be added to it:
  "sessionStorage": [{ "origin": "https://shop.example", "entries": [{ "name": "token", "value": "…" }] }]

The site is opened with it. The sign-in is kept, encrypted, only if the site shows that the user is signed in; it replaces
a previous one. Delete the file afterwards: whoever has it is signed in as the user.`;

function addImportSignIn(connection: Command): void {
  addOne(connection, "import-sign-in", "save a sign-in that was made elsewhere, if the site recognizes it")
    .requiredOption("--storage-state <file>", "storage state of Playwright; - reads standard input")
    .option("--url <url>", "a page that only signed-in users see (default: the application's rule, or its home page)")
    .addHelpText("after", IMPORT_HELP)
    .action(async (options: ImportOptions) => {
      // Loaded lazily, so that help needs no packages.
      const { readJsonFile } = await import("./text-input.ts");
      const state = await readJsonFile(options.storageState, "--storage-state");
      await withConnection(options, async (opened) => {
        showProgress("Opening the site to check the sign-in");
        await (await createImports(opened)).import(opened.connection, state, options.url ?? null);
      });
      printResult(options.json, { imported: true }, [
        "The site recognizes the user. The sign-in is saved, and the connection is active.",
      ]);
    });
}

const CREDENTIALS_HELP = `
Asks for the user name, the password and the secret of one-time codes. Without a terminal they are read from standard
input, one per line. They are encrypted, and nothing shows them again. When the saved sign-in has expired, Errand signs in
with them, once. The application must allow stored credentials, and the connection must have a saved sign-in.`;

function addStoreCredentials(connection: Command): void {
  addOne(connection, "store-credentials", "store a user name and password, so that an expired sign-in renews itself")
    .addHelpText("after", CREDENTIALS_HELP)
    .action(async (options: ConnectionOptions) => {
      const { readCredentials } = await import("./credentials.ts");
      const entry = await readCredentials();
      const { code } = await withConnection(options, async (opened) =>
        (await createCredentials(opened)).store(opened.connection, entry),
      );
      printResult(options.json, { stored: true, code }, [
        "Stored, encrypted. The sign-in renews itself.",
        ...(code === null ? [] : [`The one-time code is ${code} now. An authenticator app must show the same.`]),
      ]);
    });
}

function addDeleteCredentials(connection: Command): void {
  addOne(connection, "delete-credentials", "delete the stored user name and password; the saved sign-in stays").action(
    async (options: ConnectionOptions) => {
      const isDeleted = await withConnection(options, async (opened) =>
        (await createCredentials(opened)).delete(opened.id),
      );
      printResult(options.json, { deleted: isDeleted }, [
        isDeleted ? "The stored credentials are deleted." : "The connection has no stored credentials.",
      ]);
    },
  );
}

async function createCredentials({ applications, config, database }: OpenedConnection): Promise<SignInCredentials> {
  const [{ createSignInCredentials }, { createCredentialStore }, { createVault }, { createKeyRing }] =
    await Promise.all([
      import("../connections/sign-in/store-credentials.ts"),
      import("../storage/sql/credentials.ts"),
      import("../connections/vault/vault.ts"),
      import("../config/master-keys.ts"),
    ]);
  const vault = createVault(createKeyRing(config));
  return createSignInCredentials({ applications, store: createCredentialStore(database), vault, clock: systemClock });
}

async function createImports({ config, applications, signIns, parts, logger }: OpenedConnection) {
  const [
    { createConfiguredBrowsers, createLiveBrowserOpener },
    { createSignInImports },
    { createVault },
    { createKeyRing },
    { readDemoPort },
  ] = await Promise.all([
    import("../app/configured-browsers.ts"),
    import("../connections/sign-in/import-sign-in.ts"),
    import("../connections/vault/vault.ts"),
    import("../config/master-keys.ts"),
    import("../app/demo-shop.ts"),
  ]);
  const pool = parts.use(createConfiguredBrowsers(config, { warm: 0, logger }));
  const demo = config.demo ? [`127.0.0.1:${readDemoPort(config.dataDir)}`] : [];
  const privateHosts = [...config.allowHosts, ...demo];
  return createSignInImports({
    applications,
    openBrowser: createLiveBrowserOpener({ pool, privateHosts, clock: systemClock }),
    signIns,
    vault: createVault(createKeyRing(config)),
    maxLive: 1,
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

function readEmail(text: string): string {
  const email = parseEmail(text);
  if (email === null) throw new CallerError("INVALID_REQUEST", `${text} is not an email address.`);
  return email;
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
  connection: Connection;
  config: Config;
  database: Database;
  logger: Logger;
  /** Closed when the work is done. */
  parts: AsyncDisposableStack;
  applications: Operations["applications"];
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
    await using parts = new AsyncDisposableStack();
    const { applications, connections } = createOperations(database);
    const connection = await connections.get(options.connection);
    return await work({
      id: connection.id,
      connection,
      config,
      database,
      logger,
      parts,
      applications,
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
