import { runMigrations } from "graphile-worker";
import pg from "pg";
import { CONNECTION_LIMITS, createSocketGroup } from "../lib/postgres-connection.ts";
import { withTimeout } from "../lib/waiting.ts";

/** What a server that has gone silent does not answer is given up. */
const QUERY_TIMEOUT_MS = 35_000;
/** A database that has gone silent would keep connections in use for ever. */
const CLOSE_TIMEOUT_MS = 10_000;

interface JobPoolOptions {
  connectionString: string;
  max: number;
  /** A connection broke, in use or not. Whoever waits for an answer on it hears of it as well. */
  onError(error: Error): void;
}

/**
 * Connections for the job queue. One that the library makes for itself is still open when it says that it is done, and
 * nobody listens to it any more: the process would end with the server.
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
  // With a handler wherever the library would otherwise complain on the console.
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));
  return {
    pool,
    async [Symbol.asyncDispose]() {
      // It waits for connections that are still in use.
      await withTimeout(pool.end(), CLOSE_TIMEOUT_MS);
      await sockets.end();
    },
  };
}

/** Makes the tables and functions of the job queue, or brings them up to date. */
export async function installJobs(connectionString: string): Promise<void> {
  await using connections = openJobPool({ connectionString, max: 1, onError: () => {} });
  await runMigrations({ pgPool: connections.pool });
}
