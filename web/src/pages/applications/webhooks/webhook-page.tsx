import { Alert, Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { ConsoleError } from "../../../api/client.ts";
import { useChangeWebhook, type WebhookRef, webhookQuery } from "../../../api/webhooks.ts";
import { ErrorAlert, LoadingRows } from "../../../components/feedback.tsx";
import { Icon } from "../../../components/icons.tsx";
import { Empty, Fact } from "../../../components/page.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { UntrustedText } from "../../../components/untrusted-text.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { describeEvents, WebhookStateBadge } from "./webhook-state.tsx";

/** One webhook: its settings, actions and delivery log. */
export function WebhookPage({ webhookRef }: { webhookRef: WebhookRef }) {
  const { data, error, refetch } = useQuery(webhookQuery(webhookRef));
  const all = `/applications/${webhookRef.applicationId}/webhooks`;
  if (error instanceof ConsoleError && error.status === 404) {
    return (
      <Empty title="Webhook not found">
        It may have been deleted.{" "}
        <Anchor component={Link} href={all} underline="always">
          View all webhooks
        </Anchor>
      </Empty>
    );
  }
  if (data === undefined) {
    return error === null ? <LoadingRows /> : <ErrorAlert error={error} onRetry={() => void refetch()} />;
  }
  return (
    <div className="webhook">
      <Anchor component={Link} href={all} size="sm" className="webhook-back">
        <Icon name="left" size={14} /> All webhooks
      </Anchor>
      <Heading webhookRef={webhookRef} webhook={data} />
      {data.disabled !== null && <DisabledNotice webhookRef={webhookRef} disabled={data.disabled} />}
      <Facts webhook={data} />
      <DeliveryLog webhookRef={webhookRef} isEnabled={data.enabled} />
    </div>
  );
}

function Heading({ webhookRef, webhook }: { webhookRef: WebhookRef; webhook: Webhook }) {
  return (
    <Group justify="space-between" align="start" gap="md">
      <div className="record-main">
        <Title order={2} size="h4" className="wrap-anywhere">
          <UntrustedText>{webhook.url}</UntrustedText>
        </Title>
        {webhook.description !== null && (
          <Text size="sm" c="dimmed" className="wrap-anywhere">
            <UntrustedText>{webhook.description}</UntrustedText>
          </Text>
        )}
      </div>
      <WebhookActions webhookRef={webhookRef} webhook={webhook} />
    </Group>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  return (
    <dl className="webhook-facts">
      {webhook.enabled && (
        <Fact name="Status">
          <WebhookStateBadge webhook={webhook} />
        </Fact>
      )}
      <Fact name="Events">{describeEvents(webhook.events)}</Fact>
      <Fact name="Added">
        <RelativeTime at={webhook.created_at} />
      </Fact>
      {webhook.previous_secret_until !== null && (
        <Fact name="Previous secret">
          Also valid until <RelativeTime at={webhook.previous_secret_until} />
        </Fact>
      )}
    </dl>
  );
}

interface DisabledNoticeProps {
  webhookRef: WebhookRef;
  disabled: NonNullable<Webhook["disabled"]>;
}

/** Why the webhook is disabled, with a button to enable it. */
function DisabledNotice({ webhookRef, disabled: { at, reason } }: DisabledNoticeProps) {
  const enabling = useChangeWebhook(webhookRef);
  return (
    <Alert color={reason === "gone" ? "red" : "yellow"} title="This webhook is disabled" role="status">
      <Stack gap="sm" align="start">
        <Text size="sm">
          {reason === "gone" ? (
            <>
              The receiver responded with 410 Gone <RelativeTime at={at} />, which means it wants no more messages.
              Check the URL, then enable the webhook again.
            </>
          ) : (
            <>
              It was disabled <RelativeTime at={at} />. Events that happen while it's disabled aren't sent later.
            </>
          )}
        </Text>
        {enabling.error !== null && <ErrorAlert error={enabling.error} />}
        <Button
          size="xs"
          variant="default"
          loading={enabling.isPending}
          onClick={() => enabling.mutate({ enabled: true })}
        >
          Enable
        </Button>
      </Stack>
    </Alert>
  );
}
