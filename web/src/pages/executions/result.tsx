import { Anchor, Card, Code, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import type { ExecutionResult } from "../../../../src/contract/execution.ts";
import { Icon } from "../../components/icons.tsx";
import { UntrustedText, UntrustedUrl } from "../../components/untrusted-text.tsx";
import { Changes, Checks } from "./evidence.tsx";
import { failureWords } from "./outcome.tsx";
import type { ChangeMade, Check } from "./trace.ts";

/** The answer in words, where it ended, and that it was checked. */
export function ResultCard({ result, checks }: { result: ExecutionResult; checks: readonly Check[] }) {
  const { final_text, final_title, final_url, evidence } = result;
  return (
    <Card withBorder component="section" aria-labelledby="result-title" className="good-card">
      <Stack gap="sm">
        <Title order={2} size="h4" id="result-title">
          Result
        </Title>
        <Text size="lg" className="pre-wrap">
          <UntrustedText>{final_text === "" ? "Done." : final_text}</UntrustedText>
        </Text>
        <Text size="sm" c="dimmed">
          It ended on{" "}
          {final_title !== "" && (
            <>
              <UntrustedText>{final_title}</UntrustedText>,{" "}
            </>
          )}
          <UntrustedUrl>{final_url}</UntrustedUrl>
        </Text>
        <VerdictLine hasAgreed={evidence.verifier.agreed} reason={evidence.verifier.reason} checks={checks} />
      </Stack>
    </Card>
  );
}

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
            <UntrustedText>{terminal.reason}</UntrustedText>
          </Text>
        )}
        <Text className="pre-wrap">
          <UntrustedText>{message}</UntrustedText>
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

interface VerdictLineProps {
  hasAgreed: boolean;
  reason: string;
  checks: readonly Check[];
}

/** What the verifier said in a sentence, and behind it criterion by criterion. */
function VerdictLine({ hasAgreed, reason, checks }: VerdictLineProps) {
  const line = (
    <Text size="sm" component="span" className="check" data-verdict={hasAgreed ? "satisfied" : "unknown"}>
      <span className="check-mark">
        <Icon name={hasAgreed ? "check" : "warning"} size={14} />
      </span>
      <span>
        <UntrustedText>{reason}</UntrustedText>
      </span>
    </Text>
  );
  if (checks.length === 0) return line;
  return (
    <details className="verdict">
      <summary>
        {line}
        <span className="verdict-more">
          <Icon name="right" size={16} />
        </span>
      </summary>
      <Checks checks={checks} />
    </details>
  );
}

/** Everything that the run changed outside itself. */
export function ChangesCard({ changes }: { changes: readonly ChangeMade[] }) {
  return (
    <Card withBorder component="section" aria-labelledby="changes-title">
      <Title order={2} size="h4" id="changes-title" mb="sm">
        What was changed
      </Title>
      {changes.length === 0 ? <Text size="sm">Nothing was changed.</Text> : <Changes changes={changes} isCauseTold />}
    </Card>
  );
}
