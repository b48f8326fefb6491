import type { AddressInfo } from "node:net";
import { type Config, defaultPublicUrl } from "../config/config.ts";
import { createHealthApp } from "../http/health-app.ts";
import type { Logger } from "../lib/logger.ts";
import { type Database, isUnavailable } from "../storage/database.ts";
import { createDatabaseProbe } from "../storage/database-probe.ts";
import type { Telemetry } from "../telemetry.ts";
import { listen } from "./listen.ts";

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
