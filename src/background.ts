import type { Config } from "./config/config.ts";
import type { JobSet } from "./jobs/job.ts";
import { startJobs } from "./jobs/start-jobs.ts";
import { createSignInChecks } from "./sign-in-checks.ts";

interface BackgroundOptions extends Omit<Parameters<typeof createSignInChecks>[0], "everyMs"> {
  config: Config;
  connectionString: string;
}

/** Everything that a worker does beside executions, each subject with a runner of its own. */
export function startBackground(options: BackgroundOptions): AsyncDisposable {
  const { config, connectionString, logger } = options;
  const checkEveryMs = config.signInCheckHours * 3_600_000;
  const sets: JobSet[] = checkEveryMs === 0 ? [] : [createSignInChecks({ ...options, everyMs: checkEveryMs })];
  const runners = sets.map((set) => startJobs({ ...set, connectionString, logger }));
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(runners.map((runner) => runner[Symbol.asyncDispose]()));
    },
  };
}
