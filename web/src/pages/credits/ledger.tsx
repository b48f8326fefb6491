import { Box, Button, Center, Group, Loader, Stack, Text } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import type { LedgerEntry } from "../../../../src/contract/console/credits.ts";
import { entriesQuery } from "../../api/credits.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty, Panel } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";

/** All credit transactions, newest first. */
export function Ledger() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(entriesQuery);
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Panel title="Transactions">
      {data === undefined && error === null && <LoadingRows />}
      {error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {data !== undefined && entries.length === 0 && (
        <Empty title="No transactions yet">
          Every credit that is granted, reserved, charged or refunded is listed here.
        </Empty>
      )}
      <Stack component="ul" gap={0} className="plain-list ruled" aria-label="Transactions">
        {entries.map((entry) => (
          <EntryRow key={entry.id} entry={entry} />
        ))}
      </Stack>
      {hasNextPage && <More isLoading={isFetchingNextPage} onNeeded={() => void fetchNextPage()} />}
    </Panel>
  );
}

function EntryRow({ entry }: { entry: LedgerEntry }) {
  const { execution_id, application, change, created_at } = entry;
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="md" py="xs">
      <Box miw={0}>
        <Text size="sm">
          {execution_id === null ? (
            describeEntry(entry)
          ) : (
            <Link href={`/executions/${execution_id}`}>{describeEntry(entry)}</Link>
          )}
        </Text>
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {application !== null && (
            <>
              <UntrustedText>{application.name}</UntrustedText> ·{" "}
            </>
          )}
          <RelativeTime at={created_at} />
        </Text>
      </Box>
      <Text size="sm" fw={500} className="figures no-wrap" c={colorOf(change)}>
        {describeChange(entry)}
      </Text>
    </Group>
  );
}

function colorOf(change: number): string {
  if (change === 0) return "dimmed";
  return change > 0 ? "teal" : "inherit";
}

/** Loads when scrolled near, or with the button. */
function More({ isLoading, onNeeded }: { isLoading: boolean; onNeeded: () => void }) {
  const { ref, entry } = useIntersection({ rootMargin: "400px" });
  const isNear = entry?.isIntersecting === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once each time it comes near
  useEffect(() => {
    if (isNear && !isLoading) onNeeded();
  }, [isNear, isLoading]);
  return (
    <Center ref={ref} pt="md">
      {isLoading ? (
        <Loader size="sm" aria-label="Loading more" />
      ) : (
        <Button variant="default" size="xs" onClick={onNeeded}>
          Show more
        </Button>
      )}
    </Center>
  );
}

const LABELS: Record<LedgerEntry["kind"], string> = {
  grant: "Granted",
  reserve: "Reserved for an errand",
  capture: "Charged for a verified result",
  release: "Refunded: no verified result",
};

function describeEntry({ kind }: LedgerEntry): string {
  return LABELS[kind];
}

/** The signed amount. A charge doesn't change the balance: the reservation already did. */
function describeChange({ kind, credits, change }: LedgerEntry): string {
  if (kind === "capture" && change === 0) return `${credits.toLocaleString("en")} charged`;
  if (change === 0) return "0";
  return `${change > 0 ? "+" : "−"}${Math.abs(change).toLocaleString("en")}`;
}
