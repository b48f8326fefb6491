import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { CONNECTION_LIMITS } from "../lib/connection-limits.ts";
import { createConnectionSockets } from "../lib/connection-sockets.ts";

interface WatchOptions {
  /** How long a server may answer nothing at all. */
  silenceMs: number;
  onSilent(): void;
}

const PULSE_MS = 5_000;

/**
 * Asks a server now and then whether it is there, on a connection of its own: a statement that takes hours cannot be told
 * from a server that has gone silent on the connection that waits for it.
 */
export function watchServer(connectionString: string, { silenceMs, onSilent }: WatchOptions): AsyncDisposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pulseMs = Math.min(PULSE_MS, silenceMs / 4);
  const sockets = createConnectionSockets();
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
