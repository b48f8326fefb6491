import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { latestDeliveryQuery } from "../../../api/webhooks.ts";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { DeliveryState } from "./deliveries/delivery-state.tsx";
import { describeEvents } from "./event-words.ts";
import { WebhookStanding } from "./webhook-standing.tsx";

export function WebhookList({ applicationId, webhooks }: { applicationId: string; webhooks: Webhook[] }) {
  return (
    <ul className="record-rows" aria-label="Webhooks">
      {webhooks.map((webhook) => (
        <li key={webhook.id} className="record-row webhook-record">
          <div className="record-main">
            <Anchor
              component={Link}
              href={`/applications/${applicationId}/webhooks/${webhook.id}`}
              fw={600}
              className="record-link wrap-anywhere"
            >
              <ForeignText>{webhook.url}</ForeignText>
            </Anchor>
            {webhook.description !== null && (
              <Text size="sm" className="wrap-anywhere">
                <ForeignText>{webhook.description}</ForeignText>
              </Text>
            )}
            <Text size="sm" c="dimmed" className="wrap-anywhere">
              {describeEvents(webhook.events)}
            </Text>
          </div>
          <div className="webhook-rest">
            <WebhookStanding webhook={webhook} />
            <LatestDelivery applicationId={applicationId} webhookId={webhook.id} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function LatestDelivery(place: { applicationId: string; webhookId: string }) {
  const { data } = useQuery(latestDeliveryQuery(place));
  if (data === undefined) return null;
  if (data === null) {
    return (
      <Text size="sm" c="dimmed">
        Nothing sent yet
      </Text>
    );
  }
  return (
    <div className="webhook-latest">
      <Text size="sm" c="dimmed">
        Last message <Moment at={data.created_at} />
      </Text>
      <DeliveryState delivery={data} />
    </div>
  );
}
