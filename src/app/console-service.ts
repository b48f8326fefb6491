import { join } from "node:path";
import type { People } from "../accounts/people.ts";
import type { Applications } from "../applications/applications.ts";
import type { Config } from "../config/config.ts";
import type { Connections } from "../connections/connections.ts";
import { createConsoleApplications } from "../console/applications.ts";
import { createConsoleConnections } from "../console/connections.ts";
import { createConsoleCredits } from "../console/credits.ts";
import { createConsoleExecutions } from "../console/executions.ts";
import { createFirstErrands } from "../console/first-errand.ts";
import { createOwners, createSetup, type InstallationStatus } from "../console/installation.ts";
import { createVisitors } from "../console/visitor.ts";
import type { StatusCheck } from "../contract/console/account.ts";
import type { ArtifactFiles } from "../executions/artifacts.ts";
import type { Credits } from "../executions/credits.ts";
import type { Executions } from "../executions/executions.ts";
import type { AccountDependencies, ConsoleDependencies } from "../http/console/routes.ts";
import { describeError } from "../lib/errors.ts";
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
import { createSignInStore } from "../storage/sql/sign-ins.ts";
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

interface ConsoleServiceOptions extends ConsoleAccountOptions {
  hints: Notifications;
  credits: Credits;
}

/** Everything behind the console. */
export function createConsoleService(options: ConsoleServiceOptions): ConsoleDependencies {
  const { database, hints, artifactFiles, executions, credits } = options;
  const deletionMeans = { database, hints, files: artifactFiles };
  const applications = createConsoleApplications({
    store: createConsoleApplicationStore(deletionMeans),
    applications: options.applications,
  });
  return {
    ...createConsoleAccount(options),
    visitors: createVisitors({ store: createVisitorStore(database) }),
    applications,
    connections: createConsoleConnections({
      store: createConsoleConnectionStore(deletionMeans),
      applications,
      signIns: createSignInStore(database, hints),
    }),
    executions: createConsoleExecutions({ store: createConsoleExecutionStore(database), executions }),
    credits: createConsoleCredits({ store: createConsoleCreditStore(database), credits }),
  };
}

interface ConsoleAccountOptions {
  config: Config;
  database: Database;
  artifactFiles: ArtifactFiles;
  people: People;
  setupKey: Buffer;
  applications: Applications;
  connections: Connections;
  executions: Executions;
  /** Throws when no browser can be had; undefined in a process that has none. */
  checkReady: (() => Promise<void>) | undefined;
  demoUrl: string | null;
  /** Where the build of the console is, unless in its usual place. */
  folder: string | undefined;
}

const BUILT_CONSOLE = join(import.meta.dirname, "../../web/dist");

/** The part of the console that is about people and about the installation itself. */
function createConsoleAccount(options: ConsoleAccountOptions): AccountDependencies {
  const { config, database, people, setupKey, demoUrl, folder = BUILT_CONSOLE } = options;
  return {
    setup: createSetup({ store: createSetupStore(database), people, key: setupKey }),
    owners: createOwners({ store: createOwnerStore(database), publicUrl: config.publicUrl }),
    status: createInstallationStatus(options),
    firstErrands: createFirstErrands({ ...options, store: createFirstErrandStore(database), demoUrl }),
    executionPrice: config.executionPrice,
    folder,
  };
}

interface StatusOptions {
  config: Config;
  database: Database;
  artifactFiles: ArtifactFiles;
  /** Throws when no browser can be had; undefined in a process that has none. */
  checkReady: (() => Promise<void>) | undefined;
  demoUrl: string | null;
}

interface Check {
  name: string;
  look(): Finding | Promise<Finding>;
  /** For a look that fails. */
  advise?(error: unknown): string | null;
}

const CHECK_MS = 10_000;

/** The checks of `errand doctor`, from within the running service: nothing is opened that is open, and no model is asked. */
function createInstallationStatus(options: StatusOptions): InstallationStatus {
  const { config, database, artifactFiles, checkReady, demoUrl } = options;
  const advise = (error: unknown) => adviseOnDatabase(config, error);
  const checks: Check[] = [
    { name: "settings", look: () => checkSettings(config) },
    { name: "database", look: () => checkDatabase(database, config), advise },
    { name: "keys", look: () => checkKeys(database, config), advise },
    { name: "disk", look: () => checkDisk(config) },
    { name: "artifacts", look: () => checkArtifacts(config, artifactFiles) },
    {
      name: "browser",
      look: () => (checkReady === undefined ? NO_BROWSER : checkBrowser(config, checkReady)),
      advise: () => "“errand doctor” says more; “scripts/bootstrap --browser” gets one.",
    },
    { name: "worker", look: () => checkWorker(config) },
    { name: "queue", look: () => checkQueue(database), advise },
    { name: "webhooks", look: () => checkWebhooks(database), advise },
    { name: "demo shop", look: () => ({ status: "ok", message: demoUrl ?? "not open in this process" }) },
    { name: "model", look: () => describeModels(config) },
  ];
  return { check: () => Promise.all(checks.map(runStatusCheck)) };
}

const NO_BROWSER: Finding = { status: "ok", message: "none in this process: the workers have theirs" };
const TIMED_OUT: Finding = { status: "problem", message: `no answer within ${CHECK_MS / 1_000} s` };
const STATES = { ok: "ok", warning: "warning", problem: "failed" } as const;

async function runStatusCheck(check: Check): Promise<StatusCheck> {
  const { status, message, fix = null } = (await withTimeout(attempt(check), CHECK_MS)) ?? TIMED_OUT;
  return { name: check.name, state: STATES[status], message, advice: fix };
}

async function attempt({ look, advise = () => null }: Check): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    const fix = advise(error);
    return { status: "problem", message: describeError(error), ...(fix !== null && { fix }) };
  }
}

function describeModels({ models: { planner, verifier } }: Config): Finding {
  const message =
    planner === null
      ? "none: the built-in planner, which needs no key"
      : `${planner.spec}; “errand doctor” tries it out`;
  const other = verifier === null || verifier === planner ? "" : `; the verifier's: ${verifier.spec}`;
  return { status: "ok", message: message + other };
}
