import { Anchor, Badge, Button, Grid, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Me } from "../../../../src/contract/console/account.ts";
import type { ConsoleApplication, ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import type { ExecutionItem } from "../../../../src/contract/console/executions.ts";
import { applicationsQuery } from "../../api/applications.ts";
import { newestOwnConnectionsQuery } from "../../api/connections.ts";
import { countOf } from "../../components/count.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Empty, PageTitle, Panel } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { BalanceFigure } from "../credits/balance-figure.tsx";
import { OutcomeBadge } from "../executions/outcome.tsx";
import { ErrandForm } from "../new-errand/errand-form.tsx";

export function Overview({ me, executions }: { me: Me; executions: ExecutionItem[] }) {
  if (me.owner === null) return <UserOverview executions={executions} />;
  return (
    <>
      <PageTitle
        title="Home"
        actions={
          <Button variant="default" component={Link} href="/applications?new">
            New application
          </Button>
        }
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Panel title="New errand">
              <ErrandForm />
            </Panel>
            <Panel
              title="Recent errands"
              more={
                <Anchor component={Link} href="/executions" size="sm">
                  View all
                </Anchor>
              }
            >
              {executions.length === 0 ? <NoErrands /> : <RecentExecutions executions={executions} />}
            </Panel>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <BalanceFigure
              balance={me.owner.balance}
              price={me.execution_price}
              isOperator={me.is_operator}
              more={
                <Anchor component={Link} href="/credits" size="sm">
                  Credits
                </Anchor>
              }
            />
            <ApplicationsPanel />
            <ConnectedApps />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

/** For people who own no applications: their connected apps come first. */
function UserOverview({ executions }: { executions: ExecutionItem[] }) {
  return (
    <>
      <PageTitle title="Home" about="Your connected apps and what they've done for you." />
      <Stack gap="lg">
        <ConnectedApps showsAll />
        {executions.length > 0 && (
          <Panel
            title="Recent errands"
            more={
              <Anchor component={Link} href="/executions" size="sm">
                View all
              </Anchor>
            }
          >
            <RecentExecutions executions={executions} />
          </Panel>
        )}
      </Stack>
    </>
  );
}

function NoErrands() {
  return (
    <Empty title="No errands yet">
      Create an application, connect someone to it, and send its first errand. The application's page shows you how,
      with everything filled in.
    </Empty>
  );
}

function RecentExecutions({ executions }: { executions: ExecutionItem[] }) {
  return (
    <Stack component="ul" gap={0} className="plain-list ruled">
      {executions.map((execution) => (
        <li key={execution.id}>
          <Link href={`/executions/${execution.id}`} className="list-link">
            <Group wrap="nowrap" gap="md" justify="space-between">
              <Stack gap={2} miw={0}>
                <Text size="sm" fw={500} truncate>
                  <UntrustedText>{execution.prompt}</UntrustedText>
                </Text>
                <Text size="xs" c="dimmed" truncate>
                  <UntrustedText>{execution.application.name}</UntrustedText> ·{" "}
                  <UntrustedText>{execution.connection.user_email}</UntrustedText> ·{" "}
                  <RelativeTime at={execution.created_at} />
                </Text>
              </Stack>
              <OutcomeBadge status={execution.status} terminal={execution.terminal} isWaiting={execution.is_waiting} />
            </Group>
          </Link>
        </li>
      ))}
    </Stack>
  );
}

const SHOWN = 5;

function ApplicationsPanel() {
  const { data, error, refetch } = useQuery(applicationsQuery);
  return (
    <Panel
      title="Applications"
      more={
        <Anchor component={Link} href="/applications" size="sm">
          View all
        </Anchor>
      }
    >
      {data === undefined && error === null && <LoadingRows />}
      {data === undefined && error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No applications yet. Create one to send errands from your own program.
        </Text>
      )}
      <Stack component="ul" gap={0} className="plain-list ruled">
        {data?.slice(0, SHOWN).map((application) => (
          <li key={application.id}>
            <Link href={`/applications/${application.id}`} className="list-link">
              <Text size="sm" fw={500} truncate>
                <UntrustedText>{application.name}</UntrustedText>
              </Text>
              <Text size="xs" c="dimmed">
                {describeUse(application)}
              </Text>
            </Link>
          </li>
        ))}
      </Stack>
    </Panel>
  );
}

function describeUse({ connections, recent_executions }: ConsoleApplication): string {
  const people = countOf(connections, "connection");
  return recent_executions === 0 ? people : `${countOf(recent_executions, "errand")} in 24 h · ${people}`;
}

/** The user's connected apps: all of them, or only those that need to be reconnected. */
function ConnectedApps({ showsAll = false }: { showsAll?: boolean }) {
  const { data, error, refetch } = useQuery(newestOwnConnectionsQuery);
  const shown = data?.connections.filter(({ state }) => showsAll || state === "REAUTHORIZATION_REQUIRED") ?? [];
  if (!showsAll && shown.length === 0) return null;
  return (
    <Panel
      title={showsAll ? "Connected apps" : "Apps to reconnect"}
      more={
        <Anchor component={Link} href="/connections" size="sm">
          Manage
        </Anchor>
      }
    >
      {data === undefined && error === null && <LoadingRows />}
      {data === undefined && error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {data?.connections.length === 0 && (
        <Empty title="No connected apps">
          When you allow an app to run errands for you, it appears here. You can disconnect it at any time.
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
            <UntrustedText>{application.name}</UntrustedText>
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {last_execution === null ? (
              "No errands yet"
            ) : (
              <>
                Last errand <RelativeTime at={last_execution.created_at} />
              </>
            )}
          </Text>
        </Stack>
        <Badge variant="light" tt="none" color={state === "ACTIVE" ? "teal" : "yellow"} style={{ flexShrink: 0 }}>
          {state === "ACTIVE" ? "Active" : "Reconnect"}
        </Badge>
      </Group>
    </Link>
  );
}
