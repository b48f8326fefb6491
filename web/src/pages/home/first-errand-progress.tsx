import { Box, Card, Code, Group, Loader, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { type ReactNode, useEffect, useState } from "react";
import type { ExecutionEvent } from "../../../../src/contract/execution-event.ts";
import { Icon } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import type { Step } from "../executions/trace.ts";

interface ProgressProps {
  phase: Phase;
  steps: readonly Step[];
  hasEnded: boolean;
  hasSucceeded: boolean;
}

const PHASE_LABELS: Record<Exclude<Phase, "ended">, string> = {
  waiting: "Waiting for a worker",
  starting: "Opening a browser",
  acting: "Working",
  checking: "Verifying the result",
};
/** A worker usually takes a queued errand within a second. */
const LONG_WAIT_MS = 15_000;

/** The steps so far and what is happening now. */
export function Progress({ phase, steps, hasEnded, hasSucceeded }: ProgressProps) {
  return (
    <Card withBorder component="section" aria-labelledby="steps">
      <Stack gap="md">
        <Title order={2} size="h5" id="steps">
          {hasEnded ? "Steps" : "In progress"}
        </Title>
        <Stack component="ol" gap="md" className="plain-list" aria-live="polite">
          {steps.map((step) => (
            <StepLine key={step.key} step={step} />
          ))}
          {!hasEnded && phase !== "ended" && <NowLine phase={phase} />}
          {hasEnded && (
            <Line icon={<Mark isGood={hasSucceeded} />} text={hasSucceeded ? "Result verified" : "Stopped here"} />
          )}
        </Stack>
        {phase === "waiting" && !hasEnded && <LongWait />}
      </Stack>
    </Card>
  );
}

function StepLine({ step }: { step: Step }) {
  return (
    <Line icon={<Mark isGood={!step.hasFailed} />} text={step.why || step.action}>
      {step.message !== "" && (
        <Text size="sm" c="dimmed" className="wrap-anywhere">
          <UntrustedText>{step.message}</UntrustedText>
        </Text>
      )}
    </Line>
  );
}

function NowLine({ phase }: { phase: Exclude<Phase, "ended"> }) {
  return <Line icon={<Loader size={22} aria-hidden="true" />} text={`${PHASE_LABELS[phase]}…`} />;
}

function Line({ icon, text, children }: { icon: ReactNode; text: string; children?: ReactNode }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="start">
      {icon}
      <Box miw={0}>
        <Text size="sm" className="wrap-anywhere">
          <UntrustedText>{text}</UntrustedText>
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
      No worker has picked this up yet. If the service runs without a worker, start one with{" "}
      <Code>bin/errand start --roles worker</Code>
    </Text>
  );
}

export type Phase = "waiting" | "starting" | "acting" | "checking" | "ended";

export function findPhase(events: readonly ExecutionEvent[]): Phase {
  switch (events.at(-1)?.type) {
    case undefined:
    case "execution.queued":
      return "waiting";
    case "execution.started":
    case "sign_in":
    case "recipe":
      return "starting";
    case "step":
    case "interaction":
      return "acting";
    case "verification":
      return "checking";
    case "execution.completed":
    case "execution.failed":
      return "ended";
  }
}
