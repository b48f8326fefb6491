import { Alert, Button, Card, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { Link } from "wouter";
import type { Execution } from "../../../../../src/contract/execution.ts";
import { useStartFirstErrand } from "../../../api/first-errand.ts";
import { Code } from "../../../parts/code.tsx";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Icon } from "../../../shell/icon.tsx";
import { failureWords } from "../../executions/outcome-words.ts";
import { CheckList } from "./check-list.tsx";
import type { RunCheck } from "./read-run.ts";

interface ErrandOutcomeProps {
  execution: Execution;
  checks: RunCheck[];
  onRunAgain: (id: string) => void;
}

export function ErrandOutcome({ execution, checks, onRunAgain }: ErrandOutcomeProps) {
  return execution.result === null ? (
    <Failed execution={execution} checks={checks} onRunAgain={onRunAgain} />
  ) : (
    <Verified execution={execution} checks={checks} result={execution.result} />
  );
}

function Verified({
  execution,
  result,
  checks,
}: {
  execution: Execution;
  result: NonNullable<Execution["result"]>;
  checks: RunCheck[];
}) {
  const { credits } = execution.usage;
  return (
    <Card withBorder padding="lg" radius="lg" component="section" aria-labelledby="result" className="good-card">
      <Stack gap="md" role="status">
        <Group gap="sm" wrap="nowrap">
          <ThemeIcon radius="xl" size={32} aria-hidden="true">
            <Icon name="check" />
          </ThemeIcon>
          <Title order={2} size="h4" id="result">
            Verified
          </Title>
          <Text c="dimmed" size="sm">
            in {seconds(execution)} s · {credits === 1 ? "1 credit" : `${credits} credits`}
          </Text>
        </Group>
        <Text fz={28} fw={600} lh={1.3} className="wrap-anywhere">
          <ForeignText>{result.final_text}</ForeignText>
        </Text>
        {result.extracted !== null && <Code>{JSON.stringify(result.extracted, null, 2)}</Code>}
        <CheckList reason={result.evidence.verifier.reason} checks={checks} />
        <Text size="sm">
          <Link href={`/executions/${execution.id}`}>See the whole execution, with its pictures and its evidence</Link>
        </Text>
      </Stack>
    </Card>
  );
}

function Failed({ execution, checks, onRunAgain }: ErrandOutcomeProps) {
  const start = useStartFirstErrand(onRunAgain);
  const { terminal, error } = execution;
  return (
    <Alert color="red" title={failureWords(terminal?.status ?? "").title} role="alert">
      <Stack gap="sm" align="start">
        <Text size="sm">{terminal?.reason}</Text>
        {error !== null && error.message !== terminal?.reason && <Text size="sm">{error.message}</Text>}
        {checks.length > 0 && <CheckList reason="What the verifier found" checks={checks} />}
        {start.error !== null && <Problem error={start.error} />}
        <Text size="sm">
          Nothing was charged. The <Link href="/settings">settings</Link> say whether browser and model are well; the{" "}
          <Link href={`/executions/${execution.id}`}>execution</Link> shows every step.
        </Text>
        <Button size="sm" loading={start.isPending} onClick={() => start.mutate()}>
          Run it again
        </Button>
      </Stack>
    </Alert>
  );
}

function seconds({ created_at, completed_at }: Execution): string {
  return ((Date.parse(completed_at ?? created_at) - Date.parse(created_at)) / 1_000).toFixed(0);
}
