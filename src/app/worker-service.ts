import { hostname } from "node:os";
import type { Errand, ErrandOutcome } from "../agent/loop/errand.ts";
import type { Planner } from "../agent/planner/planner.ts";
import type { Judge } from "../agent/verifier/judge.ts";
import type { BrowserPool } from "../browser/pool/browser-pool.ts";
import type { BrowserState } from "../browser/state/browser-state.ts";
import type { Config, ModelAccess } from "../config/config.ts";
import { createKeyRing } from "../config/master-keys.ts";
import { createVault } from "../connections/vault/vault.ts";
import { ARTIFACT_CHECK_BYTES, checkArtifactFiles, createArtifactKeeper } from "../executions/artifacts.ts";
import { createOutputSchemaChecker } from "../executions/output-schema-checker.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { NO_TRACES, type Tracer } from "../lib/tracing.ts";
import type { Model } from "../models/model.ts";
import { openArtifactFiles } from "../storage/artifacts/artifact-files.ts";
import { type Database, isUnavailable } from "../storage/database.ts";
import type { Notifications } from "../storage/notifications.ts";
import { createArtifactStore } from "../storage/sql/artifacts.ts";
import { createQueueStore } from "../storage/sql/queue.ts";
import { createSignInStore } from "../storage/sql/sign-ins.ts";
import type { RunDependencies } from "../worker/run-dependencies.ts";

interface WorkerServiceOptions {
  config: Config;
  database: Database;
  hints: Notifications;
  browsers: BrowserPool;
  /** Hosts at private addresses that runs may reach. */
  privateHosts: readonly string[];
  logger: Logger;
  tracer?: Tracer;
  clock?: Clock;
  /** The agent; by default the real one. */
  agent?: Agent;
}

interface Agent {
  runErrand(errand: Errand): Promise<ErrandOutcome>;
  planner: Planner;
  judge: Judge | null;
  /** Throws while a model that it needs cannot be had. */
  checkModel?(signal: AbortSignal): Promise<void>;
}

export interface WorkerService extends AsyncDisposable {
  /** What every run works with. */
  dependencies: RunDependencies;
  /** Starts what is done beside executions. */
  startBackground(connectionString: string): Promise<AsyncDisposable>;
}

/** A bucket does not fill up: it is there or not. */
const PROBE_BYTES = 64;
const STOP_PATIENCE_MS = 10_000;
const DOWNLOADS = { maxFiles: 20, maxBytes: 50 * 1024 * 1024 };

/** Everything that running executions needs. */
export async function createWorkerService(options: WorkerServiceOptions): Promise<WorkerService> {
  const { config, database, hints, browsers, privateHosts, tracer = NO_TRACES, clock = systemClock } = options;
  // Workers on many machines write to one log.
  const logger = options.logger.child({ worker: `${hostname()}:${process.pid}` });
  const { runErrand, planner, judge, checkModel = async () => {} } = options.agent ?? (await loadAgent(config));
  const outputSchemas = createOutputSchemaChecker();
  const artifactFiles = openArtifactFiles(config);
  const signIns = createSignInStore(database, hints);
  const dependencies: RunDependencies = {
    queue: createQueueStore(database, hints),
    updates: hints,
    artifacts: createArtifactKeeper({
      store: createArtifactStore(database),
      files: artifactFiles,
    }),
    runErrand,
    planner,
    judge,
    signIns,
    vault: createVault(createKeyRing(config)),
    openSession: ({ allowedHosts, access, state }, signal) => {
      const options = { allowedHosts, privateHosts, access, downloads: DOWNLOADS, clock };
      // What was captured in a browser and sealed comes out of the vault as it was.
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
    stopPatienceMs: STOP_PATIENCE_MS,
    clock,
    logger,
    tracer,
    isUnavailable,
  };
  return {
    dependencies,
    async startBackground(connectionString) {
      // Loaded here: a single errand from the command line needs none of it.
      const { startBackground } = await import("./background-jobs.ts");
      return startBackground({ ...dependencies, config, database, signIns, files: artifactFiles, connectionString });
    },
    async [Symbol.asyncDispose]() {
      artifactFiles[Symbol.dispose]();
      await outputSchemas[Symbol.asyncDispose]();
    },
  };
}

/** Loaded here, so that whoever has no model need not wait for what asks one. */
async function loadAgent({ models }: Config): Promise<Agent> {
  const [{ runErrand }, planner, judge] = await Promise.all([
    import("../agent/loop/run-errand.ts"),
    loadPlanner(models.planner),
    loadJudge(models.verifier),
  ]);
  return { runErrand, planner, judge, checkModel: (signal) => checkModels(models, signal) };
}

const CHECK_SILENCE_MS = 20_000;

/** Asks once: whoever checks tries again by himself. */
async function checkModels({ planner, verifier }: Config["models"], signal: AbortSignal): Promise<void> {
  const { checkModelReachable } = await import("../models/probe-model.ts");
  for (const access of new Set([planner, verifier])) {
    if (access === null) continue;
    const silenceMs = Math.min(access.silenceMs, CHECK_SILENCE_MS);
    await checkModelReachable(await loadModel({ ...access, silenceMs, patienceMs: 0 }), signal);
  }
}

async function loadPlanner(access: ModelAccess | null): Promise<Planner> {
  if (access === null) {
    const { createBuiltinPlanner } = await import("../agent/planner/builtin/builtin-planner.ts");
    return createBuiltinPlanner();
  }
  const { createModelPlanner } = await import("../agent/planner/model/model-planner.ts");
  return createModelPlanner(await loadModel(access));
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
