import { Anchor, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Webhook } from "../../../../../src/contract/webhook.ts";
import { ConsoleError } from "../../../api/console-error.ts";
import { type WebhookPlace, webhookQuery } from "../../../api/webhooks.ts";
import { Empty } from "../../../parts/empty.tsx";
import { Fact } from "../../../parts/fact.tsx";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { LoadingRows } from "../../../parts/loading.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Icon } from "../../../shell/icon.tsx";
import { DeliveryLog } from "./deliveries/delivery-log.tsx";
import { DisabledNotice } from "./disabled-notice.tsx";
import { describeEvents } from "./event-words.ts";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookStanding } from "./webhook-standing.tsx";

/** One of them: what it is told, what can be done with it, and everything that was sent. */
export function OneWebhook({ place }: { place: WebhookPlace }) {
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

function Heading({ place, webhook }: { place: WebhookPlace; webhook: Webhook }) {
  return (
    <Group justify="space-between" align="start" gap="md">
      <div className="record-main">
        <Title order={2} size="h4" className="wrap-anywhere">
          <ForeignText>{webhook.url}</ForeignText>
        </Title>
        {webhook.description !== null && (
          <Text size="sm" c="dimmed" className="wrap-anywhere">
            <ForeignText>{webhook.description}</ForeignText>
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
          <WebhookStanding webhook={webhook} />
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
