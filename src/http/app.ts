import type { IncomingMessage, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type RawServerDefault,
} from "fastify";
import type { People } from "../accounts/people.ts";
import type { Applications } from "../applications/applications.ts";
import type { Connections } from "../connections/connections.ts";
import type { SignIns } from "../connections/sign-in/sign-in-attempts.ts";
import { ErrorBody } from "../contract/error.ts";
import { Execution } from "../contract/execution.ts";
import { OAuthErrorBody } from "../contract/oauth.ts";
import { Webhook, WebhookDelivery } from "../contract/webhook.ts";
import type { Artifacts } from "../executions/artifacts.ts";
import type { Executions } from "../executions/executions.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { RateLimit } from "../lib/token-bucket.ts";
import type { OAuth } from "../oauth/oauth.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { addAssetRoutes } from "./console/assets.ts";
import { addConsoleRoutes, type ConsoleDependencies } from "./console/routes.ts";
import { addHealthRoutes } from "./health-app.ts";
import type { OpenResponseLimit } from "./open-response-limit.ts";
import { addCors, trackRoutes } from "./plugins/allowed-methods.ts";
import { createConnectionGuards } from "./plugins/authentication.ts";
import { addErrorHandling } from "./plugins/errors.ts";
import { addMetrics, type MetricsDependencies } from "./plugins/metrics.ts";
import { addRequestLog } from "./plugins/request-log.ts";
import { acceptForms, acceptJson, compileValidator } from "./plugins/request-validation.ts";
import { addDocsRoutes, addOpenApi } from "./routes/docs.ts";
import { addArtifactRoutes, addEventRoutes, addExecutionRoutes } from "./routes/executions.ts";
import { addLiveSignInRoutes, mayUpgrade } from "./routes/live-sign-in.ts";
import { addAuthorizeRoutes, addTokenRoutes } from "./routes/oauth.ts";
import { addSignInRoutes } from "./routes/sign-in.ts";
import { addWebhookRoutes } from "./routes/webhooks.ts";
import {
  chooseRequestId,
  type HttpTimeouts,
  sendBrokenPath,
  sendClientError,
  toServerOptions,
} from "./server-options.ts";

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, Logger, TypeBoxTypeProvider>;

export interface AppDependencies extends MetricsDependencies {
  applications: Applications;
  connections: Connections;
  executions: Executions;
  artifacts: Artifacts;
  webhooks: Webhooks;
  oauth: OAuth;
  people: People;
  /** Null in a process that has no browsers. */
  signIns: SignIns | null;
  console: ConsoleDependencies;
  clock: Clock;
  logger: Logger;
  /** The address people and applications use; the OAuth issuer. */
  publicUrl: string;
  formKey: Buffer;
  trustProxy: boolean;
  limits: { create: RateLimit; read: RateLimit; signIn: RateLimit };
  /** For answers that stay open. */
  places: { following: OpenResponseLimit; downloading: OpenResponseLimit };
  maxConnections: number;
  /** How many requests of the console are worked on at a time. */
  consoleAtOnce: number;
  timeouts: HttpTimeouts;
  /** Aborts when the service begins to stop: whoever waits for an update answers now. */
  stopping: AbortSignal;
  /** What must be so for this process to be ready: what is said when it is not, and a check that throws then. */
  readiness: Record<string, () => Promise<void>>;
  isUnavailable(error: unknown): boolean;
}

const BODY_MAX_BYTES = 1024 * 1024;

/** The whole HTTP interface, not yet listening. */
export async function createApp(dependencies: AppDependencies): Promise<App> {
  const app: App = fastify({
    loggerInstance: dependencies.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request_id" }),
    bodyLimit: BODY_MAX_BYTES,
    routerOptions: { maxParamLength: 16_384 },
    // Only the hop in front of us: what stood in the header before it was written by the client.
    trustProxy: dependencies.trustProxy && ((_address, hop) => hop === 0),
    forceCloseConnections: "idle",
    // A request that still comes in on an open connection while we stop is answered, and the connection then closed.
    return503OnClosing: false,
    requestTimeout: dependencies.timeouts.requestMs,
    connectionTimeout: dependencies.timeouts.stalledMs,
    http: { shouldUpgradeCallback: mayUpgrade, ...toServerOptions(dependencies.timeouts) },
    genReqId: chooseRequestId,
    clientErrorHandler: sendClientError,
    // A path that cannot be decoded never reaches a route, so no hook has run.
    frameworkErrors: (_error, request, reply) =>
      sendBrokenPath(request as unknown as FastifyRequest, reply as unknown as FastifyReply),
  });
  app.server.maxConnections = dependencies.maxConnections;
  app.setValidatorCompiler(compileValidator);
  // Answers are built field by field to their schema, which the tests hold them to.
  app.setSerializerCompiler(() => JSON.stringify);
  for (const schema of [Execution, Webhook, WebhookDelivery, ErrorBody, OAuthErrorBody]) app.addSchema(schema);

  app.addHook("onSend", async (_request, reply) => {
    if (dependencies.stopping.aborted) reply.header("connection", "close");
  });
  addRequestLog(app);
  addErrorHandling(app, { ...dependencies, whereToLook: "/docs lists what there is." });
  addCors(app);
  const addMethodNotAllowed = trackRoutes(app);
  addMetrics(app, dependencies);
  await addOpenApi(app, dependencies.publicUrl);

  await app.register(async (scope: App) => {
    acceptJson(scope);
    const guards = createConnectionGuards(scope, dependencies);
    addExecutionRoutes(scope, dependencies, guards);
    addEventRoutes(scope, dependencies, guards);
    addArtifactRoutes(scope, dependencies, guards);
    addWebhookRoutes(scope, dependencies);
  });
  await app.register(async (scope: App) => {
    acceptJson(scope);
    addConsoleRoutes(scope, dependencies);
  });
  await app.register(async (scope: App) => {
    acceptForms(scope);
    addTokenRoutes(scope, dependencies);
    addAuthorizeRoutes(scope, dependencies);
    addSignInRoutes(scope, dependencies);
    await addLiveSignInRoutes(scope, dependencies);
  });
  await app.register(async (scope: App) => {
    addHealthRoutes(scope, dependencies);
    addDocsRoutes(scope);
    addAssetRoutes(scope, dependencies);
    addMethodNotAllowed(scope);
  });
  await app.ready();
  return app;
}
