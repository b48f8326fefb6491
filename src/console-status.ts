import type { Config } from "./config/config.ts";
import type { InstallationStatus } from "./console/status.ts";
import type { StatusCheck } from "./contract/console/account.ts";
import { adviseOnDatabase } from "./database-advice.ts";
import {
  checkArtifacts,
  checkBrowser,
  checkDatabase,
  checkDisk,
  checkSettings,
  checkWorker,
  type Finding,
} from "./doctor-checks.ts";
import type { ArtifactFiles } from "./executions/artifact-store.ts";
import { checkKeys } from "./key-checks.ts";
import { describeError } from "./lib/describe-error.ts";
import { inTime } from "./lib/in-time.ts";
import type { Database } from "./storage/database.ts";
import { checkQueue, checkWebhooks } from "./work-checks.ts";

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
export function createInstallationStatus(options: StatusOptions): InstallationStatus {
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
  return { check: () => Promise.all(checks.map(examine)) };
}

const NO_BROWSER: Finding = { status: "ok", message: "none in this process: the workers have theirs" };
const LATE: Finding = { status: "problem", message: `no answer within ${CHECK_MS / 1_000} s` };
const STATES = { ok: "ok", warning: "warning", problem: "failed" } as const;

async function examine(check: Check): Promise<StatusCheck> {
  const { status, message, fix = null } = (await inTime(attempt(check), CHECK_MS)) ?? LATE;
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
