import { Badge } from "@mantine/core";
import type { WebhookDelivery } from "../../../../../../src/contract/webhook.ts";
import { useIsAwaited } from "./use-is-awaited.ts";

/** How a message stands, in a word or two. */
export function DeliveryState({ delivery }: { delivery: WebhookDelivery }) {
  const { words, color } = describe(delivery, useIsAwaited(delivery));
  return (
    <Badge color={color} variant="light" tt="none" className="keeps-width">
      {words}
    </Badge>
  );
}

function describe(delivery: WebhookDelivery, isAwaited: boolean): { words: string; color: string } {
  switch (delivery.state) {
    case "delivered":
      return { words: "Delivered", color: "teal" };
    case "failed":
      return { words: "Failed", color: "red" };
    case "canceled":
      return { words: "Canceled", color: "gray" };
    case "pending":
      if (isAwaited) return { words: "Being sent", color: "blue" };
      return delivery.attempts.length === 0
        ? { words: "Waiting", color: "gray" }
        : { words: "Not delivered yet", color: "yellow" };
  }
}
