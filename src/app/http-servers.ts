import type { AddressInfo } from "node:net";
import { type Config, defaultPublicUrl } from "../config/config.ts";
import { createHealthApp } from "../http/health-app.ts";
import { CallerError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { createDatabaseProbe, type Database, isUnavailable } from "../storage/database.ts";
import type { Notifications } from "../storage/notifications.ts";
import type { ApiService, SignInBrowsers } from "./api-service.ts";
import { listReadinessChecks } from "./health-checks.ts";
import type { Telemetry } from "./telemetry.ts";

interface ApiOptions {
  config: Config;
  database: Database;
  notifications: Notifications;
  logger: Logger;
  checkBrowser: (() => Promise<void>) | undefined;
  checkArtifacts: (() => Promise<void>) | undefined;
  browsers: SignInBrowsers;
  demoUrl: string | null;
  telemetry: Telemetry;
  /** Called just before listening. */
  releasePort: () => Promise<void>;
}

const SWEEP_MS = 100;

/** Starts the HTTP API and listens. */
export async function startApi(options: ApiOptions): Promise<ApiService> {
  // Loaded lazily: a worker alone does not need it.
  const { createApiService } = await import("./api-service.ts");
  const service = await createApiService(options);
  try {
    await options.releasePort();
    await listen(service.app, options.config, "Stop it, or choose another port with --port.");
    return service;
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
}

/** Waits for open requests, but no longer than `seconds`. */
export async function drainApi(service: ApiService, seconds: number, logger: Logger): Promise<void> {
  service.beginStopping();
  const sweep = setInterval(() => service.closeIdleConnections(), SWEEP_MS);
  const timer = setTimeout(() => {
    logger.warn("Some requests did not finish in time; closing their connections");
    service.app.server.closeAllConnections();
  }, seconds * 1_000);
  await service.app.close();
  clearInterval(sweep);
  clearTimeout(timer);
}

interface HealthOptions {
  config: Config;
  port: number;
  database: Database;
  telemetry: Telemetry;
  checkBrowser: () => Promise<void>;
  checkArtifacts: () => Promise<void>;
  logger: Logger;
}

interface Health extends AsyncDisposable {
  url: string;
  /** From now on /readyz responds with 503. */
  beginStopping(): void;
}

/** Starts the health server of a worker without the api role. */
export async function startHealth(options: HealthOptions): Promise<Health> {
  const { config, port, database, telemetry, checkBrowser, checkArtifacts, logger } = options;
  const { host, metricsToken } = config;
  await using parts = new AsyncDisposableStack();
  const stopping = new AbortController();
  const probe = parts.use(createDatabaseProbe(database));
  const app = await createHealthApp({
    logger,
    readiness: listReadinessChecks({ checkDatabase: probe.check, checkBrowser, checkArtifacts }),
    stopping: stopping.signal,
    isUnavailable,
    metrics: { registries: telemetry.registries, token: metricsToken },
    // Decides whether /metrics is open to this machine without a token, by the same rule as in the api role.
    publicUrl: config.publicUrl,
  });
  parts.defer(() => app.close());
  await listen(app, { host, port }, "Stop it, or set ERRAND_WORKER_PORT to another port (0 picks a free one).");
  const { port: actualPort } = app.server.address() as AddressInfo;
  const owned = parts.move();
  return {
    url: defaultPublicUrl(host, actualPort),
    beginStopping: () => stopping.abort(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface ListenAddress {
  host: string;
  port: number;
}

async function listen(
  app: { listen(address: ListenAddress): Promise<string> },
  { host, port }: ListenAddress,
  advice: string,
): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new CallerError("UNAVAILABLE", `Port ${port} on ${host} is in use by another program. ${advice}`, {
      cause: error,
    });
  }
}
