import { Anchor, Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link } from "wouter";
import type { WebhookDelivery } from "../../../../../../src/contract/webhook.ts";
import { useResend, type WebhookPlace } from "../../../../api/webhooks.ts";
import { Moment } from "../../../../parts/moment.tsx";
import { describeMessage } from "../event-words.ts";
import { AttemptList } from "./attempt-list.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import { useIsAwaited } from "./use-is-awaited.ts";

interface DeliveryRowProps {
  place: WebhookPlace;
  delivery: WebhookDelivery;
  isEnabled: boolean;
}

/** One message: what it told, how it stands, and every attempt at it. */
export function DeliveryRow({ place, delivery, isEnabled }: DeliveryRowProps) {
  const { type, execution_id, created_at, attempts } = delivery;
  return (
    <li className="record-row delivery-record">
      <div className="record-main">
        <div className="delivery-head">
          <Text fw={600} size="sm" ff="monospace" className="wrap-anywhere" title={describeMessage(type)}>
            {type}
          </Text>
          <DeliveryState delivery={delivery} />
        </div>
        <Text size="sm" c="dimmed">
          <Moment at={created_at} />
          {execution_id !== null && (
            <>
              {" · "}
              <Anchor component={Link} href={`/executions/${execution_id}`} inherit underline="always">
                the execution
              </Anchor>
            </>
          )}
          <WhatFollows delivery={delivery} />
        </Text>
      </div>
      <ResendButton place={place} delivery={delivery} isEnabled={isEnabled} />
      {attempts.length > 0 && <AttemptList delivery={delivery} />}
    </li>
  );
}

function WhatFollows({ delivery }: { delivery: WebhookDelivery }) {
  const isAwaited = useIsAwaited(delivery);
  if (delivery.state !== "pending" || delivery.next_attempt_at === null || isAwaited) return null;
  return (
    <>
      {" · "}next try <Moment at={delivery.next_attempt_at} />
    </>
  );
}

function ResendButton({ place, delivery, isEnabled }: DeliveryRowProps) {
  const resend = useResend(place);
  const isAwaited = useIsAwaited(delivery);
  return (
    <Button
      variant="default"
      size="xs"
      className="keeps-width"
      aria-label={`Resend ${delivery.type}`}
      disabled={!isEnabled}
      loading={resend.isPending || (resend.isSuccess && isAwaited)}
      onClick={() =>
        resend.mutate(delivery.id, {
          onError: ({ message }) => notifications.show({ color: "red", title: "It was not sent again", message }),
        })
      }
    >
      Resend
    </Button>
  );
}
