import { Anchor, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { latestExecutionsQuery } from "../../api/applications.ts";
import { LoadingRows, Problem } from "../../components/feedback.tsx";
import { Empty } from "../../components/page.tsx";
import { Moment } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { OutcomeBadge } from "../executions/outcome.tsx";

/** The newest few, and the way to all of them. */
export function ExecutionsTab({ application }: { application: ConsoleApplication }) {
  const { data, error, refetch } = useQuery(latestExecutionsQuery(application.id));
  if (data === undefined) {
    return error === null ? <LoadingRows /> : <Problem error={error} onRetry={() => void refetch()} />;
  }
  if (data.length === 0) {
    return (
      <Empty title="Nothing has run yet">
        Once somebody has connected, send a prompt with their token: the{" "}
        <Anchor component={Link} href={`/applications/${application.id}`} underline="always">
          overview
        </Anchor>{" "}
        shows how.
      </Empty>
    );
  }
  return (
    <>
      <ul className="record-rows" aria-label="The newest executions">
        {data.map((execution) => (
          <li key={execution.id} className="record-row">
            <div className="record-main">
              <Anchor component={Link} href={`/executions/${execution.id}`} className="record-link" lineClamp={2}>
                <UntrustedText>{execution.prompt}</UntrustedText>
              </Anchor>
              <Text size="sm" c="dimmed" className="wrap-anywhere">
                {execution.connection.user_email} · <Moment at={execution.created_at} />
              </Text>
            </div>
            <OutcomeBadge status={execution.status} terminal={execution.terminal} />
          </li>
        ))}
      </ul>
      <Group mt="md">
        <Button component={Link} href={`/executions?application_id=${application.id}`} variant="default">
          All executions of this application
        </Button>
      </Group>
    </>
  );
}
