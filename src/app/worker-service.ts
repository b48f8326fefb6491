import { hostname } from "node:os";
import type { Errand, ErrandOutcome } from "../agent/loop/errand.ts";
import type { Planner } from "../agent/planner/planner.ts";
import type { Judge } from "../agent/verifier/judge.ts";
import type { BrowserPool } from "../browser/pool/browser-pool.ts";
import type { BrowserState } from "../browser/state/browser-state.ts";
import type { Config, ModelAccess } from "../config/config.ts";
import { createKeyRing } from "../config/master-keys.ts";
import { createSignInRenewals } from "../connections/sign-in/renew-sign-in.ts";
import { createVault } from "../connections/vault/vault.ts";
import { ARTIFACT_CHECK_BYTES, checkArtifactFiles, createArtifactWriter } from "../executions/artifacts.ts";
import { createRunInteractions } from "../executions/interactions.ts";
import { createLiveSealer } from "../executions/live-view.ts";
import { createOutputSchemaChecker } from "../executions/output-schema-checker.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { NO_TRACES, type Tracer } from "../lib/tracing.ts";
import type { Model } from "../models/model.ts";
import { openArtifactFiles } from "../storage/artifacts/artifact-files.ts";
import { type Database, isUnavailable } from "../storage/database.ts";
import type { Notifications } from "../storage/notifications.ts";
import { findApplicationOf } from "../storage/sql/applications.ts";
import { createArtifactStore } from "../storage/sql/artifacts.ts";
import { createCredentialStore } from "../storage/sql/credentials.ts";
import { createInteractionStore } from "../storage/sql/interactions.ts";
import { createLiveViewStore } from "../storage/sql/live-views.ts";
import { createQueueStore } from "../storage/sql/queue.ts";
import { createRecipeRunStore } from "../storage/sql/recipes.ts";
import { createSignInStore } from "../storage/sql/sign-ins.ts";
import { createSpendingStore } from "../storage/sql/spending.ts";
import type { RunDependencies } from "../worker/run-dependencies.ts";
import { startWorker, type Worker } from "../worker/worker.ts";
import { createLiveBrowserOpener } from "./configured-browsers.ts";
import { openDemoShop, readDemoPort, saveDemoPort } from "./demo-shop.ts";

interface WorkerServiceOptions {
  config: Config;
  database: Database;
  notifications: Notifications;
  browsers: BrowserPool;
  /** Private hosts that executions may reach. */
  privateHosts: readonly string[];
  logger: Logger;
  tracer?: Tracer;
  clock?: Clock;
  /** Whether somebody at a terminal can answer what runs ask. */
  isAttended?: boolean;
  /** For tests; by default the real agent with the configured models. */
  agent?: Agent;
}

interface Agent {
  runErrand(errand: Errand): Promise<ErrandOutcome>;
  planner: Planner;
  judge: Judge | null;
  /** Throws while a required model is unavailable. */
  checkModel?(signal: AbortSignal): Promise<void>;
}

interface WorkerService extends AsyncDisposable {
  /** Shared by all executions. */
  dependencies: RunDependencies;
  /** Starts webhook deliveries, housekeeping and sign-in checks. */
  startBackground(connectionString: string): Promise<AsyncDisposable>;
}

/** A bucket does not fill up, so a small file is enough to check it. */
const PROBE_BYTES = 64;
const STOP_TIMEOUT_MS = 10_000;
const DOWNLOADS = { maxFiles: 20, maxBytes: 50 * 1024 * 1024 };

