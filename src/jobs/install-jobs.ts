import { runMigrations } from "graphile-worker";

/** Makes the tables and functions of the job queue, or brings them up to date. */
export async function installJobs(connectionString: string): Promise<void> {
  await runMigrations({ connectionString });
}
