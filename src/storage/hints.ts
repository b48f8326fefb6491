import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { ExecutionUpdates } from "../executions/execution-store.ts";
import type { Logger } from "../lib/logger.ts";
import type { QueueHints } from "../queue/queue-store.ts";

/**
 * Hints between processes over NOTIFY. They only shorten a wait: whoever waits also polls. They are sent after the
 * commit and many in one statement, because a NOTIFY inside a transaction makes all commits of a database queue up.
 */
export interface Hints extends AsyncDisposable, ExecutionUpdates, QueueHints {
  send(topic: string): void;
}

interface HintOptions {
  connectionString: string;
  pool: pg.Pool;
  logger: Logger;
}

const CHANNEL = "errand";
const RECONNECT_MS = 1_000;

export function createHints({ connectionString, pool, logger }: HintOptions): Hints {
  const listeners = new Map<string, Set<() => void>>();
  const closing = new AbortController();
  let unsent = new Set<string>();
  let sending: Promise<void> | null = null;

  async function sendAll(): Promise<void> {
    while (unsent.size > 0) {
      const topics = [...unsent];
      unsent = new Set();
      await pool
        .query({
          name: "hint",
          text: "select pg_notify($1, topic) from unnest($2::text[]) as topic",
          values: [CHANNEL, topics],
        })
        .catch((error: Error) => logger.debug({ err: error }, "hints were not sent"));
    }
    sending = null;
  }

  function deliver(topic: string | undefined): void {
    for (const listener of listeners.get(topic ?? "") ?? []) listener();
  }

  /** Whatever was sent while nobody listened is lost: so everybody looks by themselves once. */
  function deliverAll(): void {
    for (const group of listeners.values()) for (const listener of group) listener();
  }

  function subscribe(topic: string, listener: () => void): Disposable {
    const group = listeners.get(topic) ?? new Set();
    listeners.set(topic, group.add(listener));
    return {
      [Symbol.dispose]() {
        group.delete(listener);
        if (group.size === 0 && listeners.get(topic) === group) listeners.delete(topic);
      },
    };
  }

  const listening = listen({ connectionString, logger, signal: closing.signal, deliver, deliverAll });

  return {
    send(topic) {
      unsent.add(topic);
      sending ??= sendAll();
    },

    subscribe,
    subscribeQueue: (listener) => subscribe("queue", listener),

    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.all([listening, sending]);
    },
  };
}

interface Listening {
  connectionString: string;
  logger: Logger;
  signal: AbortSignal;
  deliver(topic: string | undefined): void;
  /** Called whenever listening begins. */
  deliverAll(): void;
}

/** Listens until the signal aborts, on a connection that is made anew whenever it breaks. */
async function listen({ connectionString, logger, signal, deliver, deliverAll }: Listening): Promise<void> {
  while (!signal.aborted) {
    const client = new pg.Client({
      connectionString,
      application_name: `errand hints ${process.pid}`,
      keepAlive: true,
    });
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    const onAbort = () => lose();
    signal.addEventListener("abort", onAbort);
    client.on("notification", ({ payload }) => deliver(payload));
    client.on("error", (error) => {
      logger.warn({ err: error }, "the connection for hints broke and is made anew");
      lose();
    });
    client.on("end", () => lose());
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      deliverAll();
      await lost;
    } catch (error) {
      logger.warn({ err: error }, "no connection for hints: trying again");
    }
    signal.removeEventListener("abort", onAbort);
    await client.end().catch(() => {});
    if (!signal.aborted) await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
  }
}
