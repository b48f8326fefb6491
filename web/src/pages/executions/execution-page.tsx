import "./execution-page.css";
import "./screenshots.css";
import { Anchor, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useParams } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import type { Artifact } from "../../../../src/contract/execution.ts";
import { writeReceipt } from "../../../../src/contract/receipt.ts";
import { ConsoleError } from "../../api/client.ts";
import { useExecutionEvents } from "../../api/execution-events.ts";
import { artifactsQuery, executionQuery } from "../../api/executions.ts";
import { ErrorAlert, ErrorPage, LoadingPage } from "../../components/feedback.tsx";
import { PageTitle } from "../../components/page.tsx";
import { ExecutionFacts, FilesCard } from "./execution-details.tsx";
import { ExecutionHeader } from "./execution-header.tsx";
import { ExtractedData } from "./extracted-data.tsx";
import { InteractionPanel } from "./interaction-panel.tsx";
import { LiveView } from "./live-view.tsx";
import { RecipeCard } from "./recipe-card.tsx";
import { FailureCard, ReceiptCard, ResultCard } from "./result.tsx";
import { ViewContext, type Viewed, Viewer } from "./screenshot-viewer.tsx";
import { Timeline } from "./timeline.tsx";
import { type Check, readTrace, type Trace } from "./trace.ts";

export function ExecutionPage() {
  const { id = "" } = useParams();
  const { data, error, refetch } = useQuery(executionQuery(id));
  if (data !== undefined) return <LoadedExecution key={id} data={data} />;
  if (error instanceof ConsoleError && error.status === 404) return <NotFound />;
  return error === null ? <LoadingPage /> : <ErrorPage error={error} onRetry={() => void refetch()} />;
}

function LoadedExecution({ data }: { data: ConsoleExecution }) {
  const { id, terminal } = data.execution;
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const { events, error, isPending, refetch } = useExecutionEvents(id);
  const trace = useMemo(() => readTrace(events), [events]);
  const artifacts = useQuery(artifactsQuery(id)).data?.artifacts ?? [];
  const checks = trace.moments.findLast((moment) => moment.kind === "verification")?.checks ?? [];
  const hasEnded = terminal !== null;
  const sideEffects = findSideEffects(data, isPending ? null : trace);
  return (
    <ViewContext value={setViewed}>
      <ExecutionHeader data={data} sideEffects={sideEffects} startedAt={isPending ? undefined : trace.startedAt} />
      <div className="execution-columns">
        <Stack gap="lg" miw={0}>
          <InteractionPanel executionId={id} events={events} />
          {!hasEnded && <LiveView executionId={id} />}
          <Ending data={data} checks={checks} artifacts={artifacts} sideEffects={sideEffects} />
          {error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
          {!isPending && <Timeline executionId={id} trace={trace} hasEnded={hasEnded} />}
        </Stack>
        <Stack component="aside" gap="lg" aria-label="About this errand" className="execution-aside">
          <ExecutionFacts data={data} trace={trace} />
          <RecipeCard data={data} notes={trace.recipeNotes} />
          {hasEnded && <FilesCard executionId={id} artifacts={artifacts} />}
        </Stack>
      </div>
      <Viewer executionId={id} steps={trace.steps} viewed={viewed} onView={setViewed} />
    </ViewContext>
  );
}

/** A failed execution has them in its events. Null while these are not loaded. */
function findSideEffects({ execution: { terminal, result } }: ConsoleExecution, trace: Trace | null) {
  if (result !== null) return result.evidence.side_effects;
  return terminal === null ? [] : (trace?.sideEffectsOfFailed ?? null);
}

interface EndingProps {
  data: ConsoleExecution;
  checks: readonly Check[];
  artifacts: readonly Artifact[];
  /** Null while they are not known. */
  sideEffects: readonly unknown[] | null;
}

/** What came of it. A verified errand that changed something begins with its receipt. */
function Ending({ data, checks, artifacts, sideEffects }: EndingProps) {
  const { id, terminal, result } = data.execution;
  if (terminal === null) return null;
  const failure = result === null ? terminal.status : null;
  const receipt = sideEffects !== null && <ReceiptCard sideEffects={sideEffects} failure={failure} />;
  if (result === null) {
    return (
      <>
        <FailureCard data={data} checks={checks} sideEffects={sideEffects} />
        {receipt}
      </>
    );
  }
  const hasChanged = writeReceipt(sideEffects).done.length > 0;
  return (
    <>
      {hasChanged && receipt}
      <ResultCard result={result} checks={checks} />
      {result.extracted !== null && <ExtractedData executionId={id} data={result.extracted} artifacts={artifacts} />}
      {!hasChanged && receipt}
    </>
  );
}

function NotFound() {
  return (
    <PageTitle
      title="Errand not found"
      about={
        <>
          It may have been deleted, or you may not have access to it. Go to{" "}
          <Anchor component={Link} href="/executions" inherit underline="always">
            all errands
          </Anchor>{" "}
          or{" "}
          <Anchor component={Link} href="/" inherit underline="always">
            home
          </Anchor>
          .
        </>
      }
    />
  );
}
