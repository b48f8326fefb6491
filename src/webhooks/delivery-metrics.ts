import { Counter } from "prom-client";

/** In the registry of the process, where /metrics finds it. */
const attempts = new Counter({
  name: "errand_webhook_deliveries_total",
  help: "Attempts of this process to deliver a webhook message, by what it is then: delivered, pending (tried again) or failed.",
  labelNames: ["state"],
});
const STATES = ["delivered", "pending", "failed"] as const;
for (const state of STATES) attempts.inc({ state }, 0);

export function countDelivery(state: (typeof STATES)[number]): void {
  attempts.inc({ state });
}
