import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";
import { ownedApplicationsQuery } from "../../../api/home.ts";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { LoadingRows } from "../../../parts/loading.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { Problem } from "../../../parts/problem.tsx";

const SHOWN = 5;

export function ApplicationFigures() {
  const { data, error, refetch } = useQuery(ownedApplicationsQuery);
  return (
    <Panel
      title="Applications"
      more={
        <Anchor component={Link} href="/applications" size="sm">
          All applications
        </Anchor>
      }
    >
      {data === undefined && error === null && <LoadingRows />}
      {data === undefined && error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.applications.length === 0 && (
        <Text size="sm" c="dimmed">
          You have none yet.
        </Text>
      )}
      <Stack component="ul" gap={0} className="plain-list ruled">
        {data?.applications.slice(0, SHOWN).map((application) => (
          <li key={application.id}>
            <Link href={`/applications/${application.id}`} className="list-link">
              <Group justify="space-between" wrap="nowrap" gap="sm">
                <Text size="sm" truncate>
                  <ForeignText>{application.name}</ForeignText>
                </Text>
                <Text size="xs" c="dimmed" className="no-wrap">
                  {describe(application)}
                </Text>
              </Group>
            </Link>
          </li>
        ))}
      </Stack>
    </Panel>
  );
}

function describe({ connections, recent_executions }: ConsoleApplication): string {
  const people = connections === 1 ? "1 connection" : `${connections} connections`;
  return recent_executions === 0 ? people : `${recent_executions} today · ${people}`;
}
