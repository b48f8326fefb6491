import { type Config, defaultPublicUrl } from "../config/config.ts";
import { reservePort } from "../lib/free-port.ts";
import type { Logger } from "../lib/logger.ts";
import type { Database } from "../storage/database.ts";
import { createNotifications } from "../storage/notifications.ts";
import { openStorage } from "../storage/storage.ts";
import { createConfiguredBrowsers } from "./configured-browsers.ts";
import { explainOpenFailure } from "./database-advice.ts";
import { checkKeys, checkLocalArtifacts } from "./health-checks.ts";
import { drainApi, startApi, startHealth } from "./http-servers.ts";
import { openTelemetry } from "./telemetry.ts";
import type { RunningDemo } from "./worker-service.ts";

export type Role = "api" | "worker";

interface ProcessOptions {
  config: Config;
  roles: readonly Role[];
  /** The port for /healthz, /readyz and /metrics of a worker without the api role. */
  healthPort: number;
  logger: Logger;
  onProgress(message: string): void;
}

/** A process of the service, listening and working. */
export interface ErrandProcess extends AsyncDisposable {
  /** With the port that was picked, if it was 0. */
  config: Config;
  demo: RunningDemo | null;
  /** Null once the installation has an owner. */
  setupCode: string | null;
  /** Of a worker without the api role. */
  healthUrl: string | null;
  /** Finishes open requests and running executions, within the configured time. */
  drain(): Promise<void>;
}

const MAX_WARM_BROWSERS = 2;

export async function startProcess(options: ProcessOptions): Promise<ErrandProcess> {
  const { roles, logger, onProgress } = options;
  const { config, releasePort } = await pickPort(options.config, roles);
  const [isApi, isWorker] = [roles.includes("api"), roles.includes("worker")];
  const poolSizes = splitPool(config, roles);
  await using parts = new AsyncDisposableStack();
  const { database, connectionString, open, schemaVersion } = parts.use(
    await explainOpenFailure(config, () =>
      openStorage({
        ...config,
        poolerUrl: config.databasePoolerUrl,
        poolSize: poolSizes.main,
        logger,
        onProgress,
        // One api process per embedded database; any number of workers may join it.
        ...(isApi ? { claimAs: `errand service ${process.pid} at ${config.publicUrl}` } : {}),
      }),
    ),
  );
  await logWarnings(database, config, roles, logger);
  const workerDatabase = poolSizes.worker === null ? database : parts.use(open(poolSizes.worker));
  const notifications = parts.use(createNotifications({ connectionString, pool: workerDatabase.pool, logger }));
  const pools =
    workerDatabase === database ? { main: database.pool } : { main: database.pool, worker: workerDatabase.pool };
  const telemetry = parts.use(await openTelemetry({ config, roles, schemaVersion, database, pools, logger }));
  const warm = isWorker ? Math.min(config.concurrency, MAX_WARM_BROWSERS) : 0;
  const browsers = parts.use(createConfiguredBrowsers(config, { warm, logger }));
  const worker = isWorker
    ? parts.use(
        await prepareWorker({
          config,
          database: workerDatabase,
          connectionString,
          notifications,
          browsers,
          logger,
          tracer: telemetry.tracer,
        }),
      )
    : null;
  const demo = worker?.demo ?? null;
  const service = isApi
    ? parts.use(
        await startApi({
          config,
          database,
          notifications,
          logger,
          telemetry,
          releasePort,
          checkBrowser: worker?.checkBrowser,
          checkArtifacts: worker?.checkArtifacts,
          demoUrl: demo?.url ?? null,
          browsers: { pool: browsers, privateHosts: worker?.privateHosts ?? config.allowHosts },
        }),
      )
    : null;
  const health =
    worker === null || isApi
      ? null
      : parts.use(
          await startHealth({
            config,
            port: options.healthPort,
            database,
            telemetry,
            checkBrowser: worker.checkBrowser,
            checkArtifacts: worker.checkArtifacts,
            logger,
          }),
        );
  const running = await worker?.start();
  const setupCode = (await service?.findSetupCode()) ?? null;
  const owned = parts.move();
  return {
    config,
    demo,
    setupCode,
    healthUrl: health?.url ?? null,
    async drain() {
      health?.beginStopping();
      await Promise.all([
        service === null ? null : drainApi(service, config.shutdownSeconds, logger),
        running?.drain(config.shutdownSeconds * 1_000),
      ]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Loaded only in processes that run executions. */
async function prepareWorker(options: Parameters<typeof import("./worker-service.ts").prepareWorker>[0]) {
  const worker = await import("./worker-service.ts");
  return worker.prepareWorker(options);
}

/** Picks a free port for port 0 and holds it until listening, because the public URL is needed before that. */
async function pickPort(
  config: Config,
  roles: readonly Role[],
): Promise<{ config: Config; releasePort: () => Promise<void> }> {
  if (config.port !== 0 || !roles.includes("api")) return { config, releasePort: async () => {} };
  const { port, release } = await reservePort(config.host);
  const isDefaultUrl = config.publicUrl === defaultPublicUrl(config.host, 0);
  const publicUrl = isDefaultUrl ? defaultPublicUrl(config.host, port) : config.publicUrl;
  return { config: { ...config, port, publicUrl }, releasePort: release };
}

/**
 * In a process with both roles, executions get their own database connections: however many requests wait for a
 * connection, an execution renews its lease and records its steps. `worker` is null when there is only one pool.
 */
function splitPool(
  { databasePoolSize, concurrency }: Config,
  roles: readonly Role[],
): { main: number; worker: number | null } {
  if (roles.length < 2) return { main: databasePoolSize, worker: null };
  const worker = Math.min(concurrency + 1, Math.floor(databasePoolSize / 2));
  return { main: databasePoolSize - worker, worker };
}

/** Problems that would otherwise show only when an execution fails. */
async function logWarnings(database: Database, config: Config, roles: readonly Role[], logger: Logger): Promise<void> {
  const keys = await checkKeys(database, config);
  const artifacts = roles.length === 1 ? checkLocalArtifacts(config) : null;
  for (const { status, message, fix } of [keys, ...(artifacts === null ? [] : [artifacts])]) {
    if (status !== "ok") logger.warn({ fix }, message);
  }
}
