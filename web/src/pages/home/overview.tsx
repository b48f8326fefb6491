import { Anchor, Badge, Button, Grid, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Me } from "../../../../src/contract/console/account.ts";
import type { ConsoleApplication, ConsoleConnection } from "../../../../src/contract/console/applications.ts";
import type { ExecutionItem } from "../../../../src/contract/console/executions.ts";
import { ownConnectionsQuery, ownedApplicationsQuery } from "../../api/executions.ts";
import { LoadingRows, Problem } from "../../components/feedback.tsx";
import { Empty, PageTitle, Panel } from "../../components/page.tsx";
import { Moment } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { BalanceFigure } from "../credits/balance-figure.tsx";
import { OutcomeBadge } from "../executions/outcome.tsx";

/** What one wants to know at a glance, and nothing that one does not. */
export function Overview({ me, executions }: { me: Me; executions: ExecutionItem[] }) {
  if (me.owner === null) return <UserOverview executions={executions} />;
  return (
    <>
      <PageTitle
        title="Home"
        actions={
          <Button component={Link} href="/applications?new">
            New application
          </Button>
        }
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Panel
            title="Recent executions"
            more={
              <Anchor component={Link} href="/executions" size="sm">
                All executions
              </Anchor>
            }
          >
            {executions.length === 0 ? <NothingRunYet /> : <RecentExecutions executions={executions} />}
          </Panel>
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
            <ApplicationFigures />
            <ActingList />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

/** Somebody who owns nothing: what may act for them comes first. */
function UserOverview({ executions }: { executions: ExecutionItem[] }) {
  return (
    <>
      <PageTitle title="Home" about="What may act for you, and what it has done." />
      <Stack gap="lg">
        <ActingList isWhole />
        {executions.length > 0 && (
          <Panel
            title="Done for you"
            more={
              <Anchor component={Link} href="/executions" size="sm">
                All executions
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

function NothingRunYet() {
  return (
    <Empty title="Nothing has been run yet">
      Create an application, connect somebody to it, and send its first prompt: its page shows how, with everything
      filled in.
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
                  <Moment at={execution.created_at} />
                </Text>
              </Stack>
              <OutcomeBadge status={execution.status} terminal={execution.terminal} />
            </Group>
          </Link>
        </li>
      ))}
    </Stack>
  );
}

const SHOWN = 5;

function ApplicationFigures() {
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
                  <UntrustedText>{application.name}</UntrustedText>
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

/** One's own connections: all of them, or only those that need one to sign in again. */
function ActingList({ isWhole = false }: { isWhole?: boolean }) {
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
            <UntrustedText>{application.name}</UntrustedText>
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
