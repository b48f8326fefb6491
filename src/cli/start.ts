import { type Command, InvalidArgumentError } from "commander";
import { drainApi, type Health, type HealthOptions, startApi } from "../app/http-servers.ts";
import { type PreparedWorker, prepareWorker } from "../app/prepared-worker.ts";
import { type Config, defaultPublicUrl } from "../config/config.ts";
import { reservePort } from "../lib/free-port.ts";
import type { Logger } from "../lib/logger.ts";
import type { Database } from "../storage/database.ts";
import { explainOpenFailure } from "./database.ts";
import { type ConfigOptions, loadConfig } from "./options.ts";
import { DATA_DIR_OPTION, JSON_OPTION, printResult, showProgress } from "./output.ts";
import { untilSignal } from "./signals.ts";

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
  const { config, releasePort } = await settlePort(loadConfig(options), roles);
  const logger = createProcessLogger(config.logLevel);
  for (const warning of config.warnings) logger.warn(warning);
  // A browser that dies in the middle of something can leave a promise that nobody waits for: no reason to end the others.
  process.on("unhandledRejection", (error) => logger.error({ err: error }, "an error was left over"));
  // Before anything opens, so that an impatient Ctrl-C during the first seconds still ends tidily.
  const stop = untilSignal();
  // Loaded here, so that the other commands need not wait for it.
  const [{ openStorage }, { openDatabase }, { createNotifications }, { openTelemetry }, { createConfiguredBrowsers }] =
    await Promise.all([
      import("../storage/storage.ts"),
      import("../storage/database.ts"),
      import("../storage/notifications.ts"),
      import("../app/telemetry.ts"),
      import("../app/configured-browsers.ts"),
    ]);
  const pools = splitPool(config, roles);
  await using storage = await explainOpenFailure(config, () =>
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
  await logStartWarnings(database, config, roles, logger);
  const onError = (error: Error) => logger.warn({ reason: error.message }, "an idle database connection broke");
  const workerDatabase =
    pools.worker === null ? database : parts.use(openDatabase({ connectionString, poolSize: pools.worker, onError }));
  const hints = parts.use(createNotifications({ connectionString, pool: workerDatabase.pool, logger }));
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
  const health = parts.use(await startHealthFor({ ...common, telemetry }, workerAlone, options));
  const running = await worker?.start();
  const setupCode = (await service?.findSetupCode()) ?? null;
  if (setupCode !== null)
    logger.info(`nobody owns this installation yet; from another machine it takes the setup code ${setupCode}`);
  const started = { config, roles, demoUrl, setupCode, healthUrl: health?.url ?? null };
  printResult(options.json, toStartJson(started), describeStart(started));
  const signal = await stop;
  logger.info({ signal }, "stopping: finishing what is in flight");
  health?.beginStopping();
  await Promise.all([
    service === null ? null : drainApi(service, config.shutdownSeconds, logger),
    running?.drain(config.shutdownSeconds * 1_000),
  ]);
}

/** What will fail later, and be noticed later still. */
async function logStartWarnings(
  database: Database,
  config: Config,
  roles: readonly Role[],
  logger: Logger,
): Promise<void> {
  const [{ checkKeys }, { checkLocalArtifacts }] = await Promise.all([
    import("../app/health-checks.ts"),
    import("../app/health-checks.ts"),
  ]);
  const keys = await checkKeys(database, config);
  const artifacts = roles.length === 1 ? checkLocalArtifacts(config) : null;
  for (const { status, message, fix } of [keys, ...(artifacts === null ? [] : [artifacts])]) {
    if (status !== "ok") logger.warn({ fix }, message);
  }
}

