import type { Config } from "../config/config.ts";
import type { Logger } from "../lib/logger.ts";
import type { Service } from "../service.ts";
import type { SignInBrowsers } from "../sign-in-service.ts";
import type { Database } from "../storage/database.ts";
import type { Hints } from "../storage/hints.ts";
import type { Telemetry } from "../telemetry.ts";
import { listen } from "./listen.ts";

interface ApiOptions {
  config: Config;
  database: Database;
  hints: Hints;
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
export async function startApi(options: ApiOptions): Promise<Service> {
  // Loaded here, so that the other commands need not wait for it.
  const { createService } = await import("../service.ts");
  const service = await createService(options);
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
export async function drainApi(service: Service, seconds: number, logger: Logger): Promise<void> {
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
