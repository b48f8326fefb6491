import "./execution-page.css";
import "./screenshots.css";
import { Anchor, Card, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link, useParams } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { writeReceipt } from "../../../../src/contract/receipt.ts";
import { ConsoleError } from "../../api/client.ts";
import { useExecutionEvents } from "../../api/execution-events.ts";
import { artifactsQuery, artifactUrl, executionQuery } from "../../api/executions.ts";
import { ErrorAlert, ErrorPage, LoadingPage } from "../../components/feedback.tsx";
import { PageTitle } from "../../components/page.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { ExecutionFacts, FilesCard } from "./execution-details.tsx";
import { ExecutionHeader } from "./execution-header.tsx";
import { ExtractedData } from "./extracted-data.tsx";
import { FailureCard, ReceiptCard, ResultCard } from "./result.tsx";
import { useView, ViewContext, type Viewed, Viewer } from "./screenshot-viewer.tsx";
import { StepDescription } from "./step-description.tsx";
import { Timeline } from "./timeline.tsx";
import { readTrace, type Trace } from "./trace.ts";

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
  const receipt = <ReceiptCard sideEffects={sideEffects} hasFailed={hasFailed} />;
  return (
    <ViewContext value={setViewed}>
      <ExecutionHeader data={data} sideEffects={known} startedAt={trace.startedAt} />
      <div className="execution-columns">
        <Stack gap="lg" miw={0}>
          {!hasEnded && <LivePanel executionId={id} trace={trace} />}
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

/** The latest screenshot while the errand is running. */
function LivePanel({ executionId, trace }: { executionId: string; trace: Trace }) {
  const view = useView();
  const step = trace.steps.findLast(({ screenshot }) => screenshot !== null);
  if (step === undefined || step.screenshot === null) return null;
  return (
    <Card withBorder padding={0} component="section" aria-label="Live view">
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
        className="live-screenshot"
        aria-label={`Enlarge the latest screenshot, of step ${step.number}`}
        onClick={() => view({ kind: "step", stepKey: step.key })}
      >
        <img src={artifactUrl(executionId, step.screenshot)} alt="" />
      </button>
    </Card>
  );
}
