import { type FastifyReply, type FastifyRequest, fastify, LogController } from "fastify";
import { limitConnectionsPerNetwork } from "./connection-limits.ts";
import { addAssetRoutes } from "./console/assets.ts";
import { addConsoleRoutes } from "./console/routes.ts";
import type { App, AppDependencies } from "./dependencies.ts";
import { addHealthRoutes } from "./health-app.ts";
import { addCors, trackRoutes } from "./plugins/allowed-methods.ts";
import { createConnectionGuards, createManagementGuards } from "./plugins/authentication.ts";
import { addErrorHandling } from "./plugins/errors.ts";
import { addMetrics } from "./plugins/metrics.ts";
import { addOpenApi } from "./plugins/openapi.ts";
import { addRequestLog } from "./plugins/request-log.ts";
import { acceptForms, acceptJson, compileValidator } from "./plugins/request-validation.ts";
import { addUnreadBodies } from "./plugins/unread-bodies.ts";
import { addConnectionRoute, addOwnerRoutes } from "./routes/connections.ts";
import { addDocsRoutes } from "./routes/docs.ts";
import { addExecutionRoutes } from "./routes/executions.ts";
import { addInteractionPages, addInteractionRoutes } from "./routes/interactions.ts";
import { addLiveLinkRoute, addLiveRunPages } from "./routes/live-runs.ts";
import { addLiveSignInRoutes } from "./routes/live-sign-in.ts";
import { mayUpgrade } from "./routes/live-socket.ts";
import { addMcpRoutes } from "./routes/mcp.ts";
import { addAuthorizeRoutes, addTokenRoutes } from "./routes/oauth.ts";
import { addPasswordResetRoutes } from "./routes/password-reset.ts";
import { addSignInRoutes } from "./routes/sign-in.ts";
import { addWebhookRoutes } from "./routes/webhooks.ts";
import { chooseRequestId, sendBrokenPath, sendClientError, toServerOptions } from "./server-options.ts";

const BODY_MAX_BYTES = 1024 * 1024;

/** The whole HTTP interface, not yet listening. */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  const app: App = fastify({
    loggerInstance: dependencies.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    bodyLimit: BODY_MAX_BYTES,
    routerOptions: { maxParamLength: 16_384 },
    // Trust only the hop in front of us: the client may have written the rest of the header.
    trustProxy: dependencies.trustProxy && ((_address, hop) => hop === 0),
    forceCloseConnections: "idle",
    // While stopping, requests on open connections still get a response, and the connection is closed after it.
    return503OnClosing: false,
    requestTimeout: dependencies.timeouts.requestMs,
    connectionTimeout: dependencies.timeouts.stalledMs,
    http: { shouldUpgradeCallback: mayUpgrade, ...toServerOptions(dependencies.timeouts) },
    genReqId: chooseRequestId,
    clientErrorHandler: sendClientError,
    frameworkErrors: (_error, request, reply) =>
      sendBrokenPath(request as unknown as FastifyRequest, reply as unknown as FastifyReply),
  });
  app.server.maxConnections = dependencies.maxConnections;
  // A proxy's connections are those of all its clients.
  if (!dependencies.trustProxy) limitConnectionsPerNetwork(app.server, dependencies.maxConnections);
  app.setValidatorCompiler(compileValidator);
  // Responses are built to match their schemas, and tests check that they do.
  app.setSerializerCompiler(() => JSON.stringify);

  app.addHook("onSend", async (_request, reply) => {
    if (dependencies.stopping.aborted) reply.header("connection", "close");
  });
  addUnreadBodies(app);
  addRequestLog(app);
  addErrorHandling(app, { ...dependencies, notFoundAdvice: "See /docs for the list of endpoints." });
  addCors(app);
  const addMethodNotAllowed = trackRoutes(app);
  addMetrics(app, dependencies);
  await addOpenApi(app, dependencies.publicUrl);

  await app.register(async (scope: App) => {
    acceptJson(scope);
    const guards = createConnectionGuards(scope, dependencies);
    addExecutionRoutes(scope, dependencies, guards);
    addLiveLinkRoute(scope, dependencies, guards);
    addInteractionRoutes(scope, dependencies, guards);
    addConnectionRoute(scope, dependencies, guards);
    const management = createManagementGuards(scope, dependencies);
    addWebhookRoutes(scope, dependencies, management.ownerOrApplication);
    addOwnerRoutes(scope, dependencies, management.owner);
  });
  await app.register(async (scope: App) => {
    acceptJson(scope);
    addConsoleRoutes(scope, dependencies);
  });
  await app.register(async (scope: App) => {
    acceptJson(scope);
    addMcpRoutes(scope, dependencies);
  });
  await app.register(async (scope: App) => {
    acceptForms(scope);
    addTokenRoutes(scope, dependencies);
    addAuthorizeRoutes(scope, dependencies);
    addSignInRoutes(scope, dependencies);
    addPasswordResetRoutes(scope, dependencies);
    addInteractionPages(scope, dependencies);
    await addLiveSignInRoutes(scope, dependencies);
    addLiveRunPages(scope, dependencies);
  });
  await app.register(async (scope: App) => {
    addHealthRoutes(scope, dependencies);
    addDocsRoutes(scope, dependencies);
    addAssetRoutes(scope, dependencies);
    addMethodNotAllowed(scope);
  });
  await app.ready();
  return app;
}
