import { type Command, InvalidArgumentError } from "commander";
import { type Config, defaultPublicUrl } from "../config/config.ts";
import { reservePort } from "../lib/free-port.ts";
import type { Logger } from "../lib/logger.ts";
import type { Database } from "../storage/database.ts";
import { explainingDatabase } from "./explain-database.ts";
import { type ConfigOptions, loadConfig } from "./load-config.ts";
import { DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { showProgress } from "./progress.ts";
import { sharePool } from "./share-pool.ts";
import { drainApi, startApi } from "./start-api.ts";
import { describeStart, type Role, startFacts } from "./start-banner.ts";
import type { Health, HealthOptions } from "./start-health.ts";
import { type PreparedWorker, prepareWorker } from "./start-worker.ts";
import { untilSignal } from "./until-signal.ts";

interface StartOptions extends ConfigOptions {
  roles: Role[];
  json?: boolean;
}

const MAX_WARM = 2;
const ROLES: Role[] = ["api", "worker"];

export function addStartCommand(program: Command): void {
  program
    .command("start")
    .description("start the service")
    .option("--roles <roles>", `what this process does: ${ROLES.join(", ")}, or both`, parseRoles, ROLES)
    .option("--port <port>", "the port to listen on (default: ERRAND_PORT)")
    .option("--host <address>", "the network address to listen on (default: ERRAND_HOST)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .action(start);
}

async function start(options: StartOptions): Promise<void> {
  const { createProcessLogger } = await import("./log-output.ts");
  const { roles } = options;
  const { config, releasePort } = await withPort(loadConfig(options), roles);
  const logger = createProcessLogger(config.logLevel);
  for (const warning of config.warnings) logger.warn(warning);
  // A browser that dies in the middle of something can leave a promise that nobody waits for: no reason to end the others.
  process.on("unhandledRejection", (error) => logger.error({ err: error }, "an error was left over"));
  // Before anything opens, so that an impatient Ctrl-C during the first seconds still ends tidily.
  const stop = untilSignal();
  // Loaded here, so that the other commands need not wait for it.
  const [{ openStorage }, { openDatabase }, { createHints }, { openTelemetry }, { createConfiguredBrowsers }] =
    await Promise.all([
      import("../storage/open-storage.ts"),
      import("../storage/database.ts"),
      import("../storage/hints.ts"),
      import("../telemetry.ts"),
      import("../configured-browsers.ts"),
    ]);
  const pools = sharePool(config, roles);
  await using storage = await explainingDatabase(config, () =>
    openStorage({
      ...config,
      poolSize: pools.main,
      logger,
      onProgress: showProgress,
      // Any number of workers may join the one that answers.
      ...(roles.includes("api") ? { claimAs: `errand service ${process.pid} at ${config.publicUrl}` } : {}),
    }),
  );
  await using parts = new AsyncDisposableStack();
  const { database, connectionString } = storage;
  await warnOfGaps(database, config, roles, logger);
  const onError = (error: Error) => logger.warn({ reason: error.message }, "an idle database connection broke");
  const workerDatabase =
    pools.worker === null ? database : parts.use(openDatabase({ connectionString, poolSize: pools.worker, onError }));
  const hints = parts.use(createHints({ connectionString, pool: workerDatabase.pool, logger }));
  const telemetry = parts.use(
    await openTelemetry({
      config,
      roles,
      schemaVersion: storage.schemaVersion,
      database,
      pools:
        workerDatabase === database ? { main: database.pool } : { main: database.pool, worker: workerDatabase.pool },
      logger,
    }),
  );
  const isWorker = roles.includes("worker");
  const warm = isWorker ? Math.min(config.concurrency, MAX_WARM) : 0;
  const browsers = parts.use(createConfiguredBrowsers(config, { warm, logger }));
  const common = { config, database, hints, logger };
  const worker = isWorker
    ? parts.use(
        await prepareWorker({
          ...common,
          database: workerDatabase,
          browsers,
          connectionString,
          tracer: telemetry.tracer,
        }),
      )
    : null;
  const privateHosts = worker?.privateHosts ?? config.allowHosts;
  const demoUrl = worker?.demoUrl ?? null;
  const service = roles.includes("api")
    ? parts.use(
        await startApi({
          ...common,
          telemetry,
          releasePort,
          checkBrowser: worker?.checkBrowser,
          checkArtifacts: worker?.checkArtifacts,
          demoUrl,
          browsers: { pool: browsers, privateHosts },
        }),
      )
    : null;
  const workerAlone = service === null ? worker : null;
  const health = parts.use(await startHealthOf({ ...common, telemetry }, workerAlone, options));
  const running = await worker?.start();
  const setupCode = (await service?.findSetupCode()) ?? null;
  if (setupCode !== null)
    logger.info(`nobody owns this installation yet; from another machine it takes the setup code ${setupCode}`);
  const started = { config, roles, demoUrl, setupCode, healthUrl: health?.url ?? null };
  printResult(options.json, startFacts(started), describeStart(started));
  const signal = await stop;
  logger.info({ signal }, "stopping: finishing what is in flight");
  health?.beginStopping();
  await Promise.all([
    service === null ? null : drainApi(service, config.shutdownSeconds, logger),
    running?.drain(config.shutdownSeconds * 1_000),
  ]);
}

/** What will fail later, and be noticed later still. */
async function warnOfGaps(database: Database, config: Config, roles: readonly Role[], logger: Logger): Promise<void> {
  const [{ checkKeys }, { warnOfLocalArtifacts }] = await Promise.all([
    import("../key-checks.ts"),
    import("../doctor-checks.ts"),
  ]);
  const keys = await checkKeys(database, config);
  const artifacts = roles.length === 1 ? warnOfLocalArtifacts(config) : null;
  for (const { status, message, fix } of [keys, ...(artifacts === null ? [] : [artifacts])]) {
    if (status !== "ok") logger.warn({ fix }, message);
  }
}

/** For a worker alone; a port that was asked for on the command line is then this one's. */
async function startHealthOf(
  common: Omit<HealthOptions, "port" | "checkBrowser" | "checkArtifacts">,
  worker: PreparedWorker | null,
  { port }: StartOptions,
): Promise<Health | null> {
  if (worker === null) return null;
  const { startHealth } = await import("./start-health.ts");
  const { config } = common;
  const { checkBrowser, checkArtifacts } = worker;
  const given = { ...common, checkBrowser, checkArtifacts };
  return startHealth({ ...given, port: port === undefined ? config.workerPort : config.port });
}

function parseRoles(text: string): Role[] {
  const roles = text.split(",").map((role) => role.trim());
  const known = ROLES.filter((role) => roles.includes(role));
  if (roles.some((role) => !known.includes(role as Role))) {
    throw new InvalidArgumentError(`Roles are ${ROLES.join(" and ")}.`);
  }
  return known;
}

/** Port 0 is settled now, because the public address is needed before listening; until then it is kept for us. */
async function withPort(
  config: Config,
  roles: readonly Role[],
): Promise<{ config: Config; releasePort: () => Promise<void> }> {
  if (config.port !== 0 || !roles.includes("api")) return { config, releasePort: async () => {} };
  const { port, release } = await reservePort(config.host);
  const isDefaultUrl = config.publicUrl === defaultPublicUrl(config.host, 0);
  const publicUrl = isDefaultUrl ? defaultPublicUrl(config.host, port) : config.publicUrl;
  return { config: { ...config, port, publicUrl }, releasePort: release };
}
