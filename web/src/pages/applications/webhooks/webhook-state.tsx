import { Badge } from "@mantine/core";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import type { WebhookEvent, WebhookMessageType } from "../../../../../src/contract/webhook-events.ts";

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
    <Badge color={isGone ? "red" : "gray"} variant="light" tt="none" className="webhook-state">
      {isGone ? "Disabled: receiver returned 410" : "Disabled"}
    </Badge>
  );
}

export const EVENT_DESCRIPTIONS: Readonly<Record<WebhookEvent, string>> = {
  "execution.completed": "An errand ended with a verified result.",
  "execution.failed": "An errand ended without a verified result.",
  "execution.interaction_required": "An errand waits for a person to approve or answer something.",
  "connection.reauthorization_required": "Someone needs to reconnect before errands can run for them.",
  "credits.low": "Your credits are running low.",
};

export const EVENTS = Object.keys(EVENT_DESCRIPTIONS) as WebhookEvent[];

export function describeMessage(type: WebhookMessageType): string {
  return type === "ping" ? "A test message." : EVENT_DESCRIPTIONS[type];
}

export function describeEvents(events: readonly WebhookEvent[] | null): string {
  return events === null ? "All events" : events.join(", ");
}
