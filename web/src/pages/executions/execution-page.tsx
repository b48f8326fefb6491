import "./execution.css";
import "./timeline/timeline.css";
import "./pictures/pictures.css";
import "./result/data.css";
import { Anchor, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useParams } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { ConsoleError } from "../../api/console-error.ts";
import { useExecutionEvents } from "../../api/execution-events.ts";
import { artifactsQuery, executionQuery } from "../../api/executions.ts";
import { LoadingPage } from "../../parts/loading.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Problem, ProblemPage } from "../../parts/problem.tsx";
import { ExecutionFacts } from "./execution-facts.tsx";
import { ExecutionHeader } from "./execution-header.tsx";
import { LivePanel } from "./live-panel.tsx";
import { ViewContext, type Viewed } from "./pictures/picture.ts";
import { Viewer } from "./pictures/viewer.tsx";
import { ChangesCard } from "./result/changes-card.tsx";
import { ExtractedData } from "./result/extracted-data.tsx";
import { FailureCard } from "./result/failure-card.tsx";
import { FilesCard } from "./result/files-card.tsx";
import { ResultCard } from "./result/result-card.tsx";
import { readChanges } from "./timeline/change-made.ts";
import { type Run, readRun } from "./timeline/run.ts";
import { Timeline } from "./timeline/timeline.tsx";

export function ExecutionPage() {
  const { id = "" } = useParams();
  const { data, error, refetch } = useQuery(executionQuery(id));
  if (data !== undefined) return <Shown key={id} seen={data} />;
  if (error instanceof ConsoleError && error.status === 404) return <Unknown />;
  return error === null ? <LoadingPage /> : <ProblemPage error={error} onRetry={() => void refetch()} />;
}

function Shown({ seen }: { seen: ConsoleExecution }) {
  const { id, terminal, result } = seen.execution;
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const { events, error, refetch } = useExecutionEvents(id);
  const run = useMemo(() => readRun(events), [events]);
  const artifacts = useQuery(artifactsQuery(id)).data?.artifacts ?? [];
  const checks = run.moments.findLast((moment) => moment.kind === "verification")?.checks ?? [];
  const isOver = terminal !== null;
  return (
    <ViewContext value={setViewed}>
      <ExecutionHeader seen={seen} startedAt={run.startedAt} />
      <div className="execution-columns">
        <Stack gap="lg" miw={0}>
          {!isOver && <LivePanel executionId={id} run={run} />}
          {result !== null && <ResultCard result={result} checks={checks} />}
          {isOver && result === null && <FailureCard seen={seen} checks={checks} />}
          {result !== null && result.extracted !== null && (
            <ExtractedData executionId={id} data={result.extracted} artifacts={artifacts} />
          )}
          {isOver && <ChangesCard changes={findChanges(seen, run)} />}
          {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
          <Timeline executionId={id} run={run} isOver={isOver} />
        </Stack>
        <Stack component="aside" gap="lg" aria-label="About this execution" className="execution-aside">
          <ExecutionFacts seen={seen} run={run} />
          {isOver && <FilesCard executionId={id} artifacts={artifacts} />}
        </Stack>
      </div>
      <Viewer executionId={id} steps={run.steps} viewed={viewed} onView={setViewed} />
    </ViewContext>
  );
}

/** A run that failed tells them in its last event; if that was lost, its steps have to do. */
function findChanges({ execution: { result } }: ConsoleExecution, run: Run) {
  if (result !== null) return readChanges(result.evidence.side_effects);
  const ofSteps = run.steps.flatMap(({ changes }) => changes);
  return run.changesOfFailed === null || run.changesOfFailed.length === 0 ? ofSteps : run.changesOfFailed;
}

function Unknown() {
  return (
    <PageTitle
      title="There is no such execution"
      about={
        <>
          The address may be wrong, or it belongs to somebody else.{" "}
          <Anchor component={Link} href="/executions" inherit underline="always">
            All your executions
          </Anchor>{" "}
          or{" "}
          <Anchor component={Link} href="/" inherit underline="always">
            home
          </Anchor>
        </>
      }
    />
  );
}
