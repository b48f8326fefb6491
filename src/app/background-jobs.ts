import type { Config } from "../config/config.ts";
import type { SignInStore } from "../connections/vault/saved-sign-in.ts";
import type { ArtifactFiles, ArtifactListing } from "../executions/artifacts.ts";
import { type RetentionStore, removeOldArtifacts, removeOldExecutions, sweepFiles } from "../executions/retention.ts";
import type { JobSet, Task } from "../jobs/job.ts";
import { startJobs } from "../jobs/job-runner.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { parseUuid } from "../lib/uuid.ts";
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

/** Everything that a worker does beside executions, each subject with a runner of its own. */
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

/** Removes what nobody needs any more: by the settings, and what has expired by itself. */
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
      logger.info({ executions, executions_without_artifacts: artifacts }, "what was old was removed");
    // A used code is remembered for a day: its second use takes back what the first one gave.
    let forgotten = EXPIRED_PER_STATEMENT;
    while (forgotten > 0 && !signal.aborted) forgotten = await store.forgetExpired(daysAgo(1), EXPIRED_PER_STATEMENT);
  };

  const sweep: Task = async (_payload, { signal }) => {
    const daysAgo = await readDays();
    const removed = await sweepFiles({ store, files }, daysAgo(1), signal);
    if (removed > 0) logger.info({ files: removed }, "files of artifacts that nothing led to were removed");
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
  /** How old a check may be before there is another. */
  everyMs: number;
}

const FIND_DUE_SIGN_INS = "find-due-sign-ins";
const CHECK_SIGN_IN = "check-sign-in";
const EVERY_FIVE_MINUTES = "*/5 * * * *";
/** About as many as are checked until the next look. */
const MAX_DUE = 200;
const MAX_ATTEMPTS = 3;
/** Each has a browser, beside those of the executions. */
const CHECK_CONCURRENCY = 2;

/** Checks saved sign-ins on a schedule, so that people hear that they must sign in again before something fails. */
export function createSignInChecks(options: SignInChecksOptions): JobSet {
  const { signIns, everyMs } = options;

  const findDue: Task = async (_payload, { add }) => {
    const due = await signIns.listDue(everyMs, MAX_DUE);
    for (const connectionId of due) {
      const payload = { connection_id: connectionId };
      await add({ task: CHECK_SIGN_IN, payload, key: `${CHECK_SIGN_IN} ${connectionId}`, maxAttempts: MAX_ATTEMPTS });
    }
  };

  const check: Task = (payload, { signal }) => checkSignIn(readConnectionId(payload), options, signal);

  return {
    tasks: { [FIND_DUE_SIGN_INS]: findDue, [CHECK_SIGN_IN]: check },
    schedules: [{ task: FIND_DUE_SIGN_INS, at: EVERY_FIVE_MINUTES }],
    concurrency: CHECK_CONCURRENCY,
  };
}

function readConnectionId(payload: unknown): string {
  const given = typeof payload === "object" && payload !== null && "connection_id" in payload && payload.connection_id;
  const id = typeof given === "string" ? parseUuid(given) : null;
  if (id === null) throw new Error("a check names no connection");
  return id;
}
