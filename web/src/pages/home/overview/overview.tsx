import { Anchor, Button, Grid, Stack } from "@mantine/core";
import { Link } from "wouter";
import type { Me } from "../../../../../src/contract/console/account.ts";
import type { ExecutionItem } from "../../../../../src/contract/console/executions.ts";
import { Empty } from "../../../parts/empty.tsx";
import { PageTitle } from "../../../parts/page-title.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { BalanceFigure } from "../../credits/balance-figure.tsx";
import { ActingList } from "./acting-list.tsx";
import { ApplicationFigures } from "./application-figures.tsx";
import { RecentExecutions } from "./recent-executions.tsx";

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
