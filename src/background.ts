import type { Config } from "./config/config.ts";
import type { ArtifactFiles, ArtifactListing } from "./executions/artifact-store.ts";
import { createHousekeeping } from "./housekeeping.ts";
import type { JobSet } from "./jobs/job.ts";
import { startJobs } from "./jobs/start-jobs.ts";
import type { Clock } from "./lib/clock.ts";
import { createSignInChecks } from "./sign-in-checks.ts";
import type { Database } from "./storage/database.ts";
import { createRetentionStore } from "./storage/sql-retention.ts";
import { setCreditsLowAt } from "./storage/webhook-settings.ts";
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
