import { Card, Code, Stack, Text, Title } from "@mantine/core";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import type { ExecutionResult } from "../../../../src/contract/execution.ts";
import { type ReceiptLine, writeReceipt } from "../../../../src/contract/receipt.ts";
import { Icon } from "../../components/icons.tsx";
import { UntrustedText, UntrustedUrl } from "../../components/untrusted-text.tsx";
import { Changes, Checks } from "./evidence.tsx";
import { NextStep } from "./next-step.tsx";
import { failureWords } from "./outcome.tsx";
import { type Check, readChanges } from "./trace.ts";

/** The result as text, the final page, and the verdict. */
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
          Final page:{" "}
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

interface FailureCardProps {
  data: ConsoleExecution;
  checks: readonly Check[];
  /** Null while they are not known. */
  sideEffects: readonly unknown[] | null;
}

/** What went wrong and what to do next. */
export function FailureCard({ data, checks, sideEffects }: FailureCardProps) {
  const { terminal, error } = data.execution;
  if (terminal === null) return null;
  const { title } = failureWords(terminal.status);
  const message = error?.message ?? "";
  const unsatisfied = checks.filter(({ verdict }) => verdict !== "satisfied");
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
        {unsatisfied.length > 0 && <Checks checks={unsatisfied} />}
        <NextStep data={data} sideEffects={sideEffects} />
        {error !== null && (
          <Text size="xs" c="dimmed">
            Error code: <Code>{error.code}</Code>
          </Text>
        )}
      </Stack>
    </Card>
  );
}

interface VerdictLineProps {
  hasAgreed: boolean;
  reason: string;
  checks: readonly Check[];
}

/** The verdict in one sentence, which expands to the individual checks. */
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

interface ReceiptCardProps {
  sideEffects: readonly unknown[];
  /** Null for a verified errand. */
  failure: string | null;
}

/** What the errand did on sites, in words. The requests are technical details. */
export function ReceiptCard({ sideEffects, failure }: ReceiptCardProps) {
  const { done, rejected } = writeReceipt(sideEffects);
  const hasDone = done.length > 0;
  const hasFailed = failure !== null;
  return (
    <Card
      withBorder
      component="section"
      aria-labelledby="changes-title"
      {...(hasDone && !hasFailed ? { className: "good-card" } : {})}
    >
      <Stack gap="sm">
        <Title order={2} size="h4" id="changes-title">
          {hasFailed && hasDone ? "What was done before it failed" : "What was done"}
        </Title>
        {hasDone && <ReceiptLines lines={done} />}
        {failure === "worker_lost" ? (
          <Text size="sm">The errand was interrupted. It may have done more than is known: check the site.</Text>
        ) : (
          !hasDone && <Text size="sm">Nothing was changed.</Text>
        )}
        {rejected.length > 0 && (
          <div>
            <Text size="sm" fw={600} mb={4}>
              Rejected by the site
            </Text>
            <ReceiptLines lines={rejected} />
          </div>
        )}
        {sideEffects.length > 0 && (
          <details>
            <summary>Technical details</summary>
            <div className="technical-details">
              <Changes changes={readChanges(sideEffects)} showsCause />
            </div>
          </details>
        )}
      </Stack>
    </Card>
  );
}

function ReceiptLines({ lines }: { lines: readonly ReceiptLine[] }) {
  return (
    <ul className="plain-list receipt">
      {lines.map(({ text }) => (
        <li key={text}>
          <UntrustedText>{text}</UntrustedText>
        </li>
      ))}
    </ul>
  );
}
