import { Alert, Button, Card, Grid, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { Link } from "wouter";
import type { Execution } from "../../../../src/contract/execution.ts";
import { useMe } from "../../api/account.ts";
import { useStartFirstErrand } from "../../api/executions.ts";
import { Code } from "../../components/copy.tsx";
import { countOf } from "../../components/count.ts";
import { ErrorAlert } from "../../components/feedback.tsx";
import { Icon, type IconName } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { failureWords } from "../executions/outcome.tsx";
import type { Check } from "../executions/trace.ts";

interface ErrandOutcomeProps {
  execution: Execution;
  checks: readonly Check[];
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
  checks: readonly Check[];
}) {
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
            in {seconds(execution)} s · {countOf(execution.usage.credits, "credit")}
          </Text>
        </Group>
        <Text fz={28} fw={600} lh={1.3} className="wrap-anywhere">
          <UntrustedText>{result.final_text}</UntrustedText>
        </Text>
        {result.extracted !== null && <Code>{JSON.stringify(result.extracted, null, 2)}</Code>}
        <CheckList reason={result.evidence.verifier.reason} checks={checks} />
        <Text size="sm">
          <Link href={`/executions/${execution.id}`}>View the errand with all screenshots and evidence</Link>
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
        {checks.length > 0 && <CheckList reason="Verification details" checks={checks} />}
        {start.error !== null && <ErrorAlert error={start.error} />}
        <Text size="sm">
          Nothing was charged. Check the browser and the model under <Link href="/settings">Settings</Link>, or{" "}
          <Link href={`/executions/${execution.id}`}>view every step</Link> of the errand.
        </Text>
        <Button size="sm" loading={start.isPending} onClick={() => start.mutate()}>
          Run again
        </Button>
      </Stack>
    </Alert>
  );
}

function seconds({ created_at, completed_at }: Execution): string {
  return ((Date.parse(completed_at ?? created_at) - Date.parse(created_at)) / 1_000).toFixed(0);
}

const VERDICTS: Record<Check["verdict"], { icon: IconName; color: string; label: string }> = {
  satisfied: { icon: "check", color: "teal", label: "Passed" },
  contradicted: { icon: "cross", color: "red", label: "Failed" },
  unknown: { icon: "warning", color: "yellow", label: "Unclear" },
};

/** The verdict in one sentence, which expands to the individual checks. */
function CheckList({ reason, checks }: { reason: string; checks: readonly Check[] }) {
  if (checks.length === 0) return <Text size="sm">{reason}</Text>;
  return (
    <details>
      <summary>{reason}</summary>
      <Stack component="ul" gap="xs" mt="sm" className="plain-list">
        {checks.map(({ about, verdict, evidence }) => {
          const { icon, color, label } = VERDICTS[verdict];
          return (
            <Group component="li" key={`${about} ${evidence}`} gap="sm" wrap="nowrap" align="start">
              <ThemeIcon size={20} radius="xl" variant="light" color={color} role="img" aria-label={label}>
                <Icon name={icon} size={12} />
              </ThemeIcon>
              <Text size="sm" className="wrap-anywhere">
                <UntrustedText>{about}</UntrustedText>
                <Text span inherit c="dimmed">
                  {" "}
                  <UntrustedText>{evidence}</UntrustedText>
                </Text>
              </Text>
            </Group>
          );
        })}
      </Stack>
    </details>
  );
}

/** How to continue with their own application. */
export function NextSteps({ execution, applicationId }: { execution: Execution; applicationId: string }) {
  const { public_url, person } = useMe();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Card withBorder component="section">
          <Stack align="start">
            <Stack gap={6}>
              <Title order={2} size="h5">
                Next: create your application
              </Title>
              <Text size="sm" c="dimmed">
                Your application gets a link where people connect, and a token for each of them. Errands then run in a
                browser that is signed in as that person.
              </Text>
            </Stack>
            <Button component={Link} href="/applications?new">
              Create application
            </Button>
          </Stack>
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Card withBorder component="section">
          <Stack gap="sm">
            <Title order={2} size="h5">
              Or run the same errand from a terminal
            </Title>
            <Text size="sm" c="dimmed">
              Get a token, then send the request:
            </Text>
            <Code>{`bin/errand connect --application ${applicationId} --user ${person.email}`}</Code>
            <Code>{writeCurl({ publicUrl: public_url, applicationId, execution })}</Code>
          </Stack>
        </Card>
      </Grid.Col>
    </Grid>
  );
}

interface CurlOptions {
  publicUrl: string;
  applicationId: string;
  execution: Execution;
}

/** A request that repeats this execution. */
function writeCurl({ publicUrl, applicationId, execution }: CurlOptions): string {
  const { prompt, start_url, output_schema } = execution;
  const body = {
    prompt,
    ...(start_url === null ? {} : { start_url }),
    ...(output_schema === null ? {} : { output_schema }),
  };
  return [
    `curl ${publicUrl}/v1/applications/${applicationId}/executions`,
    '-H "Authorization: Bearer $ERRAND_TOKEN"',
    '-H "Content-Type: application/json"',
    `-d ${quote(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}

/** Quotes text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