/** For a worker alone; a port that was asked for on the command line is then this one's. */
async function startHealthFor(
  common: Omit<HealthOptions, "port" | "checkBrowser" | "checkArtifacts">,
  worker: PreparedWorker | null,
  { port }: StartOptions,
): Promise<Health | null> {
  if (worker === null) return null;
  const { startHealth } = await import("../app/http-servers.ts");
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
async function settlePort(
  config: Config,
  roles: readonly Role[],
): Promise<{ config: Config; releasePort: () => Promise<void> }> {
  if (config.port !== 0 || !roles.includes("api")) return { config, releasePort: async () => {} };
  const { port, release } = await reservePort(config.host);
  const isDefaultUrl = config.publicUrl === defaultPublicUrl(config.host, 0);
  const publicUrl = isDefaultUrl ? defaultPublicUrl(config.host, port) : config.publicUrl;
  return { config: { ...config, port, publicUrl }, releasePort: release };
}

type Role = "api" | "worker";

interface Started {
  config: Config;
  roles: readonly Role[];
  demoUrl: string | null;
  /** Null once somebody owns the installation. */
  setupCode: string | null;
  /** Of a worker that has no other interface. */
  healthUrl: string | null;
}

/** What a person sees who has started the service. */
function describeStart({ config, roles, demoUrl, setupCode, healthUrl }: Started): string[] {
  const { publicUrl, dataDir, concurrency } = config;
  const isApi = roles.includes("api");
  const isWorker = roles.includes("worker");
  const atATime = concurrency === 1 ? "one execution" : `${concurrency} executions`;
  return [
    "",
    isApi ? `  Errand is running at ${publicUrl}` : "  A worker of Errand is running",
    "",
    ...(isApi ? describeConsole(publicUrl, setupCode) : []),
    ...(isApi ? [`  Reference    ${publicUrl}/docs`] : []),
    isWorker
      ? `  Worker       runs ${atATime} at a time`
      : "  Worker       none in this process: executions wait for one (errand start --roles worker)",
    ...(healthUrl === null ? [] : [`  Health       ${healthUrl}/readyz, and figures for Prometheus at /metrics`]),
    ...(demoUrl === null ? [] : [`  Demo shop    ${demoUrl}`]),
    `  Data         ${dataDir}`,
    "",
    ...(demoUrl === null ? [] : [...describeFirstErrand(demoUrl), ""]),
    ...(isApi ? [...OWN_APPLICATION, ""] : []),
    "  bin/errand doctor says whether all is well. Ctrl-C stops.",
    "",
  ];
}

/** The same, for a program. */
function toStartJson({ config, roles, demoUrl, setupCode, healthUrl }: Started): object {
  const url = roles.includes("api") ? config.publicUrl : null;
  return {
    url,
    console_url: url === null ? null : `${url}/console`,
    setup_code: setupCode,
    pid: process.pid,
    data_dir: config.dataDir,
    roles,
    demo_url: demoUrl,
    health_url: healthUrl,
  };
}

function describeConsole(publicUrl: string, setupCode: string | null): string[] {
  return [
    `  Console      ${publicUrl}/console`,
    ...(setupCode === null
      ? []
      : [
          "               nobody owns this installation yet: open the console to make it yours",
          `               from another machine that takes the setup code ${setupCode}`,
        ]),
  ];
}

function describeFirstErrand(demoUrl: string): string[] {
  return [
    "  A first errand, from another terminal instead of the console:",
    `    bin/errand run "Search for kettle and tell me the price of the Brindle Kettle" --start-url ${demoUrl}/`,
  ];
}

const OWN_APPLICATION = [
  "  Your own application:",
  "    bin/errand app create --name Demo --type public --redirect-uri http://127.0.0.1:9999/callback",
  "    bin/errand connect --application <id> --user you@example.com",
];

interface PoolSizes {
  main: number;
  /** Null when the main one is the worker's, or there is no worker. */
  worker: number | null;
}

/**
 * A process with both roles gives its runs database connections of their own: however many requests wait for the others,
 * a run keeps its lease and writes down what it did.
 */
function splitPool(
  { databasePoolSize, concurrency }: Pick<Config, "databasePoolSize" | "concurrency">,
  roles: readonly Role[],
): PoolSizes {
  if (roles.length < 2) return { main: databasePoolSize, worker: null };
  const worker = Math.min(concurrency + 1, Math.floor(databasePoolSize / 2));
  return { main: databasePoolSize - worker, worker };
}
