import { SegmentedControl, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { deliveriesQuery, type WebhookPlace } from "../../../../api/webhooks.ts";
import { Empty } from "../../../../parts/empty.tsx";
import { LoadingRows } from "../../../../parts/loading.tsx";
import { Problem } from "../../../../parts/problem.tsx";
import { MoreRows } from "../../../connections/more-rows.tsx";
import { DeliveryRow } from "./delivery-row.tsx";

const FILTER = "show";
const UNDELIVERED = "undelivered";

/** Everything that was sent in the last 30 days, newest first. */
export function DeliveryLog({ place, isEnabled }: { place: WebhookPlace; isEnabled: boolean }) {
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
  place: WebhookPlace;
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
