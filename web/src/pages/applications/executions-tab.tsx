import { Anchor, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ConsoleApplication } from "../../../../src/contract/console/applications.ts";
import { latestExecutionsQuery } from "../../api/applications.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { OutcomeBadge } from "../executions/outcome.tsx";

/** The latest errands, with a link to all of them. */
export function ExecutionsTab({ application }: { application: ConsoleApplication }) {
  const { data, error, refetch } = useQuery(latestExecutionsQuery(application.id));
  if (data === undefined) {
    return error === null ? <LoadingRows /> : <ErrorAlert error={error} onRetry={() => void refetch()} />;
  }
  if (data.length === 0) {
    return (
      <Empty title="No errands yet">
        Once someone has connected, send an errand with their token. The{" "}
        <Anchor component={Link} href={`/applications/${application.id}`} underline="always">
          Overview tab
        </Anchor>{" "}
        shows you how.
      </Empty>
    );
  }
  return (
    <>
      <ul className="record-rows" aria-label="Latest errands">
        {data.map((execution) => (
          <li key={execution.id} className="record-row">
            <div className="record-main">
              <Anchor component={Link} href={`/executions/${execution.id}`} className="record-link" lineClamp={2}>
                <UntrustedText>{execution.prompt}</UntrustedText>
              </Anchor>
              <Text size="sm" c="dimmed" className="wrap-anywhere">
                {execution.connection.user_email} · <RelativeTime at={execution.created_at} />
              </Text>
            </div>
            <OutcomeBadge status={execution.status} terminal={execution.terminal} isWaiting={execution.is_waiting} />
          </li>
        ))}
      </ul>
      <Group mt="md">
        <Button component={Link} href={`/executions?application_id=${application.id}`} variant="default">
          View all errands of this application
        </Button>
      </Group>
    </>
  );
}
