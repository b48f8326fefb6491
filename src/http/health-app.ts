import { fastify, LogController } from "fastify";
import type { App, AppDependencies } from "./app.ts";
import { answerClientError } from "./plugins/client-errors.ts";
import { addErrorHandling } from "./plugins/errors.ts";
import { watchPaths } from "./plugins/method-not-allowed.ts";
import { addMetrics, type MetricsDependencies } from "./plugins/metrics.ts";
import { chooseRequestId } from "./request-id.ts";
import { addHealthRoutes } from "./routes/health.ts";
import { HTTP_TIMEOUTS, toServerOptions } from "./timeouts.ts";

export type HealthDependencies = MetricsDependencies &
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
    clientErrorHandler: answerClientError,
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  addErrorHandling(app, { ...dependencies, whereToLook: "A worker has /healthz, /readyz and /metrics." });
  const addMethodNotAllowed = watchPaths(app);
  addHealthRoutes(app, dependencies);
  addMetrics(app, dependencies);
  await app.register(async (scope: App) => addMethodNotAllowed(scope));
  await app.ready();
  return app;
}
