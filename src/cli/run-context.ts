import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createConfiguredBrowsers } from "../app/configured-browsers.ts";
import { explainOpenFailure } from "../app/database-advice.ts";
import { openDemoShop, readDemoPort } from "../app/demo-shop.ts";
import { createOperations, type Operations } from "../app/operations.ts";
import type { Application } from "../applications/application.ts";
import type { Config } from "../config/config.ts";
import { createKeyRing } from "../config/master-keys.ts";
import type { Connection } from "../connections/connections.ts";
import { type Artifacts, createArtifacts } from "../executions/artifacts.ts";
import type { CreateDependencies } from "../executions/create-execution.ts";
import { isTerminal } from "../executions/execution.ts";
import type { ExecutionStore } from "../executions/execution-store.ts";
import { createExecutions, type Executions } from "../executions/executions.ts";
import { createInteractions, type Interactions } from "../executions/interactions.ts";
import { CallerError, describeError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { Backoff } from "../lib/waiting.ts";
import { openArtifactFiles } from "../storage/artifacts/artifact-files.ts";
import { type Database, isUnavailable } from "../storage/database.ts";
import { createNotifications, type Notifications } from "../storage/notifications.ts";
import { createArtifactStore } from "../storage/sql/artifacts.ts";
import { createExecutionStore } from "../storage/sql/executions.ts";
import { createInteractionStore } from "../storage/sql/interactions.ts";
import { createRecipeMatchStore } from "../storage/sql/recipes.ts";
import { openStorage } from "../storage/storage.ts";
import { explainConnectionLoss } from "./database.ts";
import { UsageError } from "./failure.ts";
import { createProcessLogger } from "./log-output.ts";
import { type ConfigOptions, loadConfig } from "./options.ts";
import { showProgress } from "./output.ts";

interface RunContextOptions extends ConfigOptions {
  prompt: string;
  application?: string;
  /** Instead of the operator's connection to the application. */
  connection?: string;
  startUrl?: string;
  /** Whether somebody at this terminal can answer what the run asks. */
  isAttended: boolean;
  /** Called once for each outage; the run waits for the database. */
  onDatabaseUnavailable(): void;
  /** Omitted by a command that has already checked the schema. */
  findOutputSchemaProblem?: CreateDependencies["findOutputSchemaProblem"];
}

/** Everything to run one errand from the command line, next to a running service or alone. */
interface RunContext extends AsyncDisposable {
  config: Config;
  executions: Executions;
  interactions: Interactions;
  artifacts: Artifacts;
  operations: Operations;
  connection: Connection;
  /** Runs the execution, unless a running service claims it first. Returns when it has ended. */
  attend(executionId: string): Promise<void>;
}

const POOL_SIZE = 4;
/** In leases: after one the execution is lost, after another the database counts as gone. */
const PATIENCE_LEASES = 2;

export async function openRunContext(options: RunContextOptions): Promise<RunContext> {
  const config = loadConfig(options);
  // The command shows the steps. It hides the info lines that a service would log.
  const logger = createProcessLogger(config.logLevel === "info" ? "warn" : config.logLevel);
  await using parts = new AsyncDisposableStack();
  const storage = parts.use(
    await explainOpenFailure(config, () =>
      openStorage({ ...config, poolSize: POOL_SIZE, logger: withoutWarnings(logger), onProgress: showProgress }),
    ),
  );
  const { database, connectionString } = storage;
  const notifications = parts.use(createNotifications({ connectionString, pool: database.pool, logger }));
  const store = createExecutionStore(database, notifications);
  const executions = createExecutions({
    store: createRetryingStore(store, {
      patienceMs: PATIENCE_LEASES * config.leaseSeconds * 1_000,
      onUnavailable: options.onDatabaseUnavailable,
      commandOptions: config.commandOptions,
    }),
    updates: notifications,
    recipes: config.recipes === "on" ? createRecipeMatchStore(database) : null,
    price: config.executionPrice,
    maxQueued: config.maxQueued,
    findOutputSchemaProblem: options.findOutputSchemaProblem ?? (async () => null),
  });
  const operations = createOperations(database);
  const connection = await explainConnectionLoss(config, () =>
    options.connection === undefined
      ? openCommandLineConnection(operations, options.application)
      : operations.connections.get(options.connection),
  );
  const demoHost = config.demo ? await openDemoIfNeeded(config.dataDir, options, parts) : null;
  const privateHosts = [...config.allowHosts, ...(demoHost === null ? [] : [demoHost])];
  // On the plain store: `attend` has its own retries.
  const hasEnded = async (id: string) => {
    const found = await store.find(connection.id, id);
    return found === null || isTerminal(found.status);
  };
  const leaving = new AbortController();
  const files = parts.use(openArtifactFiles(config));
  const owned = parts.move();
  return {
    config,
    executions,
    interactions: createInteractions({
      store: createInteractionStore(database, notifications),
      keyRing: createKeyRing(config),
      executions,
      publicUrl: config.publicUrl,
    }),
    artifacts: createArtifacts({ store: createArtifactStore(database), files, executions }),
    operations,
    connection,
    async attend(executionId) {
      const { signal } = leaving;
      const attended = attendLocally({
        config,
        database,
        notifications,
        logger,
        privateHosts,
        isAttended: options.isAttended,
        executionId,
        hasEnded,
        signal,
      });
      // Leaving early stops the run before the database is closed.
      owned.defer(async () => {
        leaving.abort();
        await Promise.allSettled([attended]);
      });
      const report = await attended;
      if (report !== "no browser") return;
      await executions.cancel(connection.id, executionId);
      // Throws with the reason and what to do about it.
      await createConfiguredBrowsers(config, { warm: 0, logger }).checkReady();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Hides warnings: the command reports an unreachable database itself. */
function withoutWarnings(logger: Logger): Logger {
  return logger.isLevelEnabled("info") ? logger : logger.child({}, { level: "error" });
}

const HANDOVER_MS = 400;

interface AttendOptions {
  config: Config;
  database: Database;
  notifications: Notifications;
  logger: Logger;
  privateHosts: string[];
  isAttended: boolean;
  executionId: string;
  hasEnded(executionId: string): Promise<boolean>;
  signal: AbortSignal;
}

async function attendLocally({ executionId, hasEnded, signal, ...options }: AttendOptions) {
  // Loading takes about as long. Until then a running service has claimed the execution, if there is one.
  const [{ createWorkerService }, { runUntilEnded }] = await Promise.all([
    import("../app/worker-service.ts"),
    import("../worker/worker.ts"),
    sleep(HANDOVER_MS),
  ]);
  await using browsers = createConfiguredBrowsers(options.config, { warm: 0, logger: options.logger });
  await using worker = await createWorkerService({ ...options, browsers });
  return await runUntilEnded(
    {
      executionId,
      hasEnded: () => hasEnded(executionId),
      signal,
      runSignals: { stopRuns: signal, giveUp: signal },
    },
    worker.dependencies,
  );
}

/** Starts the demo shop if the errand is about it and it is not running. Returns the host to allow. */
async function openDemoIfNeeded(
  dataDir: string,
  { prompt, startUrl }: RunContextOptions,
  parts: AsyncDisposableStack,
): Promise<string | null> {
  const port = readDemoPort(dataDir);
  const host = `127.0.0.1:${port}`;
  const isAboutDemo = startUrl === undefined ? prompt.includes(`http://${host}`) : URL.parse(startUrl)?.host === host;
  if (!isAboutDemo) return null;
  if (!(await isListening(port))) parts.use((await openDemoShop({ port })).shop);
  return host;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

interface RetryOptions {
  /** How long to retry one call. */
  patienceMs: number;
  /** Called once for each outage. */
  onUnavailable(): void;
  commandOptions: string;
}

/** Retries reads and cancels while the database is unavailable, for a person who waits for an execution. */
function createRetryingStore(store: ExecutionStore, options: RetryOptions): ExecutionStore {
  const { patienceMs, onUnavailable, commandOptions } = options;
  let isOut = false;

  function noteOutage(): void {
    if (!isOut) onUnavailable();
    isOut = true;
  }

  async function retry<Result>(executionId: string, call: () => Promise<Result>): Promise<Result> {
    const backoff = new Backoff({ firstMs: 250, maxMs: 2_000 });
    const patience = AbortSignal.timeout(patienceMs);
    for (;;) {
      try {
        const result = await call();
        isOut = false;
        return result;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (patience.aborted) throw databaseUnavailable(executionId, error, commandOptions);
        noteOutage();
        await backoff.wait(patience);
      }
    }
  }

  return {
    // Create is not retried: a failure is reported.
    ...store,
    find: (connectionId, executionId) => retry(executionId, () => store.find(connectionId, executionId)),
    listEvents: (executionId, page) => retry(executionId, () => store.listEvents(executionId, page)),
    // Both are idempotent.
    cancelQueued: (executionId) => retry(executionId, () => store.cancelQueued(executionId)),
    requestCancel: (executionId) => retry(executionId, () => store.requestCancel(executionId)),
  };
}

function databaseUnavailable(executionId: string, error: unknown, commandOptions: string): CallerError {
  return new CallerError(
    "UNAVAILABLE",
    [
      `The database is still unreachable (${describeError(error)}). Giving up on execution ${executionId}.`,
      "When the database is back, a worker ends the execution if it had started, and may still run it if it had not.",
      `Run errand doctor${commandOptions} for details.`,
    ].join(" "),
    { cause: error },
  );
}

const APPLICATION_NAME = "Command line";
/** Used until the first owner has an account. Nobody can sign up with it: it is not a valid email address. */
const OPERATOR_EMAIL = "operator@localhost";

/** The operator's connection to the given application, or to the command line's own. */
async function openCommandLineConnection(
  { applications, connections, people }: Operations,
  applicationId: string | undefined,
): Promise<Connection> {
  const application =
    applicationId === undefined
      ? await getOwnApplication(applications)
      : await getNamedApplication(applications, applicationId);
  const person = (await people.findFirstOwner()) ?? (await people.findOrCreate(OPERATOR_EMAIL));
  return connections.open(application.id, person.id);
}

async function getNamedApplication(applications: Operations["applications"], id: string): Promise<Application> {
  try {
    return await applications.get(id);
  } catch (error) {
    const isUnknown = error instanceof CallerError && error.code === "NOT_FOUND";
    throw isUnknown ? new UsageError(`--application: ${error.message}`, { cause: error }) : error;
  }
}

/** Created on first use. It has no redirect URI, so nobody can connect to it through OAuth. */
async function getOwnApplication(applications: Operations["applications"]): Promise<Application> {
  // Takes the oldest, so that all commands agree if two were created at the same moment.
  const own = (await applications.list()).find(
    ({ name, redirectUris }) => name === APPLICATION_NAME && redirectUris.length === 0,
  );
  if (own !== undefined) return own;
  const { application } = await applications.register({ name: APPLICATION_NAME, type: "public", requirePkce: true });
  return application;
}
