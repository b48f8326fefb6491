import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { ExecutionUpdates } from "../executions/execution-store.ts";
import { CONNECTION_LIMITS } from "../lib/connection-limits.ts";
import { createConnectionSockets } from "../lib/connection-sockets.ts";
import { inTime } from "../lib/in-time.ts";
import type { Logger } from "../lib/logger.ts";
import { createOutageLog } from "../lib/outage-log.ts";
import type { QueueHints } from "../queue/queue-store.ts";
import { QUICK_TIMEOUT_MS, within } from "./database.ts";
import { countListeners } from "./database-metrics.ts";

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
const NOTIFY = "select pg_notify($1, topic) from unnest($2::text[]) as topic";
const FIRST_CONNECT_MS = 60_000;
const RECONNECT_MS = 1_000;
/** How often the silence of the connection is put to the test: one that has died silently hears nothing either. */
const PULSE_MS = 5_000;
const ANSWER_MS = 5_000;
const LEAVE_MS = 1_000;
const OUTAGE = { broken: "the connection for hints broke and is made anew", mended: "hints are heard again" };

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
        .query(within(QUICK_TIMEOUT_MS, { name: "hint", text: NOTIFY, values: [CHANNEL, topics] }))
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

/** Listens until the signal aborts, on a connection that is made anew whenever it breaks or falls silent. */
async function listen(listening: Listening): Promise<void> {
  const { signal } = listening;
  const outage = createOutageLog(listening.logger, OUTAGE);
  const deliverAll = () => {
    outage.succeed();
    listening.deliverAll();
  };
  // While everything else is still being loaded, the time for the first connection runs, too.
  let connectMs = FIRST_CONNECT_MS;
  while (!signal.aborted) {
    await listenOnce({ ...listening, deliverAll }, connectMs).catch(outage.fail);
    connectMs = CONNECTION_LIMITS.connectionTimeoutMillis;
    if (!signal.aborted) await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
  }
}

/** Rejects when the connection is lost; ends when the signal aborts. */
async function listenOnce(
  { connectionString, signal, deliver, deliverAll }: Listening,
  connectMs: number,
): Promise<void> {
  const sockets = createConnectionSockets();
  const client = new pg.Client({
    ...CONNECTION_LIMITS,
    connectionTimeoutMillis: connectMs,
    connectionString,
    stream: sockets.open,
    query_timeout: ANSWER_MS,
    application_name: `errand hints ${process.pid}`,
  });
  let isListening = false;
  const { promise: lost, reject: lose } = Promise.withResolvers<never>();
  lost.catch(() => {});
  client.on("notification", ({ payload }) => deliver(payload));
  client.on("error", lose);
  client.on("end", () => lose(new Error("the server closed the connection")));
  const use = async () => {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    isListening = true;
    countListeners(1);
    deliverAll();
    while (!signal.aborted) {
      await sleep(PULSE_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await client.query("select 1");
    }
  };
  try {
    await Promise.race([use(), lost, aborted(signal)]);
  } finally {
    if (isListening) countListeners(-1);
    await inTime(client.end(), LEAVE_MS);
    await sockets.end();
  }
}

/** Nobody waits for a connection that is not wanted any more. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
