import { join } from "node:path";
import type { People } from "../accounts/people.ts";
import type { Applications } from "../applications/applications.ts";
import type { Config } from "../config/config.ts";
import type { Connections } from "../connections/connections.ts";
import type { SignInImports } from "../connections/sign-in/import-sign-in.ts";
import type { SignInCredentials } from "../connections/sign-in/store-credentials.ts";
import { createConsoleApplications } from "../console/applications.ts";
import { createConsoleConnections } from "../console/connections.ts";
import { createConsoleCredits } from "../console/credits.ts";
import { createConsoleExecutions } from "../console/executions.ts";
import { createFirstErrands } from "../console/first-errand.ts";
import { createOwners, createSetup, type InstallationStatus } from "../console/installation.ts";
import { createConsoleInteractions } from "../console/interactions.ts";
import { createVisitors } from "../console/visitor.ts";
import type { StatusCheck } from "../contract/console/account.ts";
import type { ArtifactFiles } from "../executions/artifacts.ts";
import type { Credits } from "../executions/credits.ts";
import type { Executions } from "../executions/executions.ts";
import type { Interactions } from "../executions/interactions.ts";
import type { ConsoleDependencies } from "../http/dependencies.ts";
import { describeError } from "../lib/errors.ts";
import { INSTALL_BROWSER_COMMAND } from "../lib/installation.ts";
import { withTimeout } from "../lib/waiting.ts";
import type { Database } from "../storage/database.ts";
import type { Notifications } from "../storage/notifications.ts";
import {
  createFirstErrandStore,
  createOwnerStore,
  createSetupStore,
  createVisitorStore,
} from "../storage/sql/accounts.ts";
import { createConsoleApplicationStore } from "../storage/sql/applications.ts";
import { createConsoleConnectionStore } from "../storage/sql/connections.ts";
import { createConsoleExecutionStore } from "../storage/sql/console-executions.ts";
import { createConsoleCreditStore } from "../storage/sql/credits.ts";
import { adviseOnDatabase } from "./database-advice.ts";
import {
  checkArtifacts,
  checkBrowser,
  checkDatabase,
  checkDisk,
  checkKeys,
  checkQueue,
  checkSettings,
  checkWebhooks,
  checkWorker,
  type Finding,
} from "./health-checks.ts";
import { createRecipeService } from "./recipe-service.ts";
import { readStepsForConsole } from "./understood-steps.ts";

interface ConsoleServiceOptions extends StatusOptions {
  notifications: Notifications;
  people: People;
  setupKey: Buffer;
  applications: Applications;
  connections: Connections;
  executions: Executions;
  interactions: Interactions;
  credits: Credits;
  /** Null in a process without browsers. */
  signInImports: SignInImports | null;
  signInCredentials: SignInCredentials;
  findOutputSchemaProblem(schema: object, requester: string): Promise<string | null>;
  /** Where the built console is; by default web/dist. */
  folder: string | undefined;
}

const BUILT_CONSOLE = join(import.meta.dirname, "../../web/dist");

/** Everything behind the console. */
export function createConsoleService(options: ConsoleServiceOptions): ConsoleDependencies {
  const { config, database, notifications, artifactFiles, people, setupKey, executions, credits, demoUrl } = options;
  const deletion = { database, notifications, files: artifactFiles };
  const applications = createConsoleApplications({
    store: createConsoleApplicationStore(deletion),
    applications: options.applications,
  });
  const recipes = createRecipeService(database, {
    isOn: config.recipes === "on",
    findOutputSchemaProblem: options.findOutputSchemaProblem,
  });
  const consoleExecutions = createConsoleExecutions({
    store: createConsoleExecutionStore(database),
    executions,
    recipes,
  });
  return {
    setup: createSetup({ store: createSetupStore(database), people, key: setupKey }),
    owners: createOwners({ store: createOwnerStore(database), publicUrl: config.publicUrl }),
    status: createInstallationStatus(options),
    firstErrands: createFirstErrands({ ...options, store: createFirstErrandStore(database), demoUrl }),
    executionPrice: config.executionPrice,
    hasModel: config.models.planner !== null,
    readSteps: readStepsForConsole,
    folder: options.folder ?? BUILT_CONSOLE,
    visitors: createVisitors({ store: createVisitorStore(database) }),
    applications,
    connections: createConsoleConnections({
      store: createConsoleConnectionStore(deletion),
      applications,
      signInImports: options.signInImports,
      credentials: options.signInCredentials,
    }),
    executions: consoleExecutions,
    interactions: createConsoleInteractions({ executions: consoleExecutions, interactions: options.interactions }),
    recipes,
    credits: createConsoleCredits({ store: createConsoleCreditStore(database), credits }),
  };
}

interface StatusOptions {
  config: Config;
  database: Database;
  artifactFiles: ArtifactFiles;
  /** Throws when no browser is available; undefined in a process that has none. */
  checkReady: (() => Promise<void>) | undefined;
  demoUrl: string | null;
}

interface Check {
  name: string;
  run(): Finding | Promise<Finding>;
  /** What to do if `run` throws. */
  advise?(error: unknown): string | null;
}

const CHECK_TIMEOUT_MS = 10_000;

/** The checks of `errand doctor` inside the running service: on its own connections, and without calling a model. */
function createInstallationStatus(options: StatusOptions): InstallationStatus {
  const { config, database, artifactFiles, checkReady, demoUrl } = options;
  const advise = (error: unknown) => adviseOnDatabase(config, error);
  const checks: Check[] = [
    { name: "settings", run: () => checkSettings(config) },
    { name: "database", run: () => checkDatabase(database, config), advise },
    { name: "keys", run: () => checkKeys(database, config), advise },
    { name: "disk", run: () => checkDisk(config) },
    { name: "artifacts", run: () => checkArtifacts(config, artifactFiles) },
    {
      name: "browser",
      run: () => (checkReady === undefined ? NO_BROWSER : checkBrowser(config, checkReady)),
      advise: () => `Run errand doctor for details. ${INSTALL_BROWSER_COMMAND} installs a browser.`,
    },
    { name: "worker", run: () => checkWorker(config) },
    { name: "queue", run: () => checkQueue(database, config), advise },
    { name: "webhooks", run: () => checkWebhooks(database), advise },
    { name: "demo shop", run: () => ({ status: "ok", message: demoUrl ?? "Not running in this process" }) },
    { name: "model", run: () => describeModels(config) },
  ];
  return { check: () => Promise.all(checks.map(runStatusCheck)) };
}

const NO_BROWSER: Finding = { status: "ok", message: "None in this process; workers have their own" };
const TIMED_OUT: Finding = { status: "problem", message: `No result within ${CHECK_TIMEOUT_MS / 1_000} s` };
const STATES = { ok: "ok", warning: "warning", problem: "failed" } as const;

async function runStatusCheck(check: Check): Promise<StatusCheck> {
  const { status, message, fix = null } = (await withTimeout(attempt(check), CHECK_TIMEOUT_MS)) ?? TIMED_OUT;
  return { name: check.name, state: STATES[status], message, advice: fix };
}

async function attempt({ run, advise = () => null }: Check): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    const fix = advise(error);
    return { status: "problem", message: describeError(error), ...(fix !== null && { fix }) };
  }
}

function describeModels({ models: { planner, verifier } }: Config): Finding {
  const message =
    planner === null ? "None; prompts are read as steps" : `${planner.spec} (run errand doctor to test it)`;
  const other = verifier === null || verifier === planner ? "" : `; verifier: ${verifier.spec}`;
  return { status: "ok", message: message + other };
}
