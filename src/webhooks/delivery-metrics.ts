import { Counter, Gauge, Registry } from "prom-client";

/** In the registry of the process, where /metrics finds it. */
const attempts = new Counter({
  name: "errand_webhook_deliveries_total",
  help: "Attempts of this process to deliver a webhook message, by what it is then: delivered, pending (tried again) or failed.",
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

/** However often it is asked for, the database is asked once in this time. */
const CACHE_MS = 5_000;

/** What waits to be delivered, by any process: all tell the same. While the database is away there is no value. */
export function createBacklogMetrics(
  look: () => Promise<DeliveryBacklog>,
  onFailure: (error: unknown) => void,
): Registry {
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
  let seen: { backlog: Promise<DeliveryBacklog | null>; atMs: number } | null = null;

  function lookRarely(): Promise<DeliveryBacklog | null> {
    if (seen === null || performance.now() - seen.atMs > CACHE_MS) {
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
