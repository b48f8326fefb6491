import { connect } from "node:net";
import { createConfiguredBrowsers } from "../app/configured-browsers.ts";
import { DEMO_PORT, openDemoShop } from "../app/demo-shop.ts";
import { createOperations, type Operations } from "../app/operations.ts";
import type { Application } from "../applications/application.ts";
import type { Config } from "../config/config.ts";
import type { Connection } from "../connections/connections.ts";
import { isTerminal } from "../executions/execution.ts";
import type { ExecutionStore } from "../executions/execution-store.ts";
import { createExecutions, type Executions } from "../executions/executions.ts";
import { CallerError, describeError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { Backoff } from "../lib/waiting.ts";
import { type Database, isUnavailable } from "../storage/database.ts";
import { createNotifications, type Notifications } from "../storage/notifications.ts";
import { createExecutionStore } from "../storage/sql/executions.ts";
import { openStorage } from "../storage/storage.ts";
import { explainConnectionLoss, explainOpenFailure } from "./database.ts";
import { UsageError } from "./failure.ts";
import { createProcessLogger } from "./log-output.ts";
import { type ConfigOptions, loadConfig } from "./options.ts";
import { showProgress } from "./output.ts";

interface RunContextOptions extends ConfigOptions {
  prompt: string;
  application?: string;
  startUrl?: string;
  /** It is waited for; told once each time. */
  onDatabaseAway(): void;
}

/** Where one errand is run from the command line: beside a running service, or alone. */
interface RunContext extends AsyncDisposable {
  config: Config;
  executions: Executions;
  connection: Connection;
  /** Sees to it that the execution comes to its end, here or in a service that is quicker. */
  attend(executionId: string): Promise<void>;
}

const POOL_SIZE = 4;
/** In leases: after one a run has lost its place, after another the database counts as gone. */
const PATIENCE_LEASES = 2;

export async function openRunContext(options: RunContextOptions): Promise<RunContext> {
  const config = loadConfig(options);
  // The steps are what is shown; what a service would log on the way is not.
  const logger = createProcessLogger(config.logLevel === "info" ? "warn" : config.logLevel);
  await using parts = new AsyncDisposableStack();
  const storage = parts.use(
    await explainOpenFailure(config, () =>
      openStorage({ ...config, poolSize: POOL_SIZE, logger: withoutWarnings(logger), onProgress: showProgress }),
    ),
  );
  const { database, connectionString } = storage;
  const hints = parts.use(createNotifications({ connectionString, pool: database.pool, logger }));
  const store = createExecutionStore(database, hints);
  const executions = createExecutions({
    store: createRetryingStore(store, {
      patienceMs: PATIENCE_LEASES * config.leaseSeconds * 1_000,
      onAway: options.onDatabaseAway,
    }),
    updates: hints,
    price: config.executionPrice,
    maxQueued: config.maxQueued,
    // The command has looked at it before it came here.
    findOutputSchemaProblem: async () => null,
  });
  const connection = await explainConnectionLoss(config, () =>
    openCommandLineConnection(createOperations(database), options.application),
  );
  const demoHost = config.demo ? await openDemoIfNeeded(options, parts) : null;
  const privateHosts = [...config.allowHosts, ...(demoHost === null ? [] : [demoHost])];
  // Whoever attends it is patient by itself.
  const hasEnded = async (id: string) => {
    const found = await store.find(connection.id, id);
    return found === null || isTerminal(found.status);
  };
  const leaving = new AbortController();
  const owned = parts.move();
  return {
    config,
    executions,
    connection,
    async attend(executionId) {
      const { signal } = leaving;
      const attended = attendLocally({ config, database, hints, logger, privateHosts, executionId, hasEnded, signal });
      // Whoever leaves early stops the run first: nothing is taken away under it.
      owned.defer(async () => {
        leaving.abort();
        await Promise.allSettled([attended]);
      });
      const report = await attended;
      if (report !== "no browser") return;
      await executions.cancel(connection.id, executionId);
      // Tells why, and what to do about it.
      await createConfiguredBrowsers(config, { warm: 0, logger }).checkReady();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** That the database is out of reach is told in words. */
function withoutWarnings(logger: Logger): Logger {
  return logger.isLevelEnabled("info") ? logger : logger.child({}, { level: "error" });
}

interface AttendOptions {
  config: Config;
  database: Database;
  hints: Notifications;
  logger: Logger;
  privateHosts: string[];
  executionId: string;
  hasEnded(executionId: string): Promise<boolean>;
  signal: AbortSignal;
}

async function attendLocally({ executionId, hasEnded, signal, ...options }: AttendOptions) {
  // Loading takes longer than a running service needs to take the execution: so it does, if there is one.
  const [{ createWorkerService }, { runUntilEnded }] = await Promise.all([
    import("../app/worker-service.ts"),
    import("../worker/worker.ts"),
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

/** When the errand is about the demo shop and nobody has opened that, we do; the host that is then allowed. */
async function openDemoIfNeeded(
  { prompt, startUrl }: RunContextOptions,
  parts: AsyncDisposableStack,
): Promise<string | null> {
  const host = `127.0.0.1:${DEMO_PORT}`;
  const isAboutDemo = startUrl === undefined ? prompt.includes(`http://${host}`) : URL.parse(startUrl)?.host === host;
  if (!isAboutDemo) return null;
  if (!(await isListening(DEMO_PORT))) {
    const shop = await openDemoShop(DEMO_PORT, () => {});
    if (shop !== null) parts.use(shop);
  }
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
  /** How long one answer is waited for. */
  patienceMs: number;
  /** Once for each time that the database goes away. */
  onAway(): void;
}

/** For somebody who waits for an execution: what is asked about it is asked again while the database is out of reach. */
function createRetryingStore(store: ExecutionStore, { patienceMs, onAway }: RetryOptions): ExecutionStore {
  let isAway = false;

  function noteAway(): void {
    if (!isAway) onAway();
    isAway = true;
  }

  async function patiently<Answer>(executionId: string, ask: () => Promise<Answer>): Promise<Answer> {
    const backoff = new Backoff({ firstMs: 250, maxMs: 2_000 });
    const patience = AbortSignal.timeout(patienceMs);
    for (;;) {
      try {
        const answer = await ask();
        isAway = false;
        return answer;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (patience.aborted) throw databaseUnavailable(executionId, error);
        noteAway();
        await backoff.wait(patience);
      }
    }
  }

  return {
    // One that is created is not created again: whoever asked for it is told that it failed.
    ...store,
    find: (connectionId, executionId) => patiently(executionId, () => store.find(connectionId, executionId)),
    listEvents: (executionId, page) => patiently(executionId, () => store.listEvents(executionId, page)),
    // Both change nothing the second time.
    cancelQueued: (executionId) => patiently(executionId, () => store.cancelQueued(executionId)),
    requestCancel: (executionId) => patiently(executionId, () => store.requestCancel(executionId)),
  };
}

function databaseUnavailable(executionId: string, error: unknown): CallerError {
  return new CallerError(
    "UNAVAILABLE",
    [
      `The database is out of reach (${describeError(error)}) and was waited for in vain.`,
      `Execution ${executionId} is left as it stands there: once the database is back, workers end it if it had begun,`,
      "and may still carry it out if it had not.",
      "“errand doctor” says more.",
    ].join(" "),
    { cause: error },
  );
}

const APPLICATION_NAME = "Command line";
/** Until the first owner has an account. No such address can sign up: it is no e-mail address. */
const OPERATOR_EMAIL = "operator@localhost";

/** The connection on which the operator runs errands: at one application, or at the command line's own. */
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

/** Made on first use. Nobody can be sent through OAuth to it, because it has nowhere to send them back to. */
async function getOwnApplication(applications: Operations["applications"]): Promise<Application> {
  // The oldest: of two that were made at the same moment, everybody takes the same one from then on.
  const own = (await applications.list()).find(
    ({ name, redirectUris }) => name === APPLICATION_NAME && redirectUris.length === 0,
  );
  if (own !== undefined) return own;
  const { application } = await applications.register({ name: APPLICATION_NAME, type: "public", requirePkce: true });
  return application;
}
