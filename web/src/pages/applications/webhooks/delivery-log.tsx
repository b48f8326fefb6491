import { Anchor, Badge, Button, SegmentedControl, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import type { WebhookDelivery } from "../../../../../src/contract/webhook.ts";
import { deliveriesQuery, isDue, useResend, type WebhookRef } from "../../../api/webhooks.ts";
import { countOf } from "../../../components/count.ts";
import { ErrorAlert, LoadingRows } from "../../../components/feedback.tsx";
import { Empty } from "../../../components/page.tsx";
import { MoreRows } from "../../../components/searchable-list.tsx";
import { formatDuration, RelativeTime, useClock } from "../../../components/time.tsx";
import { UntrustedText } from "../../../components/untrusted-text.tsx";
import { describeMessage } from "./webhook-state.tsx";

const FILTER = "show";
const UNDELIVERED = "undelivered";

/** The deliveries of the last 30 days, newest first. */
export function DeliveryLog({ webhookRef, isEnabled }: { webhookRef: WebhookRef; isEnabled: boolean }) {
  const [parameters, setParameters] = useSearchParams();
  const isUndeliveredOnly = parameters.get(FILTER) === UNDELIVERED;
  return (
    <section aria-labelledby="deliveries">
      <div className="log-head">
        <Title order={3} size="h5" id="deliveries">
          Deliveries
        </Title>
        <SegmentedControl
          size="xs"
          aria-label="Filter deliveries"
          data={[
            { label: "All", value: "all" },
            { label: "Undelivered", value: UNDELIVERED },
          ]}
          value={isUndeliveredOnly ? UNDELIVERED : "all"}
          onChange={(chosen) => setParameters(chosen === UNDELIVERED ? { [FILTER]: chosen } : {}, { replace: true })}
        />
      </div>
      <Deliveries webhookRef={webhookRef} isEnabled={isEnabled} isUndeliveredOnly={isUndeliveredOnly} />
    </section>
  );
}

interface DeliveriesProps {
  webhookRef: WebhookRef;
  isEnabled: boolean;
  isUndeliveredOnly: boolean;
}

function Deliveries({ webhookRef, isEnabled, isUndeliveredOnly }: DeliveriesProps) {
  const query = useInfiniteQuery(deliveriesQuery(webhookRef, isUndeliveredOnly));
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries);
  if (deliveries === undefined) {
    return query.error === null ? (
      <LoadingRows />
    ) : (
      <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  if (deliveries.length === 0) return <NoDeliveries isUndeliveredOnly={isUndeliveredOnly} />;
  return (
    <>
      <ul className="record-rows" aria-label="Deliveries" aria-busy={query.isPlaceholderData}>
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} webhookRef={webhookRef} delivery={delivery} isEnabled={isEnabled} />
        ))}
      </ul>
      <MoreRows
        hasMore={query.hasNextPage}
        isLoading={query.isFetchingNextPage}
        error={query.isFetchNextPageError ? query.error : null}
        onLoad={query.fetchNextPage}
      />
    </>
  );
}

function NoDeliveries({ isUndeliveredOnly }: { isUndeliveredOnly: boolean }) {
  if (isUndeliveredOnly) return <Empty title="Everything was delivered">No deliveries are pending or failed.</Empty>;
  return (
    <Empty title="No deliveries yet">
      Send a test ping to check your receiver. Deliveries of the last 30 days are listed here.
    </Empty>
  );
}

interface DeliveryRowProps {
  webhookRef: WebhookRef;
  delivery: WebhookDelivery;
  isEnabled: boolean;
}

/** One message with its state and all attempts. */
function DeliveryRow({ webhookRef, delivery, isEnabled }: DeliveryRowProps) {
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
          <RelativeTime at={created_at} />
          {execution_id !== null && (
            <>
              {" · "}
              <Anchor component={Link} href={`/executions/${execution_id}`} inherit underline="always">
                View errand
              </Anchor>
            </>
          )}
          <NextAttempt delivery={delivery} />
        </Text>
      </div>
      <ResendButton webhookRef={webhookRef} delivery={delivery} isEnabled={isEnabled} />
      {attempts.length > 0 && <AttemptList delivery={delivery} />}
    </li>
  );
}

function NextAttempt({ delivery }: { delivery: WebhookDelivery }) {
  const isDue = useIsDue(delivery);
  if (delivery.state !== "pending" || delivery.next_attempt_at === null || isDue) return null;
  return (
    <>
      {" · "}next attempt <RelativeTime at={delivery.next_attempt_at} />
    </>
  );
}

function ResendButton({ webhookRef, delivery, isEnabled }: DeliveryRowProps) {
  const resend = useResend(webhookRef);
  const isDue = useIsDue(delivery);
  return (
    <Button
      variant="default"
      size="xs"
      className="keeps-width"
      aria-label={`Resend ${delivery.type}`}
      disabled={!isEnabled}
      loading={resend.isPending || (resend.isSuccess && isDue)}
      onClick={() =>
        resend.mutate(delivery.id, {
          onError: ({ message }) => notifications.show({ color: "red", title: "Couldn't resend the message", message }),
        })
      }
    >
      Resend
    </Button>
  );
}

type Attempt = WebhookDelivery["attempts"][number];

/** The latest attempt, with earlier ones collapsed. */
function AttemptList({ delivery: { attempts } }: { delivery: WebhookDelivery }) {
  const [latest, ...earlier] = attempts;
  if (latest === undefined) return null;
  return (
    <div className="attempts">
      <ul className="plain-list" aria-label="Latest attempt">
        <AttemptLine attempt={latest} />
      </ul>
      {earlier.length > 0 && (
        <details className="disclosure">
          <summary>{countOf(earlier.length, "earlier attempt")}</summary>
          <ul className="plain-list" aria-label="Earlier attempts">
            {earlier.map((attempt) => (
              <AttemptLine key={attempt.at} attempt={attempt} />
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function AttemptLine({ attempt: { at, status, duration_ms, error } }: { attempt: Attempt }) {
  return (
    <li className="attempt">
      <Text span size="sm" fw={600} className="figures" c={error === null ? "teal" : "red"}>
        {status ?? "No response"}
      </Text>
      <Text span size="sm" className="attempt-words">
        {error === null ? "Received" : <UntrustedText>{error}</UntrustedText>}
      </Text>
      <Text span size="sm" c="dimmed" className="attempt-when">
        <RelativeTime at={at} />, {formatTook(duration_ms)}
      </Text>
    </li>
  );
}

function formatTook(durationMs: number): string {
  return durationMs < 1_000 ? `${durationMs} ms` : formatDuration(durationMs);
}

export function DeliveryState({ delivery }: { delivery: WebhookDelivery }) {
  const { label, color } = describeState(delivery, useIsDue(delivery));
  return (
    <Badge color={color} variant="light" tt="none" className="keeps-width">
      {label}
    </Badge>
  );
}

function describeState(delivery: WebhookDelivery, isDue: boolean): { label: string; color: string } {
  switch (delivery.state) {
    case "delivered":
      return { label: "Delivered", color: "teal" };
    case "failed":
      return { label: "Failed", color: "red" };
    case "canceled":
      return { label: "Canceled", color: "gray" };
    case "pending":
      if (isDue) return { label: "Sending", color: "blue" };
      return delivery.attempts.length === 0
        ? { label: "Queued", color: "gray" }
        : { label: "Retrying", color: "yellow" };
  }
}

/** Whether an attempt is in progress or about to start. */
function useIsDue(delivery: WebhookDelivery): boolean {
  return useClock((nowMs) => (isDue(delivery, nowMs) ? "awaited" : "")) !== "";
}
