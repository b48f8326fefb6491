import "./execution-page.css";
import "./screenshots.css";
import { Anchor, Card, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useParams } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { ConsoleError } from "../../api/client.ts";
import { useExecutionEvents } from "../../api/execution-events.ts";
import { artifactsQuery, artifactUrl, executionQuery } from "../../api/executions.ts";
import { ErrorPage, LoadingPage, Problem } from "../../components/feedback.tsx";
import { PageTitle } from "../../components/page.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { ExecutionFacts, FilesCard } from "./execution-details.tsx";
import { ExecutionHeader } from "./execution-header.tsx";
import { ExtractedData } from "./extracted-data.tsx";
import { ChangesCard, FailureCard, ResultCard } from "./result.tsx";
import { useView, ViewContext, type Viewed, Viewer } from "./screenshot-viewer.tsx";
import { StepDescription } from "./step-description.tsx";
import { Timeline } from "./timeline.tsx";
import { type Run, readChanges, readTrace } from "./trace.ts";

export function ExecutionPage() {
  const { id = "" } = useParams();
  const { data, error, refetch } = useQuery(executionQuery(id));
  if (data !== undefined) return <Shown key={id} seen={data} />;
  if (error instanceof ConsoleError && error.status === 404) return <Unknown />;
  return error === null ? <LoadingPage /> : <ErrorPage error={error} onRetry={() => void refetch()} />;
}

function Shown({ seen }: { seen: ConsoleExecution }) {
  const { id, terminal, result } = seen.execution;
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const { events, error, refetch } = useExecutionEvents(id);
  const run = useMemo(() => readTrace(events), [events]);
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

/** While it goes on: the newest picture, large. */
function LivePanel({ executionId, run }: { executionId: string; run: Run }) {
  const view = useView();
  const step = run.steps.findLast(({ screenshot }) => screenshot !== null);
  if (step === undefined || step.screenshot === null) return null;
  return (
    <Card withBorder padding={0} component="section" aria-label="Now">
      <div className="live-bar">
        <span className="live-dot" aria-hidden="true" />
        <Text size="sm" fw={500} className="one-line">
          <StepDescription step={step} />
        </Text>
        <Text size="xs" c="dimmed" className="one-line">
          <UntrustedText>{step.url}</UntrustedText>
        </Text>
      </div>
      <button
        type="button"
        className="live-picture"
        aria-label={`Enlarge the picture of step ${step.number}, the newest`}
        onClick={() => view({ kind: "step", stepKey: step.key })}
      >
        <img src={artifactUrl(executionId, step.screenshot)} alt="" />
      </button>
    </Card>
  );
}
