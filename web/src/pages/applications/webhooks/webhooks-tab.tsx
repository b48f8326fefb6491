import "./webhooks.css";
import { Anchor, Button, Code, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "wouter";
import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { latestDeliveryQuery, webhooksQuery } from "../../../api/webhooks.ts";
import { ErrorAlert, LoadingRows } from "../../../components/feedback.tsx";
import { Empty } from "../../../components/page.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { UntrustedText } from "../../../components/untrusted-text.tsx";
import { DeliveryState } from "./delivery-log.tsx";
import { NewWebhook } from "./new-webhook.tsx";
import { WebhookPage } from "./webhook-page.tsx";
import { describeEvents, WebhookStateBadge } from "./webhook-state.tsx";

/** The list of webhooks, or the one in the URL. */
export function WebhooksTab({ application: { id } }: { application: ConsoleApplication }) {
  const { webhookId } = useParams<{ webhookId?: string }>();
  if (webhookId === undefined) return <Webhooks applicationId={id} />;
  return <WebhookPage key={webhookId} webhookRef={{ applicationId: id, webhookId }} />;
}

function Webhooks({ applicationId }: { applicationId: string }) {
  const { data, error, refetch } = useQuery(webhooksQuery(applicationId));
  const [isAdding, setIsAdding] = useState(false);
  if (data === undefined) {
    return error === null ? <LoadingRows /> : <ErrorAlert error={error} onRetry={() => void refetch()} />;
  }
  const add = <Button onClick={() => setIsAdding(true)}>Add webhook</Button>;
  return (
    <>
      {data.length === 0 ? (
        <Empty title="No webhooks yet">
          <p>
            A webhook notifies your server when an errand has ended, someone needs to reconnect, or credits run low. You
            can also use the command line: <Code className="no-wrap">bin/errand webhook create</Code>
          </p>
          {add}
        </Empty>
      ) : (
        <>
          <Group justify="space-between" mb="md" gap="sm">
            <Text size="sm" c="dimmed">
              Errand sends events to these URLs, each signed with its own secret.
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

function LatestDelivery(webhookRef: { applicationId: string; webhookId: string }) {
  const { data } = useQuery(latestDeliveryQuery(webhookRef));
  if (data === undefined) return null;
  if (data === null) {
    return (
      <Text size="sm" c="dimmed">
        No deliveries yet
      </Text>
    );
  }
  return (
    <div className="webhook-latest">
      <Text size="sm" c="dimmed">
        Last delivery <RelativeTime at={data.created_at} />
      </Text>
      <DeliveryState delivery={data} />
    </div>
  );
}
