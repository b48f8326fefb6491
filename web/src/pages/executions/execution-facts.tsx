import { Anchor, Card, Code, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ForeignAddress } from "../../parts/foreign-address.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Scrollable } from "../../parts/scrollable.tsx";
import { writeFilter } from "./list/list-filter.ts";
import { tellCost } from "./timeline/cost.ts";
import type { Run } from "./timeline/run.ts";

/** What else there is to know about it. */
export function ExecutionFacts({ seen, run }: { seen: ConsoleExecution; run: Run }) {
  const { execution, application, connection, may_run_again } = seen;
  return (
    <Card withBorder component="section" aria-labelledby="facts-title">
      <Title order={2} size="h5" id="facts-title" mb="sm">
        Details
      </Title>
      <dl className="facts">
        <Fact name="Application">
          {may_run_again ? (
            <Anchor component={Link} href={`/applications/${application.id}`} inherit>
              <ForeignText>{application.name}</ForeignText>
            </Anchor>
          ) : (
            <ForeignText>{application.name}</ForeignText>
          )}
        </Fact>
        <Fact name="User">
          <Anchor component={Link} href={`/executions?${writeFilter({ connection_id: connection.id })}`} inherit>
            <ForeignText>{connection.user_email}</ForeignText>
          </Anchor>
        </Fact>
        {execution.start_url !== null && (
          <Fact name="Starts at">
            <ForeignAddress>{execution.start_url}</ForeignAddress>
          </Fact>
        )}
        <Fact name="Created">
          <Moment at={execution.created_at} />
        </Fact>
        <Fact name="Steps">{run.steps.length}</Fact>
        {run.cost !== null && (
          <Fact name="Model">
            <ForeignText>{run.cost.model}</ForeignText>
            <br />
            {tellCost(run.cost)}
          </Fact>
        )}
        <Fact name="Id">
          <Code className="wrap-anywhere">{execution.id}</Code>
          <br />
          <CopyButton value={execution.id} label="Copy id" />
        </Fact>
        {execution.output_schema !== null && (
          <Fact name="Data asked for">
            <details>
              <summary>JSON Schema</summary>
              <Scrollable label="JSON Schema" className="data-json">
                <ForeignText>{JSON.stringify(execution.output_schema, null, 2)}</ForeignText>
              </Scrollable>
            </details>
          </Fact>
        )}
      </dl>
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