/** Everything needed to run executions. */
export async function createWorkerService(options: WorkerServiceOptions): Promise<WorkerService> {
  const { config, database, notifications, browsers, privateHosts, tracer = NO_TRACES, clock = systemClock } = options;
  // Logs of several machines are often collected in one place.
  const logger = options.logger.child({ worker: `${hostname()}:${process.pid}` });
  const { runErrand, planner, judge, checkModel = async () => {} } = options.agent ?? (await loadAgent(config));
  const outputSchemas = createOutputSchemaChecker();
  const artifactFiles = openArtifactFiles(config);
  const signIns = createSignInStore(database, notifications);
  const keyRing = createKeyRing(config);
  const vault = createVault(keyRing);
  const dependencies: RunDependencies = {
    queue: createQueueStore(database, notifications),
    updates: notifications,
    artifacts: createArtifactWriter({
      store: createArtifactStore(database),
      files: artifactFiles,
    }),
    interactions: createRunInteractions({
      store: createInteractionStore(database, notifications),
      keyRing,
      updates: notifications,
      lifetimeMs: config.approvalMinutes * 60_000,
    }),
    spending: createSpendingStore(database),
    recipes: createRecipeRunStore(database),
    usesRecipes: config.recipes === "on",
    liveView: { store: createLiveViewStore(database, notifications), sealer: createLiveSealer(keyRing) },
    isAttended: options.isAttended ?? false,
    runErrand,
    planner,
    judge,
    signIns,
    vault,
    renewals: createSignInRenewals({
      credentials: createCredentialStore(database),
      vault,
      findApplication: (connectionId) => findApplicationOf(database, connectionId),
      openBrowser: createLiveBrowserOpener({ pool: browsers, privateHosts, clock }),
      clock,
      logger,
    }),
    openSession: ({ allowedHosts, access, state }, signal) => {
      const options = { allowedHosts, privateHosts, access, downloads: DOWNLOADS, clock };
      // The vault returns exactly what was captured in a browser and sealed.
      return browsers.openSession(state === null ? options : { ...options, state: state as BrowserState }, signal);
    },
    checkBrowser: () => browsers.checkReady(),
    checkModel,
    checkArtifacts: () =>
      checkArtifactFiles(artifactFiles, config.artifactBucket === null ? ARTIFACT_CHECK_BYTES : PROBE_BYTES),
    findOutputProblems: (schema, data) => outputSchemas.findDataProblems(schema, data),
    limits: {
      maxSteps: config.maxSteps,
      maxDurationMs: config.maxMinutes * 60_000,
      maxTokens: config.maxTokens,
    },
    leaseMs: config.leaseSeconds * 1_000,
    stopTimeoutMs: STOP_TIMEOUT_MS,
    clock,
    logger,
    tracer,
    isUnavailable,
  };
  return {
    dependencies,
    async startBackground(connectionString) {
      // Loaded lazily: `errand run` does not need it.
      const { startBackground } = await import("./background-jobs.ts");
      return startBackground({ ...dependencies, config, database, signIns, files: artifactFiles, connectionString });
    },
    async [Symbol.asyncDispose]() {
      artifactFiles[Symbol.dispose]();
      await outputSchemas[Symbol.asyncDispose]();
    },
  };
}

interface PreparedWorkerOptions extends Omit<WorkerServiceOptions, "privateHosts" | "clock" | "agent"> {
  connectionString: string;
}

interface PreparedWorker extends AsyncDisposable {
  demo: RunningDemo | null;
  /** Private hosts that browsers may reach. */
  privateHosts: readonly string[];
  /** Throws when no browser is available. */
  checkBrowser(): Promise<void>;
  /** Throws when the worker cannot store artifacts. */
  checkArtifacts(): Promise<void>;
  /** Starts claiming executions and running background jobs. */
  start(): Promise<Worker>;
}

const BROWSER_CHECK_MS = 30_000;

