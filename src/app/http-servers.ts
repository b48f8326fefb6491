import type { AddressInfo } from "node:net";
import { type Config, defaultPublicUrl } from "../config/config.ts";
import { createHealthApp } from "../http/health-app.ts";
import { CallerError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { createDatabaseProbe, type Database, isUnavailable } from "../storage/database.ts";
import type { Notifications } from "../storage/notifications.ts";
import type { ApiService, SignInBrowsers } from "./api-service.ts";
import type { Telemetry } from "./telemetry.ts";

interface ApiOptions {
  config: Config;
  database: Database;
  hints: Notifications;
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

/** The HTTP interface, listening. */
export async function startApi(options: ApiOptions): Promise<ApiService> {
  // Loaded here, so that the other commands need not wait for it.
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

/** Waits for what is in flight, but not for ever. */
export async function drainApi(service: ApiService, seconds: number, logger: Logger): Promise<void> {
  service.beginStopping();
  const sweep = setInterval(() => service.closeIdleConnections(), SWEEP_MS);
  const timer = setTimeout(() => {
    logger.warn("some requests did not end in time: closing their connections");
    service.app.server.closeAllConnections();
  }, seconds * 1_000);
  await service.app.close();
  clearInterval(sweep);
  clearTimeout(timer);
}

export interface HealthOptions {
  config: Config;
  port: number;
  database: Database;
  telemetry: Telemetry;
  checkBrowser: () => Promise<void>;
  checkArtifacts: () => Promise<void>;
  logger: Logger;
}

export interface Health extends AsyncDisposable {
  url: string;
  /** From here on it is not ready any more. */
  beginStopping(): void;
}

/** How a worker that has no other interface tells whether it is well. */
export async function startHealth(options: HealthOptions): Promise<Health> {
  const { config, port, database, telemetry, checkBrowser, checkArtifacts, logger } = options;
  const { host, metricsToken } = config;
  await using parts = new AsyncDisposableStack();
  const stopping = new AbortController();
  const probe = parts.use(createDatabaseProbe(database));
  const app = await createHealthApp({
    logger,
    readiness: {
      "The database cannot be reached.": probe.check,
      "No browser can be had.": checkBrowser,
      "Artifacts cannot be kept.": checkArtifacts,
    },
    stopping: stopping.signal,
    isUnavailable,
    metrics: { registries: telemetry.registries, token: metricsToken },
    // Whether it is one for this machine only is the whole service's matter: figures are shown by the same rule everywhere.
    publicUrl: config.publicUrl,
  });
  parts.defer(() => app.close());
  await listen(app, { host, port }, "Stop it, or choose another port in ERRAND_WORKER_PORT; 0 takes a free one.");
  const { port: taken } = app.server.address() as AddressInfo;
  const owned = parts.move();
  return {
    url: defaultPublicUrl(host, taken),
    beginStopping: () => stopping.abort(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface ListenAddress {
  host: string;
  port: number;
}

/** Where it listens then. */
export async function listen(
  app: { listen(place: ListenAddress): Promise<string> },
  { host, port }: ListenAddress,
  advice: string,
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new CallerError("UNAVAILABLE", `Port ${port} on ${host} is taken by another program. ${advice}`, {
      cause: error,
    });
  }
}
