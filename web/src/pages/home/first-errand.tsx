import {
  Anchor,
  Box,
  Button,
  Card,
  Center,
  Grid,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { useExecutionEvents } from "../../api/execution-events.ts";
import { artifactUrl, executionQuery, useStartFirstErrand } from "../../api/executions.ts";
import { ErrorAlert, ErrorPage, LoadingPage } from "../../components/feedback.tsx";
import { Icon, type IconName } from "../../components/icons.tsx";
import { PageTitle } from "../../components/page.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { readTrace, type Step } from "../executions/trace.ts";
import { ErrandOutcome, NextSteps } from "./first-errand-outcome.tsx";
import { findPhase, Progress } from "./first-errand-progress.tsx";

const HOW_IT_WORKS: readonly { icon: IconName; title: string; text: string }[] = [
  { icon: "applications", title: "Set up", text: "Errand creates a demo application and connects you to it." },
  { icon: "executions", title: "Run", text: "A real browser opens the demo shop, and you watch every step." },
  { icon: "check", title: "Verify", text: "An independent verifier checks the result before you get it." },
];

/** Shown to an owner before the first errand. */
export function FirstErrandStart({ onStarted }: { onStarted: (id: string) => void }) {
  const start = useStartFirstErrand(onStarted);
  return (
    <Stack gap="xl" maw={860} mx="auto">
      <Card withBorder padding="xl" radius="lg" component="section">
        <Stack gap="lg" align="start">
          <PageTitle
            title="Run your first errand"
            about="You describe a task, a browser carries it out, and you get a verified result. It takes about half a minute."
          />
          {start.error !== null && <ErrorAlert error={start.error} />}
          <Group gap="lg">
            <Button
              size="lg"
              leftSection={<Icon name="play" />}
              loading={start.isPending}
              onClick={() => start.mutate()}
            >
              Run an errand on the demo shop
            </Button>
            <Anchor component={Link} href="/applications?new" size="sm">
              Or create an application first
            </Anchor>
          </Group>
        </Stack>
      </Card>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        {HOW_IT_WORKS.map(({ icon, title, text }) => (
          <Group key={title} wrap="nowrap" align="start" gap="sm">
            <ThemeIcon variant="light" size="lg" radius="md" aria-hidden="true">
              <Icon name={icon} />
            </ThemeIcon>
            <Box>
              <Title order={2} size="h6">
                {title}
              </Title>
              <Text size="sm" c="dimmed">
                {text}
              </Text>
            </Box>
          </Group>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** The first errand: live progress, then the outcome and the next steps. */
export function FirstErrandProgress({ id, onRunAgain }: { id: string; onRunAgain: (id: string) => void }) {
  const errand = useQuery(executionQuery(id));
  const { events } = useExecutionEvents(id);
  const trace = useMemo(() => readTrace(events), [events]);
  const checks = trace.moments.findLast((moment) => moment.kind === "verification")?.checks ?? [];
  if (errand.data === undefined) {
    if (errand.error === null) return <LoadingPage />;
    return <ErrorPage error={errand.error} onRetry={() => void errand.refetch()} />;
  }
  const { execution, application } = errand.data;
  const hasEnded = execution.terminal !== null;
  const latest = trace.steps.findLast((step): step is StepWithScreenshot => step.screenshot !== null);
  return (
    <>
      <PageTitle title="Your first errand" about={`“${execution.prompt}”`} />
      <Stack gap="lg">
        {hasEnded && <ErrandOutcome execution={execution} checks={checks} onRunAgain={onRunAgain} />}
        {execution.result !== null && <NextSteps execution={execution} applicationId={application.id} />}
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 2, md: 1 }}>
            <Progress
              phase={findPhase(events)}
              steps={trace.steps}
              hasEnded={hasEnded}
              hasSucceeded={execution.result !== null}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 1, md: 2 }}>
            <LiveView executionId={id} step={latest ?? null} startUrl={execution.start_url} />
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  );
}

type StepWithScreenshot = Step & { screenshot: string };

interface LiveViewProps {
  executionId: string;
  /** The latest step with a screenshot. */
  step: StepWithScreenshot | null;
  startUrl: string | null;
}

/** The browser as it was after the latest step. */
function LiveView({ executionId, step, startUrl }: LiveViewProps) {
  return (
    <Paper withBorder radius="md" className="browser-frame">
      <Group px="sm" py={8} gap="sm" wrap="nowrap" className="browser-bar">
        <Box className="browser-dots" aria-hidden="true" />
        <Text size="xs" c="dimmed" truncate>
          <UntrustedText>{step?.url ?? startUrl ?? ""}</UntrustedText>
        </Text>
      </Group>
      <div className="browser-view">
        {step === null ? (
          <Center h="100%">
            <Text c="dimmed" size="sm">
              The browser will appear here.
            </Text>
          </Center>
        ) : (
          <img
            src={artifactUrl(executionId, step.screenshot)}
            alt={`The page after step ${step.number}: ${step.why || step.action}`}
          />
        )}
      </div>
    </Paper>
  );
}
