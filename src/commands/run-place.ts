import { connect } from "node:net";
import type { Config } from "../config/config.ts";
import { createConfiguredBrowsers } from "../configured-browsers.ts";
import type { Connection } from "../connections/connection.ts";
import { isTerminal } from "../executions/execution-state.ts";
import { createExecutions, type Executions } from "../executions/executions.ts";
import type { Logger } from "../lib/logger.ts";
import { createOperations } from "../operations.ts";
import type { Database } from "../storage/database.ts";
import { createHints, type Hints } from "../storage/hints.ts";
import { openStorage } from "../storage/open-storage.ts";
import { createExecutionStore } from "../storage/sql-executions.ts";
import { openCommandLineConnection } from "./command-line-connection.ts";
import { DEMO_PORT, openDemoShop } from "./demo-place.ts";
import { explainingDatabase, explainingLoss } from "./explain-database.ts";
import { type ConfigOptions, loadConfig } from "./load-config.ts";
import { createProcessLogger } from "./log-output.ts";
import { createPatientStore } from "./patient-store.ts";
import { showProgress } from "./progress.ts";

interface RunPlaceOptions extends ConfigOptions {
  prompt: string;
  application?: string;
  startUrl?: string;
  /** It is waited for; told once each time. */
  onDatabaseAway(): void;
}

/** Where one errand is run from the command line: beside a running service, or alone. */
export interface RunPlace extends AsyncDisposable {
  config: Config;
  executions: Executions;
  connection: Connection;
  /** Sees to it that the execution comes to its end, here or in a service that is quicker. */
  attend(executionId: string): Promise<void>;
}

const POOL_SIZE = 4;
/** In leases: after one a run has lost its place, after another the database counts as gone. */
const PATIENCE = 2;

export async function openRunPlace(options: RunPlaceOptions): Promise<RunPlace> {
  const config = loadConfig(options);
  // The steps are what is shown; what a service would log on the way is not.
  const logger = createProcessLogger(config.logLevel === "info" ? "warn" : config.logLevel);
  await using parts = new AsyncDisposableStack();
  const storage = parts.use(
    await explainingDatabase(config, () =>
      openStorage({ ...config, poolSize: POOL_SIZE, logger: quietly(logger), onProgress: showProgress }),
    ),
  );
  const { database, connectionString } = storage;
  const hints = parts.use(createHints({ connectionString, pool: database.pool, logger }));
  const store = createExecutionStore(database, hints);
  const executions = createExecutions({
    store: createPatientStore(store, {
      patienceMs: PATIENCE * config.leaseSeconds * 1_000,
      onAway: options.onDatabaseAway,
    }),
    updates: hints,
    price: config.executionPrice,
    maxQueued: config.maxQueued,
    // The command has looked at it before it came here.
    findOutputSchemaProblem: async () => null,
  });
  const connection = await explainingLoss(config, () =>
    openCommandLineConnection(createOperations(database), options.application),
  );
  const demoHost = config.demo ? await openDemoFor(options, parts) : null;
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
      const attended = attendAlone({ config, database, hints, logger, privateHosts, executionId, hasEnded, signal });
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
function quietly(logger: Logger): Logger {
  return logger.isLevelEnabled("info") ? logger : logger.child({}, { level: "error" });
}

interface AloneOptions {
  config: Config;
  database: Database;
  hints: Hints;
  logger: Logger;
  privateHosts: string[];
  executionId: string;
  hasEnded(executionId: string): Promise<boolean>;
  signal: AbortSignal;
}

async function attendAlone({ executionId, hasEnded, signal, ...options }: AloneOptions) {
  // Loading takes longer than a running service needs to take the execution: so it does, if there is one.
  const [{ createWorkerService }, { attend }] = await Promise.all([
    import("../worker-service.ts"),
    import("../worker/attend.ts"),
  ]);
  await using browsers = createConfiguredBrowsers(options.config, { warm: 0, logger: options.logger });
  await using worker = await createWorkerService({ ...options, browsers });
  return await attend(
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
async function openDemoFor({ prompt, startUrl }: RunPlaceOptions, parts: AsyncDisposableStack): Promise<string | null> {
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
