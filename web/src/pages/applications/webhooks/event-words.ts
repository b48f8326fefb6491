import type { WebhookEvent, WebhookMessageType } from "../../../../../src/contract/webhook-events.ts";

/** What each one says, for whoever chooses among them. */
export const EVENT_WORDS: Readonly<Record<WebhookEvent, string>> = {
  "execution.completed": "A run has ended, and its result has been verified.",
  "execution.failed": "A run has ended without a verified result, and why.",
  "connection.reauthorization_required": "Somebody has to connect again before anything runs for them.",
  "credits.low": "Your credits are running out.",
};

export const EVENTS = Object.keys(EVENT_WORDS) as WebhookEvent[];

export function describeMessage(type: WebhookMessageType): string {
  return type === "ping" ? "A message to try it out." : EVENT_WORDS[type];
}

export function describeEvents(events: readonly WebhookEvent[] | null): string {
  return events === null ? "All events" : events.join(", ");
}
