/** The events that a webhook can subscribe to. A `ping` is sent on request only. */
export const WEBHOOK_EVENTS = [
  "execution.completed",
  "execution.failed",
  "execution.interaction_required",
  "connection.reauthorization_required",
  "credits.low",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
export type WebhookMessageType = WebhookEvent | "ping";
