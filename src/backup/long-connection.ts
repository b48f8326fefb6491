import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { CallerError, describeError } from "../lib/errors.ts";
import { CONNECTION_LIMITS, createSocketGroup } from "../lib/postgres-connection.ts";
import { withTimeout } from "../lib/waiting.ts";
import { isConnectionLost } from "../storage/database.ts";

/** How long the server may be silent. A single statement may take longer. */
const SILENCE_MS = 60_000;
const CLOSE_TIMEOUT_MS = 2_000;

interface LongConnectionOptions {
  purpose: "backup" | "restore";
  /** A sentence for the user: what it means that the database was lost. */
  consequence: string;
  /** Closes the connection: running statements fail and the server rolls back. */
  signal: AbortSignal;
  /** How long the server may be silent before the connection counts as lost. */
  silenceMs?: number | undefined;
}

/** A dedicated connection for long work. */
export interface LongConnection extends AsyncDisposable {
  client: pg.Client;
  /** Aborts when the connection is closed or lost. */
  gone: AbortSignal;
  /** Why the connection was lost, if that caused the error; else null. */
  whyLost(error: unknown): string | null;
  /** Turns an error that came from a lost connection into one that says what it means. */
  explain(error: unknown): unknown;
}

export async function openLongConnection(
  connectionString: string,
  { purpose, consequence, signal, silenceMs = SILENCE_MS }: LongConnectionOptions,
): Promise<LongConnection> {
  signal.throwIfAborted();
  const sockets = createSocketGroup();
  const client = new pg.Client({
    ...CONNECTION_LIMITS,
    connectionString,
    application_name: `errand ${purpose} ${process.pid}`,
    stream: sockets.open,
  });
  const gone = new AbortController();
  const close = () => {
    gone.abort();
    void client.end();
  };
  let lost: Error | null = null;
  client.on("error", (error) => {
    lost ??= error;
    gone.abort();
  });
  signal.addEventListener("abort", close);
  await using opened = new AsyncDisposableStack();
  opened.defer(async () => {
    signal.removeEventListener("abort", close);
    await withTimeout(client.end(), CLOSE_TIMEOUT_MS);
    await sockets.end();
  });
  try {
    await client.connect();
  } catch (error) {
    throw isConnectionLost(error) ? databaseLost(describeError(error), consequence, error) : error;
  }
  opened.use(
    watchServer(connectionString, {
      silenceMs,
      onSilent() {
        lost ??= new Error(`no response for ${Math.round(silenceMs / 1_000)} seconds`);
        close();
      },
    }),
  );
  const whyLost = (error: unknown) => (lost !== null || isServerError(error) ? describeError(lost ?? error) : null);
  const owned = opened.move();
  return {
    client,
    gone: gone.signal,
    whyLost,
    explain(error) {
      const why = error instanceof CallerError ? null : whyLost(error);
      return why === null ? error : databaseLost(why, consequence, error);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Errors of files and pipes look like those of a connection, but have a `syscall`. */
function isServerError(error: unknown): boolean {
  return isConnectionLost(error) && !(error instanceof Error && "syscall" in error);
}

function databaseLost(why: string, consequence: string, cause: unknown): CallerError {
  const message = `Lost the connection to the database: ${why}. ${consequence} Run errand doctor for details.`;
  return new CallerError("UNAVAILABLE", message, { cause });
}

interface WatchOptions {
  /** How long the server may be silent. */
  silenceMs: number;
  onSilent(): void;
}

const PING_MS = 5_000;

/**
 * Pings the server on a second connection. On the main connection, a statement that takes hours looks the same as a
 * server that no longer responds.
 */
function watchServer(connectionString: string, { silenceMs, onSilent }: WatchOptions): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pingMs = Math.min(PING_MS, silenceMs / 4);
  const sockets = createSocketGroup();
  let client: pg.Client | null = null;

  async function ping(): Promise<void> {
    client ??= await connect();
    await client.query("select 1");
  }

  async function connect(): Promise<pg.Client> {
    const opened = new pg.Client({
      ...CONNECTION_LIMITS,
      connectionString,
      connectionTimeoutMillis: silenceMs,
      query_timeout: silenceMs,
      stream: sockets.open,
      application_name: `errand watch ${process.pid}`,
    });
    // The next ping reports it.
    opened.on("error", () => {});
    await opened.connect();
    return opened;
  }

  async function watch(): Promise<void> {
    let respondedMs = performance.now();
    while (!signal.aborted) {
      try {
        await ping();
        respondedMs = performance.now();
      } catch (error) {
        // A server that refuses the connection does respond.
        if (error instanceof pg.DatabaseError) respondedMs = performance.now();
        const lost = client;
        client = null;
        lost?.end().catch(() => {});
      }
      if (signal.aborted) return;
      if (performance.now() - respondedMs >= silenceMs) return onSilent();
      await sleep(pingMs, undefined, { signal }).catch(() => {});
    }
  }

  const watching = watch();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      client?.end().catch(() => {});
      await sockets.end();
      await watching;
    },
  };
}
