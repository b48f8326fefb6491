import { runMigrations } from "graphile-worker";
import pg from "pg";
import { CONNECTION_LIMITS, createSocketGroup } from "../lib/postgres-connection.ts";
import { withTimeout } from "../lib/waiting.ts";

/** A query gives up when the server no longer responds. */
const QUERY_TIMEOUT_MS = 35_000;
/** Closing waits for connections in use, which a silent database would hold forever. */
const CLOSE_TIMEOUT_MS = 10_000;

interface JobPoolOptions {
  connectionString: string;
  max: number;
  /** A connection was lost, in use or idle. A query that waits on it fails as well. */
  onError(error: Error): void;
}

/**
 * Connections for the job queue. A pool that the library opens itself is still open after it reports to be done, without
 * an error handler: an error on it would end the process.
 */
export function openJobPool({ connectionString, max, onError }: JobPoolOptions): AsyncDisposable & { pool: pg.Pool } {
  const sockets = createSocketGroup();
  const pool = new pg.Pool({
    ...CONNECTION_LIMITS,
    connectionString,
    stream: sockets.open,
    max,
    query_timeout: QUERY_TIMEOUT_MS,
    application_name: `errand jobs ${process.pid}`,
  });
  // Without these handlers the library writes to the console.
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));
  return {
    pool,
    async [Symbol.asyncDispose]() {
      await withTimeout(pool.end(), CLOSE_TIMEOUT_MS);
      await sockets.end();
    },
  };
}

/** Creates or updates the tables and functions of the job queue. */
export async function installJobs(connectionString: string): Promise<void> {
  await using connections = openJobPool({ connectionString, max: 1, onError: () => {} });
  await runMigrations({ pgPool: connections.pool });
}
