import { Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ConsoleConnection } from "../../../../../src/contract/console/applications.ts";
import { ownConnectionsQuery } from "../../../api/home.ts";
import { Empty } from "../../../parts/empty.tsx";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { LoadingRows } from "../../../parts/loading.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { Problem } from "../../../parts/problem.tsx";

/** One's own connections: all of them, or only those that need one to sign in again. */
export function ActingList({ isWhole = false }: { isWhole?: boolean }) {
  const { data, error, refetch } = useQuery(ownConnectionsQuery);
  const shown = data?.connections.filter(({ state }) => isWhole || state === "REAUTHORIZATION_REQUIRED") ?? [];
  if (!isWhole && shown.length === 0) return null;
  return (
    <Panel
      title={isWhole ? "What may act for me" : "Waits until you connect again"}
      more={
        <Anchor component={Link} href="/connections" size="sm">
          Manage
        </Anchor>
      }
    >
      {data === undefined && error === null && <LoadingRows />}
      {data === undefined && error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.connections.length === 0 && (
        <Empty title="Nothing acts for you">
          When an application asks to run errands for you and you allow it, it stands here, and you can take it back.
        </Empty>
      )}
      <Stack component="ul" gap={0} className="plain-list ruled">
        {shown.map((connection) => (
          <li key={connection.id}>
            <ConnectionRow connection={connection} />
          </li>
        ))}
      </Stack>
    </Panel>
  );
}

function ConnectionRow({ connection }: { connection: ConsoleConnection }) {
  const { application, state, last_execution } = connection;
  return (
    <Link href="/connections" className="list-link">
      <Group justify="space-between" wrap="nowrap" gap="md">
        <Stack gap={2} miw={0}>
          <Text size="sm" fw={500} truncate>
            <ForeignText>{application.name}</ForeignText>
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {last_execution === null ? (
              "Has done nothing yet"
            ) : (
              <>
                Last acted <Moment at={last_execution.created_at} />
              </>
            )}
          </Text>
        </Stack>
        <Badge variant="light" tt="none" color={state === "ACTIVE" ? "teal" : "yellow"} style={{ flexShrink: 0 }}>
          {state === "ACTIVE" ? "May act" : "Connect again"}
        </Badge>
      </Group>
    </Link>
  );
}
