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
import { Link } from "wouter";
import { useExecutionEvents } from "../../api/execution-events.ts";
import { artifactUrl, executionQuery, useStartFirstErrand } from "../../api/executions.ts";
import { ErrorPage, LoadingPage, Problem } from "../../components/feedback.tsx";
import { Icon, type IconName } from "../../components/icons.tsx";
import { PageTitle } from "../../components/page.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { ErrandOutcome, WhatNext } from "./first-errand-outcome.tsx";
import { type RunStep, RunSteps, readRun } from "./first-errand-progress.tsx";

const WHAT_HAPPENS: readonly { icon: IconName; title: string; words: string }[] = [
  { icon: "applications", title: "It is set up", words: "A demo application is made, and you are connected to it." },
  { icon: "executions", title: "It is carried out", words: "A real browser opens the demo shop; you see each step." },
  { icon: "check", title: "It is checked", words: "An independent verifier looks again before you get the result." },
];

/** One button. Whoever presses it has seen, half a minute later, what all of this is for. */
export function FirstErrandStart({ onStarted }: { onStarted: (id: string) => void }) {
  const start = useStartFirstErrand(onStarted);
  return (
    <Stack gap="xl" maw={860} mx="auto">
      <Card withBorder padding="xl" radius="lg" component="section">
        <Stack gap="lg" align="start">
          <PageTitle
            title="Run your first errand"
            about="A sentence goes in, a browser carries it out, and a checked result comes back. It takes half a minute."
          />
          {start.error !== null && <Problem error={start.error} />}
          <Group gap="lg">
            <Button
              size="lg"
              leftSection={<Icon name="play" />}
              loading={start.isPending}
              onClick={() => start.mutate()}
            >
              Run a first errand on the demo shop
            </Button>
            <Anchor component={Link} href="/applications?new" size="sm">
              I would rather create my application
            </Anchor>
          </Group>
        </Stack>
      </Card>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        {WHAT_HAPPENS.map(({ icon, title, words }) => (
          <Group key={title} wrap="nowrap" align="start" gap="sm">
            <ThemeIcon variant="light" size="lg" radius="md" aria-hidden="true">
              <Icon name={icon} />
            </ThemeIcon>
            <Box>
              <Title order={2} size="h6">
                {title}
              </Title>
              <Text size="sm" c="dimmed">
                {words}
              </Text>
            </Box>
          </Group>
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** The run as it goes, then what came of it, then what to do with all this. */
export function FirstErrandRun({ id, onRunAgain }: { id: string; onRunAgain: (id: string) => void }) {
  const errand = useQuery(executionQuery(id));
  const run = readRun(useExecutionEvents(id).events);
  if (errand.data === undefined) {
    if (errand.error === null) return <LoadingPage />;
    return <ErrorPage error={errand.error} onRetry={() => void errand.refetch()} />;
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

type PicturedStep = RunStep & { screenshot: string };

interface LivePictureProps {
  executionId: string;
  /** The newest step with a picture. */
  step: PicturedStep | null;
  startUrl: string | null;
}

/** The browser of the run, as it was after the last step. */
function LivePicture({ executionId, step, startUrl }: LivePictureProps) {
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
              The browser appears here.
            </Text>
          </Center>
        ) : (
          <img
            src={artifactUrl(executionId, step.screenshot)}
            alt={`The page after step ${step.number}: ${step.words}`}
          />
        )}
      </div>
    </Paper>
  );
}
