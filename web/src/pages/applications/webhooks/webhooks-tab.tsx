import "./webhooks.css";
import { Anchor, Button, Code, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "wouter";
import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { latestDeliveryQuery, webhooksQuery } from "../../../api/webhooks.ts";
import { LoadingRows, Problem } from "../../../components/feedback.tsx";
import { Empty } from "../../../components/page.tsx";
import { Moment } from "../../../components/time.tsx";
import { UntrustedText } from "../../../components/untrusted-text.tsx";
import { DeliveryState } from "./delivery-log.tsx";
import { NewWebhook } from "./new-webhook.tsx";
import { OneWebhook } from "./webhook-page.tsx";
import { describeEvents, WebhookStateBadge } from "./webhook-state.tsx";

/** All of them, or the one that the address names. */
export function WebhooksTab({ application: { id } }: { application: ConsoleApplication }) {
  const { webhookId } = useParams<{ webhookId?: string }>();
  if (webhookId === undefined) return <Webhooks applicationId={id} />;
  return <OneWebhook key={webhookId} place={{ applicationId: id, webhookId }} />;
}

function Webhooks({ applicationId }: { applicationId: string }) {
  const { data, error, refetch } = useQuery(webhooksQuery(applicationId));
  const [isAdding, setIsAdding] = useState(false);
  if (data === undefined) {
    return error === null ? <LoadingRows /> : <Problem error={error} onRetry={() => void refetch()} />;
  }
  const add = <Button onClick={() => setIsAdding(true)}>Add a webhook</Button>;
  return (
    <>
      {data.length === 0 ? (
        <Empty title="No webhook yet">
          <p>
            A webhook tells your server when a run has ended, when somebody has to connect again, and when credits run
            low, so that it need not ask. On the command line: <Code>bin/errand webhook create</Code>
          </p>
          {add}
        </Empty>
      ) : (
        <>
          <Group justify="space-between" mb="md" gap="sm">
            <Text size="sm" c="dimmed">
              Each is told what happens, signed with a secret of its own.
            </Text>
            {add}
          </Group>
          <WebhookList applicationId={applicationId} webhooks={data} />
        </>
      )}
      <NewWebhook applicationId={applicationId} isOpen={isAdding} onClose={() => setIsAdding(false)} />
    </>
  );
}

function WebhookList({ applicationId, webhooks }: { applicationId: string; webhooks: Webhook[] }) {
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
              <UntrustedText>{webhook.url}</UntrustedText>
            </Anchor>
            {webhook.description !== null && (
              <Text size="sm" className="wrap-anywhere">
                <UntrustedText>{webhook.description}</UntrustedText>
              </Text>
            )}
            <Text size="sm" c="dimmed" className="wrap-anywhere">
              {describeEvents(webhook.events)}
            </Text>
          </div>
          <div className="webhook-rest">
            <WebhookStateBadge webhook={webhook} />
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
