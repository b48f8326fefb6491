import { Badge } from "@mantine/core";
import type { Webhook } from "../../../../../src/contract/webhook.ts";

/** Whether anything is sent, and if not, why, in a few words. */
export function WebhookStanding({ webhook: { disabled } }: { webhook: Webhook }) {
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
