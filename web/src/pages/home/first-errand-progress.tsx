import { Box, Card, Group, Loader, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { type ReactNode, useEffect, useState } from "react";
import type { ExecutionEvent } from "../../../../src/contract/execution-event.ts";
import { Icon } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";

interface RunStepsProps {
  run: Run;
  hasEnded: boolean;
  hasSucceeded: boolean;
}

const NOW: Record<Exclude<Run["phase"], "ended">, string> = {
  waiting: "Waiting for a worker",
  starting: "Opening a browser of its own",
  acting: "Working",
  checking: "Looking again, with other eyes",
};
/** A worker takes what is queued within a second or so. */
const LONG_WAIT_MS = 15_000;

/** What has been done, and what is being done at this moment. */
export function RunSteps({ run, hasEnded, hasSucceeded }: RunStepsProps) {
  return (
    <Card withBorder component="section" aria-labelledby="steps">
      <Stack gap="md">
        <Title order={2} size="h5" id="steps">
          {hasEnded ? "What was done" : "What is being done"}
        </Title>
        <Stack component="ol" gap="md" className="plain-list" aria-live="polite">
          {run.steps.map((step) => (
            <StepLine key={step.number} step={step} />
          ))}
          {!hasEnded && run.phase !== "ended" && <NowLine phase={run.phase} />}
          {hasEnded && (
            <Line
              icon={<Mark isGood={hasSucceeded} />}
              words={hasSucceeded ? "The result was checked" : "It ended here"}
            />
          )}
        </Stack>
        {run.phase === "waiting" && !hasEnded && <LongWait />}
      </Stack>
    </Card>
  );
}

function StepLine({ step }: { step: RunStep }) {
  return (
    <Line icon={<Mark isGood={!step.hasFailed} />} words={step.words}>
      {step.message !== null && (
        <Text size="sm" c="dimmed" className="wrap-anywhere">
          <UntrustedText>{step.message}</UntrustedText>
        </Text>
      )}
    </Line>
  );
}

function NowLine({ phase }: { phase: Exclude<Run["phase"], "ended"> }) {
  return <Line icon={<Loader size={22} aria-hidden="true" />} words={`${NOW[phase]} …`} />;
}

function Line({ icon, words, children }: { icon: ReactNode; words: string; children?: ReactNode }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="start">
      {icon}
      <Box miw={0}>
        <Text size="sm" className="wrap-anywhere">
          <UntrustedText>{words}</UntrustedText>
        </Text>
        {children}
      </Box>
    </Group>
  );
}

function Mark({ isGood }: { isGood: boolean }) {
  return (
    <ThemeIcon size={22} radius="xl" variant="light" color={isGood ? "teal" : "red"} aria-hidden="true">
      <Icon name={isGood ? "check" : "cross"} size={14} />
    </ThemeIcon>
  );
}

function LongWait() {
  const [isLong, setIsLong] = useState(false);
  const { start, clear } = useTimeout(() => setIsLong(true), LONG_WAIT_MS);
  useEffect(() => {
    start();
    return clear;
  }, [start, clear]);
  if (!isLong) return null;
  return (
    <Text size="sm" c="dimmed">
      No worker has taken it yet. If this service was started without one, start it: bin/errand start --roles worker
    </Text>
  );
}

export interface RunStep {
  number: number;
  /** What was done, for a person. */
  words: string;
  hasFailed: boolean;
  message: string | null;
  url: string;
  /** The id of the picture that was taken afterwards. */
  screenshot: string | null;
}

export interface RunCheck {
  about: string;
  verdict: string;
  evidence: string;
}

interface Run {
  phase: "waiting" | "starting" | "acting" | "checking" | "ended";
  steps: RunStep[];
  checks: RunCheck[];
}

/** Where a run stands, from what it has told so far. What a site has put into it is text and nothing else. */
export function readRun(events: readonly ExecutionEvent[]): Run {
  const steps = events.filter(({ type }) => type === "step").map(({ data }) => readStep(data));
  const verdict = events.findLast(({ type }) => type === "verification");
  return { phase: findPhase(events), steps, checks: readChecks(verdict?.data["checks"]) };
}

function findPhase(events: readonly ExecutionEvent[]): Run["phase"] {
  switch (events.at(-1)?.type) {
    case undefined:
    case "execution.queued":
      return "waiting";
    case "execution.started":
      return "starting";
    case "step":
      return "acting";
    case "verification":
      return "checking";
    case "execution.completed":
    case "execution.failed":
      return "ended";
  }
}

function readStep({ step, why, action, outcome, message, url, screenshot }: ExecutionEvent["data"]): RunStep {
  return {
    number: Number(step),
    words: text(why) || text(action),
    hasFailed: outcome === "failed",
    message: typeof message === "string" ? message : null,
    url: text(url),
    screenshot: typeof screenshot === "string" ? screenshot : null,
  };
}

function readChecks(checks: unknown): RunCheck[] {
  if (!Array.isArray(checks)) return [];
  return checks.map((check: Record<string, unknown>) => ({
    about: text(check["about"]),
    verdict: text(check["verdict"]),
    evidence: text(check["evidence"]),
  }));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
