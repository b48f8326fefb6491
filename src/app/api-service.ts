import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import packageJson from "../../package.json" with { type: "json" };
import { createPasswordResets } from "../accounts/password-reset.ts";
import { createPeople } from "../accounts/people.ts";
import type { Applications } from "../applications/applications.ts";
import { createOwnerKeys } from "../applications/owner-keys.ts";
import { matchesRedirectUri } from "../applications/redirect-uri.ts";
import type { BrowserPool } from "../browser/pool/browser-pool.ts";
import type { Config } from "../config/config.ts";
import { createKeyRing, deriveSecrets, loadMasterKey } from "../config/master-keys.ts";
import type { Connections } from "../connections/connections.ts";
import { createSignInImports } from "../connections/sign-in/import-sign-in.ts";
import type { LiveSignInLimits } from "../connections/sign-in/live-sign-in.ts";
import type { SignInAttempt, SignInRequest } from "../connections/sign-in/sign-in-attempts.ts";
import { createSignIns, type SignIns } from "../connections/sign-in/sign-ins.ts";
import { createSignInCredentials, type SignInCredentials } from "../connections/sign-in/store-credentials.ts";
import { createVault } from "../connections/vault/vault.ts";
import { createArtifacts } from "../executions/artifacts.ts";
import { createExecutions } from "../executions/executions.ts";
import { createInteractions } from "../executions/interactions.ts";
import { createLiveLinks } from "../executions/live-link.ts";
import { createLiveSealer, createLiveViews } from "../executions/live-view.ts";
import { createOutputSchemaChecker } from "../executions/output-schema-checker.ts";
import { createApp } from "../http/app.ts";
import type { App } from "../http/dependencies.ts";
import { createOpenResponseLimit } from "../http/open-response-limit.ts";
import { HTTP_TIMEOUTS, type HttpTimeouts } from "../http/server-options.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { resolveWithSystem } from "../lib/name-resolution.ts";
import { buildAuthorizationResponseUrl } from "../oauth/authorization.ts";
import { createClientDocumentLoader } from "../oauth/client-document.ts";
import { isClientUrl } from "../oauth/mcp-tokens.ts";
import { createOAuth, type OAuth } from "../oauth/oauth.ts";
import { OAuthError } from "../oauth/protocol.ts";
import { openArtifactFiles } from "../storage/artifacts/artifact-files.ts";
import { createDatabaseProbe, type Database, isUnavailable } from "../storage/database.ts";
import type { Notifications } from "../storage/notifications.ts";
import { createArtifactStore } from "../storage/sql/artifacts.ts";
import { createCredentialStore } from "../storage/sql/credentials.ts";
import { createExecutionStore } from "../storage/sql/executions.ts";
import { createInteractionStore } from "../storage/sql/interactions.ts";
import { createLiveViewStore } from "../storage/sql/live-views.ts";
import { createMcpTokenStore } from "../storage/sql/mcp-tokens.ts";
import { createOAuthStore } from "../storage/sql/oauth.ts";
import { createOwnerKeyStore } from "../storage/sql/owner-keys.ts";
import { createRecipeMatchStore } from "../storage/sql/recipes.ts";
import { createSignInAttemptStore, createSignInStore } from "../storage/sql/sign-ins.ts";
import { setCreditsLowAt } from "../storage/sql/webhook-deliveries.ts";
import { limitLookups } from "../webhooks/send-message.ts";
import { createLiveBrowserOpener } from "./configured-browsers.ts";
import { createConsoleService } from "./console-service.ts";
import { listReadinessChecks } from "./health-checks.ts";
import { createMailer } from "./mailer.ts";
import { createOperations } from "./operations.ts";
import { NO_TELEMETRY, type Telemetry } from "./telemetry.ts";
import { createWebhookService } from "./webhook-service.ts";

/** The HTTP API with everything behind it, not yet listening. */
export interface ApiService extends AsyncDisposable {
  app: App;
  /** Ends waiting reads and event streams, so that closing does not wait for them. */
  beginStopping(): void;
  /** Closes connections without an open request, including those that never sent one. */
  closeIdleConnections(): void;
  /** The code that lets someone on another machine become the owner; null once the installation has one. */
  findSetupCode(): Promise<string | null>;
}