/** A worker that has not started yet, and the demo shop. */
export async function prepareWorker(options: PreparedWorkerOptions): Promise<PreparedWorker> {
  const { config, connectionString, notifications, browsers, logger } = options;
  await using parts = new AsyncDisposableStack();
  const demo = config.demo ? await openDemo(config.dataDir, parts, logger) : null;
  const demoUrl = demo?.url ?? null;
  const privateHosts = [...config.allowHosts, ...(demoUrl === null ? [] : [new URL(demoUrl).host])];
  const { dependencies, startBackground } = parts.use(await createWorkerService({ ...options, privateHosts }));
  const owned = parts.move();
  let worker: Worker | null = null;
  return {
    demo,
    privateHosts,
    checkBrowser: rememberSuccess(() => browsers.checkReady()),
    async checkArtifacts() {
      if (worker?.listUnavailable().includes("artifacts")) throw new Error("The worker cannot store artifacts");
    },
    async start() {
      const background = config.backgroundJobs === "on" ? await startBackground(connectionString) : null;
      const started = startWorker({ ...dependencies, notifications, concurrency: config.concurrency });
      worker = started;
      return {
        listUnavailable: started.listUnavailable,
        async drain(graceMs) {
          await Promise.all([started.drain(graceMs), background?.[Symbol.asyncDispose]()]);
        },
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The demo shop, and the port it had before if something else uses that now. */
export interface RunningDemo {
  readonly url: string;
  readonly movedFrom: number | null;
}

async function openDemo(dataDir: string, parts: AsyncDisposableStack, logger: Logger): Promise<RunningDemo> {
  const onMail = ({ to, subject, text }: { to: string; subject: string; text: string }) =>
    logger.info({ to, subject, text }, "Mail of the demo shop (not sent)");
  const { shop, movedFrom } = await openDemoShop({ port: readDemoPort(dataDir), onMail });
  parts.use(shop);
  if (movedFrom !== null) saveDemoPort(dataDir, shop);
  return { url: shop.url, movedFrom };
}

/** Frequent readiness checks must not start a browser each time. */
function rememberSuccess(check: () => Promise<void>): () => Promise<void> {
  let goodUntilMs = 0;
  let checking: Promise<void> | null = null;
  return () => {
    if (performance.now() < goodUntilMs) return Promise.resolve();
    checking ??= check()
      .then(() => {
        goodUntilMs = performance.now() + BROWSER_CHECK_MS;
      })
      .finally(() => {
        checking = null;
      });
    return checking;
  };
}

/** Loads only what the configured models need. */
async function loadAgent({ models }: Config): Promise<Agent> {
  const [{ runErrand }, planner, judge] = await Promise.all([
    import("../agent/loop/run-errand.ts"),
    loadPlanner(models.planner),
    loadJudge(models.verifier),
  ]);
  return { runErrand, planner, judge, checkModel: (signal) => checkModels(models, signal) };
}

const CHECK_SILENCE_MS = 20_000;

/** Tries once, without retries: the caller checks again. */
async function checkModels({ planner, verifier }: Config["models"], signal: AbortSignal): Promise<void> {
  const { checkModelReachable } = await import("../models/probe-model.ts");
  for (const access of new Set([planner, verifier])) {
    if (access === null) continue;
    const silenceMs = Math.min(access.silenceMs, CHECK_SILENCE_MS);
    await checkModelReachable(await loadModel({ ...access, silenceMs, patienceMs: 0 }), signal);
  }
}

async function loadPlanner(access: ModelAccess | null): Promise<Planner> {
  const { createStepsPlanner, withStepFiles } = await import("../agent/steps/steps-planner.ts");
  if (access === null) return createStepsPlanner();
  const { createModelPlanner } = await import("../agent/planner/model/model-planner.ts");
  return withStepFiles(createModelPlanner(await loadModel(access)));
}

async function loadJudge(access: ModelAccess | null): Promise<Judge | null> {
  if (access === null) return null;
  const { createModelJudge } = await import("../agent/verifier/model-judge.ts");
  return createModelJudge(await loadModel(access));
}

async function loadModel(access: ModelAccess): Promise<Model> {
  const [{ createModel }, { withMetrics }] = await Promise.all([
    import("../models/create-model.ts"),
    import("../models/model-metrics.ts"),
  ]);
  return withMetrics(await createModel(access));
}
