import { Alert, Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { ConsoleError } from "../../../api/client.ts";
import { useChangeWebhook, type WebhookRef, webhookQuery } from "../../../api/webhooks.ts";
import { LoadingRows, Problem } from "../../../components/feedback.tsx";
import { Icon } from "../../../components/icons.tsx";
import { Empty, Fact } from "../../../components/page.tsx";
import { Moment } from "../../../components/time.tsx";
import { UntrustedText } from "../../../components/untrusted-text.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { describeEvents, WebhookStateBadge } from "./webhook-state.tsx";

/** One of them: what it is told, what can be done with it, and everything that was sent. */
export function OneWebhook({ place }: { place: WebhookRef }) {
  const { data, error, refetch } = useQuery(webhookQuery(place));
  const all = `/applications/${place.applicationId}/webhooks`;
  if (error instanceof ConsoleError && error.status === 404) {
    return (
      <Empty title="There is no such webhook">
        It may have been deleted.{" "}
        <Anchor component={Link} href={all} underline="always">
          All webhooks of this application
        </Anchor>
      </Empty>
    );
  }
  if (data === undefined) {
    return error === null ? <LoadingRows /> : <Problem error={error} onRetry={() => void refetch()} />;
  }
  return (
    <div className="webhook">
      <Anchor component={Link} href={all} size="sm" className="webhook-back">
        <Icon name="left" size={14} /> All webhooks
      </Anchor>
      <Heading place={place} webhook={data} />
      {data.disabled !== null && <DisabledNotice place={place} disabled={data.disabled} />}
      <Facts webhook={data} />
      <DeliveryLog place={place} isEnabled={data.enabled} />
    </div>
  );
}

function Heading({ place, webhook }: { place: WebhookRef; webhook: Webhook }) {
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
      <WebhookActions place={place} webhook={webhook} />
    </Group>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  return (
    <dl className="webhook-facts">
      {webhook.enabled && (
        <Fact name="State">
          <WebhookStateBadge webhook={webhook} />
        </Fact>
      )}
      <Fact name="Told of">{describeEvents(webhook.events)}</Fact>
      <Fact name="Added">
        <Moment at={webhook.created_at} />
      </Fact>
      {webhook.previous_secret_until !== null && (
        <Fact name="Previous secret">
          signs beside the new one, until <Moment at={webhook.previous_secret_until} />
        </Fact>
      )}
    </dl>
  );
}

interface DisabledNoticeProps {
  place: WebhookRef;
  disabled: NonNullable<Webhook["disabled"]>;
}

/** Why nothing is sent, and the way back. */
function DisabledNotice({ place, disabled: { at, reason } }: DisabledNoticeProps) {
  const enabling = useChangeWebhook(place);
  return (
    <Alert color={reason === "gone" ? "red" : "yellow"} title="Nothing is sent" role="status">
      <Stack gap="sm" align="start">
        <Text size="sm">
          {reason === "gone" ? (
            <>
              The receiver answered 410 <Moment at={at} />: it is gone and wants no more messages. Once the address is
              right, enable it again.
            </>
          ) : (
            <>
              It was disabled <Moment at={at} />. What happens meanwhile is not sent later.
            </>
          )}
        </Text>
        {enabling.error !== null && <Problem error={enabling.error} />}
        <Button
          size="xs"
          variant="default"
          loading={enabling.isPending}
          onClick={() => enabling.mutate({ enabled: true })}
        >
          Enable it
        </Button>
      </Stack>
    </Alert>
  );
}
