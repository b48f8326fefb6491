import { fastify, LogController } from "fastify";
import { CallerError } from "../lib/errors.ts";
import type { App, AppDependencies } from "./app.ts";
import { trackRoutes } from "./plugins/allowed-methods.ts";
import { addErrorHandling } from "./plugins/errors.ts";
import { addMetrics, type MetricsDependencies } from "./plugins/metrics.ts";
import { chooseRequestId, HTTP_TIMEOUTS, sendClientError, toServerOptions } from "./server-options.ts";

type HealthDependencies = MetricsDependencies &
  Pick<AppDependencies, "logger" | "readiness" | "stopping" | "isUnavailable">;

const MAX_CONNECTIONS = 100;
const BODY_MAX_BYTES = 1_024;

/** What a process that has no other interface tells of itself, not yet listening: /healthz, /readyz and /metrics. */
export async function createHealthApp(dependencies: HealthDependencies): Promise<App> {
  const app: App = fastify({
    loggerInstance: dependencies.logger,
    // Nobody asks for anything but how it is, and that every few seconds.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: chooseRequestId,
    bodyLimit: BODY_MAX_BYTES,
    forceCloseConnections: true,
    requestTimeout: HTTP_TIMEOUTS.requestMs,
    http: toServerOptions(HTTP_TIMEOUTS),
    clientErrorHandler: sendClientError,
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  addErrorHandling(app, { ...dependencies, whereToLook: "A worker has /healthz, /readyz and /metrics." });
  const addMethodNotAllowed = trackRoutes(app);
  addHealthRoutes(app, dependencies);
  addMetrics(app, dependencies);
  await app.register(async (scope: App) => addMethodNotAllowed(scope));
  await app.ready();
  return app;
}

export function addHealthRoutes(
  app: App,
  { readiness, stopping, logger }: Pick<AppDependencies, "readiness" | "stopping" | "logger">,
): void {
  app.get("/healthz", { schema: { hide: true } }, async () => ({ status: "ok" }));

  app.get("/readyz", { schema: { hide: true } }, async () => {
    if (stopping.aborted) throw new CallerError("UNAVAILABLE", "The service is stopping.", { retryAfterSeconds: 1 });
    for (const [complaint, check] of Object.entries(readiness)) {
      try {
        await check();
      } catch (error) {
        logger.warn({ err: error }, "not ready");
        throw new CallerError("UNAVAILABLE", complaint, { retryAfterSeconds: 1, cause: error });
      }
    }
    return { status: "ready" };
  });
}
