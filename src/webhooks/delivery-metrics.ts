import { Counter, Gauge, Registry } from "prom-client";
import { cacheRead } from "../lib/cached-read.ts";

/** In the process's default registry, which /metrics serves. */
const attempts = new Counter({
  name: "errand_webhook_deliveries_total",
  help: "Attempts of this process to deliver a webhook message, by resulting state: delivered, pending (retried) or failed.",
  labelNames: ["state"],
});
const DELIVERY_STATES = ["delivered", "pending", "failed"] as const;
for (const state of DELIVERY_STATES) attempts.inc({ state }, 0);

export function countDelivery(state: (typeof DELIVERY_STATES)[number]): void {
  attempts.inc({ state });
}

export interface DeliveryBacklog {
  readonly waiting: number;
  readonly oldestOverdueSeconds: number;
}

/** The database is queried at most once in this time. */
const CACHE_MS = 5_000;

/** Messages waiting in the database. All processes report the same; while the database is unavailable there is no value. */
export function createBacklogMetrics(
  read: () => Promise<DeliveryBacklog>,
  onFailure: (error: unknown) => void,
): Registry {
  const registry = new Registry();
  const readBacklog = cacheRead(read, CACHE_MS, onFailure);
  const waiting = new Gauge({
    name: "errand_webhook_messages_waiting",
    help: "Webhook messages in the database that are waiting for an attempt, counted up to 10000.",
    registers: [registry],
    async collect() {
      const backlog = await readBacklog();
      if (backlog === null) waiting.remove();
      else waiting.set(backlog.waiting);
    },
  });
  const overdue = new Gauge({
    name: "errand_webhook_oldest_overdue_seconds",
    help: "How long the most overdue webhook message has been due; 0 when none is.",
    registers: [registry],
    async collect() {
      const backlog = await readBacklog();
      if (backlog === null) overdue.remove();
      else overdue.set(backlog.oldestOverdueSeconds);
    },
  });

  return registry;
}
