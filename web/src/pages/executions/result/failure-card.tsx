import { Anchor, Card, Code, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { ConsoleExecution } from "../../../../../src/contract/console/executions.ts";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { failureWords } from "../outcome-words.ts";
import { Checks } from "../timeline/checks.tsx";
import type { Check } from "../timeline/run.ts";

/** What went wrong, in plain words, and what to do next. */
export function FailureCard({ seen, checks }: { seen: ConsoleExecution; checks: readonly Check[] }) {
  const { terminal, error } = seen.execution;
  if (terminal === null) return null;
  const { title, advice } = failureWords(terminal.status);
  const message = error?.message ?? "";
  const doubted = checks.filter(({ verdict }) => verdict !== "satisfied");
  return (
    <Card
      withBorder
      component="section"
      aria-labelledby="failure-title"
      className={terminal.status === "canceled" ? "quiet-card" : "bad-card"}
    >
      <Stack gap="sm">
        <Title order={2} size="h4" id="failure-title">
          {title}
        </Title>
        {!message.includes(terminal.reason) && (
          <Text className="pre-wrap">
            <ForeignText>{terminal.reason}</ForeignText>
          </Text>
        )}
        <Text className="pre-wrap">
          <ForeignText>{message}</ForeignText>
        </Text>
        <Text size="sm" c="dimmed">
          {advice} <NextPlace seen={seen} />
        </Text>
        {doubted.length > 0 && <Checks checks={doubted} />}
        {error !== null && (
          <Text size="xs" c="dimmed">
            Code <Code>{error.code}</Code>
          </Text>
        )}
      </Stack>
    </Card>
  );
}

/** Where it can be mended, for those who may. */
function NextPlace({ seen: { execution, application, may_run_again } }: { seen: ConsoleExecution }) {
  if (!may_run_again) return null;
  switch (execution.terminal?.status) {
    case "reauthorization_required":
      return (
        <Anchor component={Link} href={`/applications/${application.id}/connections`} inherit>
          See the connection
        </Anchor>
      );
    case "policy_violation":
      return (
        <Anchor component={Link} href={`/applications/${application.id}`} inherit>
          Change the application
        </Anchor>
      );
    default:
      return null;
  }
}
