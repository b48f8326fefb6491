import "./webhooks.css";
import { Button, Code, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";
import { webhooksQuery } from "../../../api/webhooks.ts";
import { Empty } from "../../../parts/empty.tsx";
import { LoadingRows } from "../../../parts/loading.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { NewWebhook } from "./new-webhook.tsx";
import { OneWebhook } from "./one-webhook.tsx";
import { WebhookList } from "./webhook-list.tsx";

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
