import { Button, Center, Loader, Table, Text } from "@mantine/core";
import { useIntersection } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import type { LedgerEntry } from "../../../../src/contract/console/credits.ts";
import { entriesQuery } from "../../api/credits.ts";
import { Empty } from "../../parts/empty.tsx";
import { LoadingRows } from "../../parts/loading.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Problem } from "../../parts/problem.tsx";
import { describeChange, describeEntry } from "./describe-entry.ts";

/** Every entry there is, newest first; more come when one gets near the end. */
export function Ledger() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(entriesQuery);
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Panel title="Ledger">
      {data === undefined && error === null && <LoadingRows />}
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data !== undefined && entries.length === 0 && (
        <Empty title="The ledger is empty">Credits that are granted, set aside, paid and given back stand here.</Empty>
      )}
      {entries.length > 0 && (
        <Table.ScrollContainer minWidth={560} type="native" tabIndex={0} role="region" aria-label="Ledger">
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>What</Table.Th>
                <Table.Th>Application</Table.Th>
                <Table.Th ta="right">Credits</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entries.map((entry) => (
                <EntryRow key={entry.id} entry={entry} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {hasNextPage && <More isLoading={isFetchingNextPage} onNeeded={() => void fetchNextPage()} />}
    </Panel>
  );
}

function EntryRow({ entry }: { entry: LedgerEntry }) {
  const { execution_id, application, change, created_at } = entry;
  return (
    <Table.Tr>
      <Table.Td className="no-wrap">
        <Moment at={created_at} />
      </Table.Td>
      <Table.Td>
        {execution_id === null ? (
          describeEntry(entry)
        ) : (
          <Link href={`/executions/${execution_id}`}>{describeEntry(entry)}</Link>
        )}
      </Table.Td>
      <Table.Td>
        {application === null ? (
          <Text span inherit c="dimmed">
            –
          </Text>
        ) : (
          <span className="wrap-anywhere">{application.name}</span>
        )}
      </Table.Td>
      <Table.Td ta="right" className="figures" c={colorOf(change)}>
        {describeChange(entry)}
      </Table.Td>
    </Table.Tr>
  );
}

function colorOf(change: number): string {
  if (change === 0) return "dimmed";
  return change > 0 ? "teal" : "inherit";
}

/** By itself when it comes into sight, and by hand for whoever does not scroll. */
function More({ isLoading, onNeeded }: { isLoading: boolean; onNeeded: () => void }) {
  const { ref, entry } = useIntersection({ rootMargin: "400px" });
  const isNear = entry?.isIntersecting === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once each time it comes near
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
