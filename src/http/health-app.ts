import { fastify, LogController } from "fastify";
import { CallerError } from "../lib/errors.ts";
import type { App, HealthDependencies } from "./dependencies.ts";
import { trackRoutes } from "./plugins/allowed-methods.ts";
import { addErrorHandling } from "./plugins/errors.ts";
import { addMetrics } from "./plugins/metrics.ts";
import { chooseRequestId, HTTP_TIMEOUTS, sendClientError, toServerOptions } from "./server-options.ts";

const MAX_CONNECTIONS = 100;
const BODY_MAX_BYTES = 1_024;

/** The HTTP interface of a process without an API, not yet listening: /healthz, /readyz and /metrics. */
export async function createHealthApp(dependencies: HealthDependencies): Promise<App> {
  const app: App = fastify({
    loggerInstance: dependencies.logger,
    // Only monitors call it, every few seconds: not worth a log line each.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    genReqId: chooseRequestId,
    bodyLimit: BODY_MAX_BYTES,
    forceCloseConnections: true,
    requestTimeout: HTTP_TIMEOUTS.requestMs,
    http: toServerOptions(HTTP_TIMEOUTS),
    clientErrorHandler: sendClientError,
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  addErrorHandling(app, { ...dependencies, notFoundAdvice: "A worker serves /healthz, /readyz and /metrics." });
  const addMethodNotAllowed = trackRoutes(app);
  addHealthRoutes(app, dependencies);
  addMetrics(app, dependencies);
  await app.register(async (scope: App) => addMethodNotAllowed(scope));
  await app.ready();
  return app;
}

export function addHealthRoutes(
  app: App,
  { readiness, stopping, logger }: Pick<HealthDependencies, "readiness" | "stopping" | "logger">,
): void {
  app.get("/healthz", { schema: { hide: true } }, async () => ({ status: "ok" }));

  app.get("/readyz", { schema: { hide: true } }, async () => {
    if (stopping.aborted) throw new CallerError("UNAVAILABLE", "The service is stopping.", { retryAfterSeconds: 1 });
    for (const [message, check] of Object.entries(readiness)) {
      try {
        await check();
      } catch (error) {
        logger.warn({ err: error }, "Not ready");
        throw new CallerError("UNAVAILABLE", message, { retryAfterSeconds: 1, cause: error });
      }
    }
    return { status: "ready" };
  });
}
