import pg from "pg";
import { CallerError } from "../lib/caller-error.ts";
import { CONNECTION_LIMITS } from "../lib/connection-limits.ts";
import { createConnectionSockets } from "../lib/connection-sockets.ts";
import { describeError } from "../lib/describe-error.ts";
import { inTime } from "../lib/in-time.ts";
import { isConnectionLost } from "../storage/database.ts";
import { watchServer } from "./watch-server.ts";

/** Statements may take as long as they like. */
const SILENCE_MS = 60_000;
const LEAVE_MS = 2_000;

interface ClientOptions {
  purpose: "backup" | "restore";
  /** What it means for whoever asked when the database is lost meanwhile, in a sentence. */
  consequence: string;
  /** Cuts it: whatever is under way then fails, and the server takes it back. */
  signal: AbortSignal;
  /** How long the server may answer nothing at all, until it is given up. */
  silenceMs?: number | undefined;
}

/** A connection of its own for work that takes its time. */
export interface LongClient extends AsyncDisposable {
  client: pg.Client;
  /** Aborts when it is cut or lost. */
  gone: AbortSignal;
  /** Why the connection is lost, if the error came of that; else null. */
  whyLost(error: unknown): string | null;
  /** The error itself; for one that came of a lost connection, what that means. */
  explain(error: unknown): unknown;
}

export async function openClient(
  connectionString: string,
  { purpose, consequence, signal, silenceMs = SILENCE_MS }: ClientOptions,
): Promise<LongClient> {
  signal.throwIfAborted();
  const sockets = createConnectionSockets();
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
    await inTime(client.end(), LEAVE_MS);
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
  const whyLost = (error: unknown) => (lost !== null || isOfServer(error) ? describeError(lost ?? error) : null);
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
function isOfServer(error: unknown): boolean {
  return isConnectionLost(error) && !(error instanceof Error && "syscall" in error);
}

function databaseLost(why: string, consequence: string, cause: unknown): CallerError {
  const message = `The database was lost: ${why}. ${consequence} “errand doctor” says how it is.`;
  return new CallerError("UNAVAILABLE", message, { cause });
}