interface ApiServiceOptions {
  config: Config;
  database: Database;
  notifications: Notifications;
  logger: Logger;
  clock?: Clock;
  /** In a process that also runs executions: throws when no browser is available. */
  checkBrowser?: (() => Promise<void>) | undefined;
  /** In a process that also runs executions: throws when artifacts cannot be stored. */
  checkArtifacts?: (() => Promise<void>) | undefined;
  /** For live sign-ins. Without browsers, applications with a sign-in URL cannot be connected. */
  browsers?: SignInBrowsers | undefined;
  /** The demo shop, for the first errand in the console. */
  demoUrl?: string | null | undefined;
  /** Where the built console is; by default web/dist. */
  consoleFolder?: string | undefined;
  timeouts?: HttpTimeouts;
  telemetry?: Telemetry;
}

const DOWNLOADS = { perCaller: 50, total: 500 };

export async function createApiService({
  config,
  database,
  notifications,
  logger,
  clock = systemClock,
  checkBrowser,
  checkArtifacts,
  browsers,
  demoUrl = null,
  consoleFolder,
  timeouts = HTTP_TIMEOUTS,
  telemetry = NO_TELEMETRY,
}: ApiServiceOptions): Promise<ApiService> {
  await using disposables = new AsyncDisposableStack();
  const secrets = deriveSecrets(loadMasterKey(config.secretKey, config.dataDir));
  const outputSchemas = disposables.use(createOutputSchemaChecker());
  const { applications, connections, credits, mcpTokens } = createOperations(database);
  const stopping = new AbortController();
  await setCreditsLowAt(database, config.creditsLowAt);

  const executions = createExecutions({
    store: createExecutionStore(database, notifications),
    updates: notifications,
    recipes: config.recipes === "on" ? createRecipeMatchStore(database) : null,
    price: config.executionPrice,
    maxQueued: config.maxQueued,
    findOutputSchemaProblem: outputSchemas.findProblem,
    tracer: telemetry.tracer,
  });

  const keyRing = createKeyRing(config);
  const vault = createVault(keyRing);
  const oauth = createOAuth({
    applications,
    store: createOAuthStore(database),
    vault,
    mcpTokens: createMcpTokenStore(database),
    publicUrl: config.publicUrl,
    loadClientDocument: createClientDocumentLoader({
      allowHosts: config.allowHosts,
      resolve: limitLookups(resolveWithSystem),
      clock,
    }),
  });
  const credentials = createSignInCredentials({ applications, store: createCredentialStore(database), vault, clock });
  const signIns =
    browsers === undefined
      ? null
      : disposables.use(
          createSignInService({
            ...{ config, database, applications, connections, credentials, oauth, browsers, clock, logger },
          }),
        );

  const people = createPeople({ database: database.kysely, secret: secrets.session, publicUrl: config.publicUrl });
  const artifactFiles = disposables.use(openArtifactFiles(config));
  const interactions = createInteractions({
    store: createInteractionStore(database, notifications),
    keyRing,
    executions,
    publicUrl: config.publicUrl,
  });
  const consoleService = createConsoleService({
    config,
    database,
    notifications,
    people,
    setupKey: secrets.setup,
    artifactFiles,
    applications,
    connections,
    executions,
    interactions,
    credits,
    signInCredentials: credentials,
    findOutputSchemaProblem: outputSchemas.findProblem,
    checkReady: checkBrowser ?? browsers?.pool.checkReady,
    signInImports:
      browsers === undefined
        ? null
        : createSignInImports({
            applications,
            openBrowser: createLiveBrowserOpener({ ...browsers, clock }),
            signIns: createSignInStore(database, notifications),
            vault,
            maxLive: config.maxSignIns,
          }),
    demoUrl,
    folder: consoleFolder,
  });
  const liveViewStore = createLiveViewStore(database, notifications);
  const probe = disposables.use(createDatabaseProbe(database));
  const app = await createApp({
    applications,
    ownerKeys: createOwnerKeys({ store: createOwnerKeyStore(database) }),
    connections,
    credits,
    executions,
    artifacts: createArtifacts({
      store: createArtifactStore(database),
      files: artifactFiles,
      executions,
    }),
    interactions,
    live: {
      links: createLiveLinks({ key: secrets.liveLink, publicUrl: config.publicUrl, clock, ...liveViewStore }),
      views: createLiveViews({
        store: liveViewStore,
        updates: notifications,
        sealer: createLiveSealer(keyRing),
        onError: (error) => logger.debug({ err: error }, "Reading a live view failed"),
      }),
    },
    webhooks: createWebhookService(database, config),
    oauth,
    mcpTokens,
    version: packageJson.version,
    people,
    passwordResets: createPasswordResets({
      database: database.kysely,
      people,
      publicUrl: config.publicUrl,
      sendMail: config.smtpUrl === null ? null : createMailer({ smtpUrl: config.smtpUrl, mailFrom: config.mailFrom }),
      onMailFailed: (error) => logger.error({ err: error }, "A mail could not be sent"),
    }),
    signIns,
    console: consoleService,
    clock,
    logger,
    publicUrl: config.publicUrl,
    formKey: secrets.form,
    trustProxy: config.trustProxy,
    limits: {
      create: { perMinute: config.createsPerMinute, burst: config.rateBurst },
      read: { perMinute: config.readsPerMinute, burst: config.rateBurst },
      signIn: { perMinute: config.signInsPerMinute, burst: config.signInsPerMinute },
    },
    openResponses: {
      following: createOpenResponseLimit({
        name: "waiting reads and event streams",
        perCaller: config.maxOpenPerToken,
        total: config.maxOpen,
      }),
      downloading: createOpenResponseLimit({ name: "downloads", ...DOWNLOADS }),
    },
    maxConnections: config.maxConnections,
    maxConsoleRequests: Math.max(1, Math.floor(database.pool.options.max / 2)),
    timeouts,
    metrics: { registries: telemetry.registries, token: config.metricsToken },
    stopping: stopping.signal,
    readiness: listReadinessChecks({ checkDatabase: probe.check, checkBrowser, checkArtifacts }),
    isUnavailable,
  });
  disposables.defer(() => app.close());
  const silent = watchSilentConnections(app.server);

  const owned = disposables.move();
  return {
    app,
    beginStopping: () => stopping.abort(),
    closeIdleConnections() {
      app.server.closeIdleConnections();
      for (const socket of silent) socket.destroy();
    },
    findSetupCode: consoleService.setup.findCode,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Connections that have not sent a request yet, which Node does not count as idle. */
function watchSilentConnections(server: Server): Set<Socket> {
  const silent = new Set<Socket>();
  server.on("connection", (socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  for (const event of ["request", "upgrade"]) {
    server.on(event, ({ socket }: IncomingMessage) => silent.delete(socket));
  }
  return silent;
}

/** The browsers for live sign-ins. */
export interface SignInBrowsers {
  pool: BrowserPool;
  /** Private hosts that they may reach. */
  privateHosts: readonly string[];
  /** For tests. */
  limits?: Partial<LiveSignInLimits>;
}

interface SignInServiceOptions {
  config: { publicUrl: string; maxSignIns: number };
  database: Database;
  applications: Applications;
  connections: Connections;
  credentials: SignInCredentials;
  oauth: OAuth;
  browsers: SignInBrowsers;
  clock: Clock;
  logger: Logger;
}

/** Live sign-ins with their browsers and the OAuth response that follows. */
function createSignInService(options: SignInServiceOptions): SignIns {
  const { config, database, applications, connections, credentials, oauth, browsers, clock, logger } = options;
  const { pool, privateHosts, limits = {} } = browsers;
  const buildUrl = ({ redirectUri, state }: SignInRequest, response: { code: string } | OAuthError) =>
    buildAuthorizationResponseUrl(redirectUri, config.publicUrl, state, response);

  async function grant(attempt: SignInAttempt, signIn: Parameters<OAuth["grant"]>[1]): Promise<string | null> {
    // The application may have changed since the user agreed: codes go only to redirect URIs that are still registered.
    const application = await applications.find(attempt.applicationId);
    const isRegistered =
      application?.redirectUris.some((uri) => matchesRedirectUri(uri, attempt.redirectUri)) ||
      attempt.redirectUri === `${config.publicUrl}/connected` ||
      (attempt.client !== null && isClientUrl(attempt.client.id) && application?.mcpClients);
    if (isRegistered !== true) return null;
    const granted = await oauth.grant(attempt, signIn);
    return granted === null ? null : buildUrl(attempt, granted);
  }

  return createSignIns({
    store: createSignInAttemptStore(database),
    applications,
    openBrowser: createLiveBrowserOpener({ pool, privateHosts, clock }),
    goBackWithCode: (attempt, signIn) => grant(attempt, { ...signIn, attemptId: attempt.id }),
    goBackSignedIn: (attempt) => grant(attempt, "saved"),
    credentialsUrl: (attemptId) => `${config.publicUrl}/connect/${attemptId}/credentials`,
    async storeCredentials({ applicationId, userId }, entry) {
      return credentials.store(await connections.open(applicationId, userId), entry);
    },
    goBackWithError: (request, error, message) => buildUrl(request, new OAuthError(error, message)),
    maxLive: config.maxSignIns,
    limits,
    logger,
  });
}
