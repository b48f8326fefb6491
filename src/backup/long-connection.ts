import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { CallerError, describeError } from "../lib/errors.ts";
import { CONNECTION_LIMITS, createSocketGroup } from "../lib/postgres-connection.ts";
import { withTimeout } from "../lib/waiting.ts";
import { isConnectionLost } from "../storage/database.ts";

/** Statements may take as long as they like. */
const SILENCE_MS = 60_000;
const CLOSE_TIMEOUT_MS = 2_000;

interface LongConnectionOptions {
  purpose: "backup" | "restore";
  /** What it means for whoever asked when the database is lost meanwhile, in a sentence. */
  consequence: string;
  /** Cuts it: whatever is under way then fails, and the server takes it back. */
  signal: AbortSignal;
  /** How long the server may answer nothing at all, until it is given up. */
  silenceMs?: number | undefined;
}

/** A connection of its own for work that takes its time. */
export interface LongConnection extends AsyncDisposable {
  client: pg.Client;
  /** Aborts when it is cut or lost. */
  gone: AbortSignal;
  /** Why the connection is lost, if the error came of that; else null. */
  whyLost(error: unknown): string | null;
  /** The error itself; for one that came of a lost connection, what that means. */
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
  const cut = () => {
    gone.abort();
    void client.end();
  };
  let lost: Error | null = null;
  client.on("error", (error) => {
    lost ??= error;
    gone.abort();
  });
  signal.addEventListener("abort", cut);
  await using opened = new AsyncDisposableStack();
  opened.defer(async () => {
    signal.removeEventListener("abort", cut);
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
        lost ??= new Error(`it has answered nothing for ${Math.round(silenceMs / 1_000)} seconds`);
        cut();
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

/** Or of its driver. Files and pipes fail with errors that look like those of a connection. */
function isServerError(error: unknown): boolean {
  return isConnectionLost(error) && !(error instanceof Error && "syscall" in error);
}

function databaseLost(why: string, consequence: string, cause: unknown): CallerError {
  const message = `The database was lost: ${why}. ${consequence} “errand doctor” says how it is.`;
  return new CallerError("UNAVAILABLE", message, { cause });
}

interface WatchOptions {
  /** How long a server may answer nothing at all. */
  silenceMs: number;
  onSilent(): void;
}

const PING_MS = 5_000;

/**
 * Asks a server now and then whether it is there, on a connection of its own: a statement that takes hours cannot be told
 * from a server that has gone silent on the connection that waits for it.
 */
function watchServer(connectionString: string, { silenceMs, onSilent }: WatchOptions): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pulseMs = Math.min(PING_MS, silenceMs / 4);
  const sockets = createSocketGroup();
  let client: pg.Client | null = null;

  async function ask(): Promise<void> {
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
    // Whoever asks next hears of it.
    opened.on("error", () => {});
    await opened.connect();
    return opened;
  }

  async function watch(): Promise<void> {
    let answeredMs = performance.now();
    while (!signal.aborted) {
      try {
        await ask();
        answeredMs = performance.now();
      } catch (error) {
        // A server that refuses is one that answers.
        if (error instanceof pg.DatabaseError) answeredMs = performance.now();
        const lost = client;
        client = null;
        lost?.end().catch(() => {});
      }
      if (signal.aborted) return;
      if (performance.now() - answeredMs >= silenceMs) return onSilent();
      await sleep(pulseMs, undefined, { signal }).catch(() => {});
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
