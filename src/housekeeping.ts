import type { Config } from "./config/config.ts";
import type { ArtifactFiles, ArtifactListing } from "./executions/artifact-store.ts";
import type { JobSet, Task } from "./jobs/job.ts";
import type { Logger } from "./lib/logger.ts";
import { removeOldArtifacts, removeOldExecutions } from "./retention/remove-old.ts";
import type { RetentionStore } from "./retention/retention-store.ts";
import { sweepFiles } from "./retention/sweep-files.ts";

interface HousekeepingOptions {
  config: Pick<Config, "keepExecutionsDays" | "keepArtifactsDays">;
  store: RetentionStore;
  files: ArtifactFiles & ArtifactListing;
  logger: Logger;
}

const REMOVE_OLD = "remove-old";
const SWEEP_FILES = "sweep-artifact-files";
const EVERY_HOUR = "17 * * * *";
const EVERY_DAY = "41 3 * * *";
const DAY_MS = 24 * 60 * 60_000;
const FORGOTTEN_AT_ONCE = 1_000;

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
    let forgotten = FORGOTTEN_AT_ONCE;
    while (forgotten > 0 && !signal.aborted) forgotten = await store.forgetExpired(daysAgo(1), FORGOTTEN_AT_ONCE);
  };

  const sweep: Task = async (_payload, { signal }) => {
    const daysAgo = await readDays();
    const removed = await sweepFiles({ store, files }, daysAgo(1), signal);
    if (removed > 0) logger.info({ files: removed }, "files of artifacts that nothing led to were removed");
  };

  return {
    tasks: { [REMOVE_OLD]: removeOld, [SWEEP_FILES]: sweep },
    schedules: [
      { task: REMOVE_OLD, at: EVERY_HOUR },
      { task: SWEEP_FILES, at: EVERY_DAY },
    ],
    concurrency: 1,
  };
}
