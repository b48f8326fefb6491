import "./execution-page.css";
import "./screenshots.css";
import { Anchor, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useParams } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
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
import { FailureCard, ReceiptCard, ResultCard } from "./result.tsx";
import { ViewContext, type Viewed, Viewer } from "./screenshot-viewer.tsx";
import { Timeline } from "./timeline.tsx";
import { readTrace } from "./trace.ts";

export function ExecutionPage() {
  const { id = "" } = useParams();
  const { data, error, refetch } = useQuery(executionQuery(id));
  if (data !== undefined) return <LoadedExecution key={id} data={data} />;
  if (error instanceof ConsoleError && error.status === 404) return <NotFound />;
  return error === null ? <LoadingPage /> : <ErrorPage error={error} onRetry={() => void refetch()} />;
}

function LoadedExecution({ data }: { data: ConsoleExecution }) {
  const { id, terminal, result } = data.execution;
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const { events, error, isPending, refetch } = useExecutionEvents(id);
  const trace = useMemo(() => readTrace(events), [events]);
  const artifacts = useQuery(artifactsQuery(id)).data?.artifacts ?? [];
  const checks = trace.moments.findLast((moment) => moment.kind === "verification")?.checks ?? [];
  const hasEnded = terminal !== null;
  const hasFailed = hasEnded && result === null;
  const sideEffects = result === null ? trace.sideEffectsOfFailed : result.evidence.side_effects;
  const hasChanged = writeReceipt(sideEffects).done.length > 0;
  // A failed execution has them in its events.
  const known = hasFailed && isPending ? null : sideEffects;
  const receipt = known !== null && <ReceiptCard sideEffects={known} failure={hasFailed ? terminal.status : null} />;
  return (
    <ViewContext value={setViewed}>
      <ExecutionHeader data={data} sideEffects={known} startedAt={trace.startedAt} />
      <div className="execution-columns">
        <Stack gap="lg" miw={0}>
          <InteractionPanel executionId={id} events={events} />
          {!hasEnded && <LiveView executionId={id} />}
          {hasEnded && hasChanged && !hasFailed && receipt}
          {result !== null && <ResultCard result={result} checks={checks} />}
          {hasFailed && <FailureCard data={data} checks={checks} sideEffects={known} />}
          {result !== null && result.extracted !== null && (
            <ExtractedData executionId={id} data={result.extracted} artifacts={artifacts} />
          )}
          {hasEnded && (!hasChanged || hasFailed) && receipt}
          {error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
          <Timeline executionId={id} trace={trace} hasEnded={hasEnded} />
        </Stack>
        <Stack component="aside" gap="lg" aria-label="About this errand" className="execution-aside">
          <ExecutionFacts data={data} trace={trace} />
          {hasEnded && <FilesCard executionId={id} artifacts={artifacts} />}
        </Stack>
      </div>
      <Viewer executionId={id} steps={trace.steps} viewed={viewed} onView={setViewed} />
    </ViewContext>
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
