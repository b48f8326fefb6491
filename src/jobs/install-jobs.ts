import { runMigrations } from "graphile-worker";
import { openJobPool } from "./job-pool.ts";

/** Makes the tables and functions of the job queue, or brings them up to date. */
export async function installJobs(connectionString: string): Promise<void> {
  await using connections = openJobPool({ connectionString, max: 1, onError: () => {} });
  await runMigrations({ pgPool: connections.pool });
}
