import type { Config } from "../config/config.ts";
import type { SignInStore } from "../connections/vault/saved-sign-in.ts";
import type { ArtifactFiles, ArtifactListing } from "../executions/artifacts.ts";
import { type RetentionStore, removeOldArtifacts, removeOldExecutions, sweepFiles } from "../executions/retention.ts";
import { type JobSet, readId, type Task } from "../jobs/job.ts";
import { startJobs } from "../jobs/job-runner.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Database } from "../storage/database.ts";
import { createRetentionStore } from "../storage/sql/retention.ts";
import { setCreditsLowAt } from "../storage/sql/webhook-deliveries.ts";
import { type CheckDependencies, checkSignIn } from "../worker/check-sign-in.ts";
import { createWebhookDeliveries } from "./webhook-service.ts";

interface BackgroundOptions extends Omit<Parameters<typeof createSignInChecks>[0], "everyMs"> {
  config: Config;
  database: Database;
  connectionString: string;
  files: ArtifactFiles & ArtifactListing;
  clock: Clock;
}

/** Everything that a worker does besides executions. Each subject has its own runner. */
export async function startBackground(options: BackgroundOptions): Promise<AsyncDisposable> {
  const { config, database, connectionString, logger } = options;
  await setCreditsLowAt(database, config.creditsLowAt);
  const checkEveryMs = config.signInCheckHours * 3_600_000;
  const sets: JobSet[] = [
    createWebhookDeliveries(options),
    createHousekeeping({ ...options, store: createRetentionStore(database) }),
    ...(checkEveryMs === 0 ? [] : [createSignInChecks({ ...options, everyMs: checkEveryMs })]),
  ];
  const runners = sets.map((set) => startJobs({ ...set, connectionString, logger }));
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(runners.map((runner) => runner[Symbol.asyncDispose]()));
    },
  };
}

interface HousekeepingOptions {
  config: Pick<Config, "keepExecutionsDays" | "keepArtifactsDays">;
  store: RetentionStore;
  files: ArtifactFiles & ArtifactListing;
  logger: Logger;
}

const REMOVE_OLD = "remove-old";
const SWEEP_FILES = "sweep-artifact-files";
const HOURLY = "17 * * * *";
const DAILY = "41 3 * * *";
const DAY_MS = 24 * 60 * 60_000;
const EXPIRED_PER_STATEMENT = 1_000;

/** Removes executions and artifacts past their retention period, expired rows and orphaned files. */
export function createHousekeeping({ config, store, files, logger }: HousekeepingOptions): JobSet {
  async function readDays(): Promise<(days: number) => Date> {
    const nowMs = (await store.now()).getTime();
    return (days) => new Date(nowMs - days * DAY_MS);
  }

  const removeOld: Task = async (_payload, { signal }) => {
    const { keepExecutionsDays, keepArtifactsDays } = config;
    const daysAgo = await readDays();
    const executions =
      keepExecutionsDays === 0 ? 0 : await removeOldExecutions({ store, files }, daysAgo(keepExecutionsDays), signal);
    const artifacts =
      keepArtifactsDays === 0 ? 0 : await removeOldArtifacts({ store, files }, daysAgo(keepArtifactsDays), signal);
    if (executions + artifacts > 0)
      logger.info({ executions, executions_without_artifacts: artifacts }, "Removed old executions and artifacts");
    // Used codes are kept for a day: a second use revokes the token that the first one issued.
    let deleted = EXPIRED_PER_STATEMENT;
    while (deleted > 0 && !signal.aborted) deleted = await store.deleteExpired(daysAgo(1), EXPIRED_PER_STATEMENT);
  };

  const sweep: Task = async (_payload, { signal }) => {
    const daysAgo = await readDays();
    const removed = await sweepFiles({ store, files }, daysAgo(1), signal);
    if (removed > 0) logger.info({ files: removed }, "Removed orphaned artifact files");
  };

  return {
    tasks: { [REMOVE_OLD]: removeOld, [SWEEP_FILES]: sweep },
    schedules: [
      { task: REMOVE_OLD, at: HOURLY },
      { task: SWEEP_FILES, at: DAILY },
    ],
    concurrency: 1,
  };
}

interface SignInChecksOptions extends CheckDependencies {
  signIns: CheckDependencies["signIns"] & Pick<SignInStore, "listDue">;
  /** The interval between two checks of the same sign-in. */
  everyMs: number;
}

const FIND_DUE_SIGN_INS = "find-due-sign-ins";
const CHECK_SIGN_IN = "check-sign-in";
const EVERY_FIVE_MINUTES = "*/5 * * * *";
/** About as many as can be checked before the next run. */
const MAX_DUE = 200;
const MAX_ATTEMPTS = 3;
/** Each needs a browser, in addition to those of executions. */
const CHECK_CONCURRENCY = 2;

/** Checks saved sign-ins periodically, so that people learn that they must sign in again before an errand fails. */
export function createSignInChecks(options: SignInChecksOptions): JobSet {
  const { signIns, everyMs } = options;

  const findDue: Task = async (_payload, { add }) => {
    const due = await signIns.listDue(everyMs, MAX_DUE);
    for (const connectionId of due) {
      const payload = { connection_id: connectionId };
      await add({ task: CHECK_SIGN_IN, payload, key: `${CHECK_SIGN_IN} ${connectionId}`, maxAttempts: MAX_ATTEMPTS });
    }
  };

  const check: Task = (payload, { signal }) => checkSignIn(readId(payload, "connection_id"), options, signal);

  return {
    tasks: { [FIND_DUE_SIGN_INS]: findDue, [CHECK_SIGN_IN]: check },
    schedules: [{ task: FIND_DUE_SIGN_INS, at: EVERY_FIVE_MINUTES }],
    concurrency: CHECK_CONCURRENCY,
  };
}
