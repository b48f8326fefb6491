import { Badge } from "@mantine/core";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import type { WebhookEvent, WebhookMessageType } from "../../../../../src/contract/webhook-events.ts";

/** Whether anything is sent, and if not, why, in a few words. */
export function WebhookStateBadge({ webhook: { disabled } }: { webhook: Webhook }) {
  if (disabled === null) {
    return (
      <Badge color="teal" variant="light" tt="none">
        Enabled
      </Badge>
    );
  }
  const isGone = disabled.reason === "gone";
  return (
    <Badge color={isGone ? "red" : "gray"} variant="light" tt="none" className="webhook-standing">
      {isGone ? "Disabled: the receiver answered 410" : "Disabled by hand"}
    </Badge>
  );
}

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
