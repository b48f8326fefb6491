import { Gauge, Registry } from "prom-client";

export interface Backlog {
  readonly waiting: number;
  readonly oldestOverdueSeconds: number;
}

/** However often it is asked for, the database is asked once in this time. */
const LOOK_EVERY_MS = 5_000;

/** What waits to be delivered, by any process: all tell the same. While the database is away there is no value. */
export function createBacklogMetrics(look: () => Promise<Backlog>, onFailure: (error: unknown) => void): Registry {
  const registry = new Registry();
  const waiting = new Gauge({
    name: "errand_webhook_messages_waiting",
    help: "Webhook messages in the database that wait for an attempt, counted up to 10000.",
    registers: [registry],
    async collect() {
      const backlog = await lookRarely();
      if (backlog === null) waiting.remove();
      else waiting.set(backlog.waiting);
    },
  });
  const overdue = new Gauge({
    name: "errand_webhook_oldest_overdue_seconds",
    help: "How long the webhook message that is due for longest is overdue; 0 when none is.",
    registers: [registry],
    async collect() {
      const backlog = await lookRarely();
      if (backlog === null) overdue.remove();
      else overdue.set(backlog.oldestOverdueSeconds);
    },
  });
  let seen: { backlog: Promise<Backlog | null>; atMs: number } | null = null;

  function lookRarely(): Promise<Backlog | null> {
    if (seen === null || performance.now() - seen.atMs > LOOK_EVERY_MS) {
      const backlog = look().catch((error: unknown) => {
        onFailure(error);
        return null;
      });
      seen = { backlog, atMs: performance.now() };
    }
    return seen.backlog;
  }

  return registry;
}
