import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { ExecutionUpdates } from "../executions/execution-store.ts";
import type { QueueNotifications } from "../executions/queue.ts";
import { createOutageLog, type Logger } from "../lib/logger.ts";
import { CONNECTION_LIMITS, createSocketGroup } from "../lib/postgres-connection.ts";
import { withTimeout } from "../lib/waiting.ts";
import { QUICK_TIMEOUT_MS, withStatementTimeout } from "./database.ts";
import { countNotificationListeners } from "./database-metrics.ts";

/**
 * Notifications between processes over NOTIFY. They only shorten waits: everything that waits also polls. They are sent after
 * the commit and in batches, because NOTIFY inside a transaction serializes all commits of a database.
 */
export interface Notifications extends AsyncDisposable, ExecutionUpdates, QueueNotifications {
  send(topic: string): void;
}

interface NotificationOptions {
  connectionString: string;
  pool: pg.Pool;
  logger: Logger;
}

const CHANNEL = "errand";
const NOTIFY = "select pg_notify($1, topic) from unnest($2::text[]) as topic";
const FIRST_CONNECT_TIMEOUT_MS = 60_000;
const RECONNECT_DELAY_MS = 1_000;
/** How often an idle connection is checked: one that has died silently receives nothing. */
const KEEPALIVE_MS = 5_000;
const RESPONSE_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;
const OUTAGE = { failed: "Notifications interrupted; reconnecting", recovered: "Notifications restored" };

export function createNotifications({ connectionString, pool, logger }: NotificationOptions): Notifications {
  const listeners = new Map<string, Set<() => void>>();
  const closing = new AbortController();
  let unsent = new Set<string>();
  let sending: Promise<void> | null = null;

  async function sendAll(): Promise<void> {
    while (unsent.size > 0) {
      const topics = [...unsent];
      unsent = new Set();
      await pool
        .query(withStatementTimeout(QUICK_TIMEOUT_MS, { name: "notify", text: NOTIFY, values: [CHANNEL, topics] }))
        .catch((error: Error) => logger.debug({ err: error }, "Sending notifications failed"));
    }
    sending = null;
  }

  function deliver(topic: string | undefined): void {
    for (const listener of listeners.get(topic ?? "") ?? []) listener();
  }

  /** Notifications that were sent while nobody listened are lost, so all listeners are called once. */
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

interface ListenOptions {
  connectionString: string;
  logger: Logger;
  signal: AbortSignal;
  deliver(topic: string | undefined): void;
  /** Called whenever listening starts. */
  deliverAll(): void;
}

/** Listens until the signal aborts. Reconnects whenever the connection breaks or stops responding. */
async function listen(listening: ListenOptions): Promise<void> {
  const { signal } = listening;
  const outage = createOutageLog(listening.logger, OUTAGE);
  const deliverAll = () => {
    outage.succeed();
    listening.deliverAll();
  };
  // Generous for the first connection: at startup the process is still loading modules.
  let connectMs = FIRST_CONNECT_TIMEOUT_MS;
  while (!signal.aborted) {
    await listenOnce({ ...listening, deliverAll }, connectMs).catch(outage.fail);
    connectMs = CONNECTION_LIMITS.connectionTimeoutMillis;
    if (!signal.aborted) await sleep(RECONNECT_DELAY_MS, undefined, { signal }).catch(() => {});
  }
}

/** Rejects when the connection is lost. Resolves when the signal aborts. */
async function listenOnce(
  { connectionString, signal, deliver, deliverAll }: ListenOptions,
  connectMs: number,
): Promise<void> {
  const sockets = createSocketGroup();
  const client = new pg.Client({
    ...CONNECTION_LIMITS,
    connectionTimeoutMillis: connectMs,
    connectionString,
    stream: sockets.open,
    query_timeout: RESPONSE_TIMEOUT_MS,
    application_name: `errand notifications ${process.pid}`,
  });
  let isListening = false;
  const { promise: lost, reject: lose } = Promise.withResolvers<never>();
  lost.catch(() => {});
  client.on("notification", ({ payload }) => deliver(payload));
  client.on("error", lose);
  client.on("end", () => lose(new Error("The server closed the connection")));
  const use = async () => {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    isListening = true;
    countNotificationListeners(1);
    deliverAll();
    while (!signal.aborted) {
      await sleep(KEEPALIVE_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await client.query("select 1");
    }
  };
  try {
    await Promise.race([use(), lost, waitForAbort(signal)]);
  } finally {
    if (isListening) countNotificationListeners(-1);
    await withTimeout(client.end(), CLOSE_TIMEOUT_MS);
    await sockets.end();
  }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
