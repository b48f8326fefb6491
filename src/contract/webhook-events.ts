/** What can be asked for. `ping` is only ever sent when somebody asks for one. */
export const WEBHOOK_EVENTS = [
  "execution.completed",
  "execution.failed",
  "connection.reauthorization_required",
  "credits.low",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
export type WebhookMessageType = WebhookEvent | "ping";
