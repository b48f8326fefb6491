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
 * Notifications within this process, and between processes over NOTIFY. They only shorten waits: everything that waits also
 * polls. They are sent after the commit and in batches, because NOTIFY inside a transaction serializes all commits of a
 * database.
 */
export interface Notifications extends AsyncDisposable, ExecutionUpdates, QueueNotifications {
  send(topic: string): void;
  /** To this process only. */
  sendLocally(topic: string): void;
}

interface NotificationOptions {
  connectionString: string;
  pool: pg.Pool;
  logger: Logger;
}

const CHANNEL = "errand";
// A notification need not survive a crash, so its commit does not wait for the disk.
const NOTIFY = `
  select set_config('synchronous_commit', 'off', true), pg_notify($1, topic) from unnest($2::text[]) as topic`;
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
  /** How often each topic is still to come back from the server. Null while not listening. */
  let echoes: Map<string, number> | null = null;

  async function sendAll(): Promise<void> {
    while (unsent.size > 0) {
      // Sends what comes at the same time together.
      await new Promise(setImmediate);
      const topics = [...unsent];
      unsent = new Set();
      const expected = echoes;
      for (const topic of topics) addTo(expected, topic, 1);
      await pool
        .query(withStatementTimeout(QUICK_TIMEOUT_MS, { name: "notify", text: NOTIFY, values: [CHANNEL, topics] }))
        .catch((error: Error) => {
          for (const topic of topics) addTo(expected, topic, -1);
          logger.debug({ err: error }, "Sending notifications failed");
        });
    }
    sending = null;
  }

  function deliver(topic: string): void {
    for (const listener of listeners.get(topic) ?? []) listener();
  }

  /** This process has already acted on what it sent itself. */
  function receive(topic: string): void {
    if ((echoes?.get(topic) ?? 0) > 0) addTo(echoes, topic, -1);
    else deliver(topic);
  }

  /** Notifications that were sent while nobody listened are lost, so all listeners are called once. */
  function deliverAll(): void {
    echoes = new Map();
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

  const onLost = () => {
    echoes = null;
  };
  const listening = listen({ connectionString, logger, signal: closing.signal, receive, deliverAll, onLost });

  // Not at once: a response that is ready goes out first.
  const sendLocally = (topic: string) => void setImmediate(deliver, topic);

  return {
    send(topic) {
      unsent.add(topic);
      sendLocally(topic);
      sending ??= sendAll();
    },

    sendLocally,

    subscribe,
    subscribeQueue: (listener) => subscribe("queue", listener),

    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.all([listening, sending]);
    },
  };
}

function addTo(counts: Map<string, number> | null, key: string, change: 1 | -1): void {
  const count = (counts?.get(key) ?? 0) + change;
  if (count > 0) counts?.set(key, count);
  else counts?.delete(key);
}

interface ListenOptions {
  connectionString: string;
  logger: Logger;
  signal: AbortSignal;
  receive(topic: string): void;
  /** Called whenever listening starts. */
  deliverAll(): void;
  /** Called whenever listening ends. */
  onLost(): void;
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
  { connectionString, signal, receive, deliverAll, onLost }: ListenOptions,
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
  client.on("notification", ({ payload = "" }) => receive(payload));
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
    onLost();
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
