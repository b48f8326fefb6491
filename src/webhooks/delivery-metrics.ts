import { Counter } from "prom-client";
import type { Verdict } from "./delivery-store.ts";

/** In the registry of the process, where /metrics finds it. */
const attempts = new Counter({
  name: "errand_webhook_deliveries_total",
  help: "Attempts of this process to deliver a webhook message, by what it is then: delivered, pending (tried again) or failed.",
  labelNames: ["state"],
});
for (const state of ["delivered", "pending", "failed"]) attempts.inc({ state }, 0);

export function countDelivery({ state }: Verdict): void {
  attempts.inc({ state });
}
