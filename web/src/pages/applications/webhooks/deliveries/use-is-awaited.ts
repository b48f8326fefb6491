import type { WebhookDelivery } from "../../../../../../src/contract/webhook.ts";
import { isAwaited } from "../../../../api/webhooks.ts";
import { useClock } from "../../../../parts/use-clock.ts";

/** Whether it is being tried right now, or will be at any moment. */
export function useIsAwaited(delivery: WebhookDelivery): boolean {
  return useClock((nowMs) => (isAwaited(delivery, nowMs) ? "awaited" : "")) !== "";
}
