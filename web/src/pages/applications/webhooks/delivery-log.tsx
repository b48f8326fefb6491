import { Anchor, Badge, Button, SegmentedControl, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import type { WebhookDelivery } from "../../../../../src/contract/webhook.ts";
import { deliveriesQuery, isAwaited, useResend, type WebhookRef } from "../../../api/webhooks.ts";
import { countOf } from "../../../components/count.ts";
import { LoadingRows, Problem } from "../../../components/feedback.tsx";
import { Empty } from "../../../components/page.tsx";
import { MoreRows } from "../../../components/searchable-list.tsx";
import { formatDuration, Moment, useClock } from "../../../components/time.tsx";
import { UntrustedText } from "../../../components/untrusted-text.tsx";
import { describeMessage } from "./webhook-state.tsx";

const FILTER = "show";
const UNDELIVERED = "undelivered";

/** Everything that was sent in the last 30 days, newest first. */
export function DeliveryLog({ place, isEnabled }: { place: WebhookRef; isEnabled: boolean }) {
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
          aria-label="Which deliveries"
          data={[
            { label: "All", value: "all" },
            { label: "Not delivered", value: UNDELIVERED },
          ]}
          value={isUndeliveredOnly ? UNDELIVERED : "all"}
          onChange={(chosen) => setParameters(chosen === UNDELIVERED ? { [FILTER]: chosen } : {}, { replace: true })}
        />
      </div>
      <Deliveries place={place} isEnabled={isEnabled} isUndeliveredOnly={isUndeliveredOnly} />
    </section>
  );
}

interface DeliveriesProps {
  place: WebhookRef;
  isEnabled: boolean;
  isUndeliveredOnly: boolean;
}

function Deliveries({ place, isEnabled, isUndeliveredOnly }: DeliveriesProps) {
  const query = useInfiniteQuery(deliveriesQuery(place, isUndeliveredOnly));
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries);
  if (deliveries === undefined) {
    return query.error === null ? (
      <LoadingRows />
    ) : (
      <Problem error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  if (deliveries.length === 0) return <Nothing isUndeliveredOnly={isUndeliveredOnly} />;
  return (
    <>
      <ul className="record-rows" aria-label="Deliveries" aria-busy={query.isPlaceholderData}>
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} place={place} delivery={delivery} isEnabled={isEnabled} />
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

function Nothing({ isUndeliveredOnly }: { isUndeliveredOnly: boolean }) {
  if (isUndeliveredOnly) return <Empty title="Everything has arrived">Nothing waits, and nothing has failed.</Empty>;
  return (
    <Empty title="Nothing has been sent yet">
      Send a ping to see whether the receiver takes it. Messages of the last 30 days stand here.
    </Empty>
  );
}

interface DeliveryRowProps {
  place: WebhookRef;
  delivery: WebhookDelivery;
  isEnabled: boolean;
}

/** One message: what it told, how it stands, and every attempt at it. */
function DeliveryRow({ place, delivery, isEnabled }: DeliveryRowProps) {
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

type Attempt = WebhookDelivery["attempts"][number];

/** The newest in full; the others for whoever opens them. */
function AttemptList({ delivery: { attempts } }: { delivery: WebhookDelivery }) {
  const [newest, ...others] = attempts;
  if (newest === undefined) return null;
  return (
    <div className="attempts">
      <ul className="plain-list" aria-label="The newest attempt">
        <AttemptLine attempt={newest} />
      </ul>
      {others.length > 0 && (
        <details className="disclosure">
          <summary>{countOf(others.length, "earlier attempt")}</summary>
          <ul className="plain-list" aria-label="Earlier attempts">
            {others.map((attempt) => (
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
        {status ?? "No answer"}
      </Text>
      <Text span size="sm" className="attempt-words">
        {error === null ? "It has the message." : <UntrustedText>{error}</UntrustedText>}
      </Text>
      <Text span size="sm" c="dimmed" className="attempt-when">
        <Moment at={at} />, {tellTook(duration_ms)}
      </Text>
    </li>
  );
}

function tellTook(durationMs: number): string {
  return durationMs < 1_000 ? `${durationMs} ms` : formatDuration(durationMs);
}

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

/** Whether it is being tried right now, or will be at any moment. */
function useIsAwaited(delivery: WebhookDelivery): boolean {
  return useClock((nowMs) => (isAwaited(delivery, nowMs) ? "awaited" : "")) !== "";
}
