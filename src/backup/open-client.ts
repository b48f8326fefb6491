import pg from "pg";
import { CallerError } from "../lib/caller-error.ts";
import { createConnectionSockets } from "../lib/connection-sockets.ts";
import { describeError } from "../lib/describe-error.ts";
import { inTime } from "../lib/in-time.ts";
import { isUnavailable } from "../storage/database.ts";
import { watchServer } from "./watch-server.ts";

/** Statements may take as long as they like. */
const SILENCE_MS = 60_000;
const LEAVE_MS = 2_000;

type Purpose = "backup" | "restore";

interface ClientOptions {
  purpose: Purpose;
  /** Cuts it: whatever is under way then fails, and the server takes it back. */
  signal: AbortSignal;
  /** How long the server may answer nothing at all, until it is given up. */
  silenceMs?: number | undefined;
}

/** A connection of its own for work that takes its time. */
export interface LongClient extends AsyncDisposable {
  client: pg.Client;
  /** Whether the error came of a connection that is lost. */
  isLost(error: unknown): boolean;
  /** The error itself; for one that came of a lost connection, what that means. */
  explain(error: unknown): unknown;
}

export async function openClient(
  connectionString: string,
  { purpose, signal, silenceMs = SILENCE_MS }: ClientOptions,
): Promise<LongClient> {
  signal.throwIfAborted();
  const sockets = createConnectionSockets();
  const name = `errand ${purpose} ${process.pid}`;
  const client = new pg.Client({ connectionString, application_name: name, keepAlive: true, stream: sockets.open });
  let lost: Error | null = null;
  client.on("error", (error) => {
    lost ??= error;
  });
  const cut = () => void client.end();
  signal.addEventListener("abort", cut);
  await using opened = new AsyncDisposableStack();
  opened.defer(async () => {
    signal.removeEventListener("abort", cut);
    await inTime(client.end(), LEAVE_MS);
    await sockets.end();
  });
  await client.connect();
  opened.use(
    watchServer(connectionString, {
      silenceMs,
      onSilent() {
        lost ??= new Error(`it has answered nothing for ${Math.round(silenceMs / 1_000)} seconds`);
        cut();
      },
    }),
  );
  const isLost = (error: unknown) => lost !== null || isConnectionError(error);
  const owned = opened.move();
  return {
    client,
    isLost,
    explain(error) {
      const saysItself = error instanceof CallerError;
      return !saysItself && isLost(error) ? databaseLost(purpose, lost ?? error) : error;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Of the server or its driver. Files and pipes fail with errors that look like those of a connection. */
function isConnectionError(error: unknown): boolean {
  return isUnavailable(error) && !(error instanceof Error && "syscall" in error);
}

const CONSEQUENCE: Record<Purpose, string> = {
  backup: "No backup was made: try again when it is back.",
  restore: "Nothing was restored: try again when it is back.",
};

function databaseLost(purpose: Purpose, error: unknown): CallerError {
  const message = `The database was lost: ${describeError(error)}. ${CONSEQUENCE[purpose]} “errand doctor” says how it is.`;
  return new CallerError("UNAVAILABLE", message, { cause: error });
}
