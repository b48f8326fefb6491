import { Grid, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useExecutionEvents } from "../../../api/execution-events.ts";
import { executionQuery } from "../../../api/executions.ts";
import { LoadingPage } from "../../../parts/loading.tsx";
import { PageTitle } from "../../../parts/page-title.tsx";
import { ProblemPage } from "../../../parts/problem.tsx";
import { ErrandOutcome } from "./errand-outcome.tsx";
import { LivePicture } from "./live-picture.tsx";
import { type RunStep, readRun } from "./read-run.ts";
import { RunSteps } from "./run-steps.tsx";
import { WhatNext } from "./what-next.tsx";

/** The run as it goes, then what came of it, then what to do with all this. */
export function FirstErrandRun({ id, onRunAgain }: { id: string; onRunAgain: (id: string) => void }) {
  const errand = useQuery(executionQuery(id));
  const run = readRun(useExecutionEvents(id).events);
  if (errand.data === undefined) {
    if (errand.error === null) return <LoadingPage />;
    return <ProblemPage error={errand.error} onRetry={() => void errand.refetch()} />;
  }
  const { execution, application } = errand.data;
  const hasEnded = execution.terminal !== null;
  const picture = run.steps.findLast((step): step is RunStep & { screenshot: string } => step.screenshot !== null);
  return (
    <>
      <PageTitle title="Your first errand" about={`“${execution.prompt}”`} />
      <Stack gap="lg">
        {hasEnded && <ErrandOutcome execution={execution} checks={run.checks} onRunAgain={onRunAgain} />}
        {execution.result !== null && <WhatNext execution={execution} applicationId={application.id} />}
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 2, md: 1 }}>
            <RunSteps run={run} hasEnded={hasEnded} hasSucceeded={execution.result !== null} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 1, md: 2 }}>
            <LivePicture executionId={id} step={picture ?? null} startUrl={execution.start_url} />
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  );
}
