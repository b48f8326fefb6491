import { Anchor, Button, Group, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { useCancel } from "../../api/executions.ts";
import { countOf } from "../../components/count.ts";
import { ErrorAlert } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { Duration, RelativeTime } from "../../components/time.tsx";
import { cleanText, UntrustedText } from "../../components/untrusted-text.tsx";
import { toDraft } from "../new-errand/errand-draft.ts";
import { useNewErrand } from "../new-errand/new-errand.tsx";
import { fillTemplate } from "../recipes/recipe-words.tsx";
import { offersRetry } from "./next-step.tsx";
import { OutcomeBadge } from "./outcome.tsx";
import { RunWithOtherValues } from "./recipe-card.tsx";
import { RunAgainButton } from "./run-again.tsx";

const LONG_PROMPT = 280;
const TAB_TITLE_LENGTH = 60;

interface ExecutionHeaderProps {
  data: ConsoleExecution;
  /** Null while they are not known. */
  sideEffects: readonly unknown[] | null;
  /** Null before it starts; undefined while that is not known. */
  startedAt: string | null | undefined;
}

/** Outcome, task, origin, time and credits. */
export function ExecutionHeader({ data, sideEffects, startedAt }: ExecutionHeaderProps) {
  const { execution, application, connection, recipe } = data;
  // It may be a template, whose values stand beside it.
  const prompt = fillTemplate(execution.prompt, recipe?.values ?? {});
  useEffect(() => {
    document.title = `${cleanText(prompt).slice(0, TAB_TITLE_LENGTH)} · Errand`;
  }, [prompt]);
  return (
    <header className="execution-header">
      <Anchor component={Link} href="/executions" size="sm" className="back-link">
        <Icon name="left" size={14} /> Errands
      </Anchor>
      <div className="execution-heading">
        <div className="execution-prompt">
          <OutcomeBadge status={execution.status} terminal={execution.terminal} />
          <Prompt prompt={prompt} />
        </div>
        <ExecutionActions data={data} sideEffects={sideEffects} />
      </div>
      <Group gap="xs" className="execution-about">
        <Text span inherit>
          <UntrustedText>{application.name}</UntrustedText> for <UntrustedText>{connection.user_email}</UntrustedText>
        </Text>
        <span aria-hidden="true">·</span>
        <RelativeTime at={execution.created_at} />
        {startedAt !== undefined && (
          <>
            <span aria-hidden="true">·</span>
            <span>
              {describeTiming(execution.terminal !== null, startedAt)}{" "}
              {startedAt !== null && <Duration from={startedAt} to={execution.completed_at} />}
            </span>
          </>
        )}
        <span aria-hidden="true">·</span>
        <span>{describeCredits(execution.usage, execution.terminal !== null)}</span>
      </Group>
    </header>
  );
}

function Prompt({ prompt }: { prompt: string }) {
  const isLong = prompt.length > LONG_PROMPT;
  const [isWhole, setIsWhole] = useState(!isLong);
  return (
    <div>
      <Title order={1} size={isLong ? "h4" : "h3"} fw={600} className="pre-wrap">
        <UntrustedText>{isWhole ? prompt : `${prompt.slice(0, LONG_PROMPT)}…`}</UntrustedText>
      </Title>
      {isLong && (
        <Anchor component="button" type="button" size="sm" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show less" : "Show more"}
        </Anchor>
      )}
    </div>
  );
}

function describeTiming(hasEnded: boolean, startedAt: string | null): string {
  if (startedAt === null) return hasEnded ? "never started" : "queued";
  return hasEnded ? "took" : "running for";
}

function describeCredits({ credits, charged }: { credits: number; charged: boolean }, hasEnded: boolean): string {
  const amount = countOf(credits, "credit");
  if (charged) return amount;
  return hasEnded ? "not charged" : `${amount} reserved`;
}

/** Cancel while it is running; run again, as it was or edited, when it has ended. */
function ExecutionActions({ data, sideEffects }: Omit<ExecutionHeaderProps, "startedAt">) {
  const { execution, may_run_again } = data;
  const cancel = useCancel(execution.id);
  const openNewErrand = useNewErrand();
  const hasEnded = execution.terminal !== null;
  // A canceled execution ends a moment later.
  const isStopping = cancel.isPending || (cancel.isSuccess && !hasEnded);
  return (
    <>
      <Group gap="sm">
        {!hasEnded && (
          <Button
            variant="default"
            leftSection={<Icon name="stop" size={16} />}
            loading={isStopping}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )}
        {hasEnded && may_run_again && (
          <>
            <Button variant="default" onClick={() => openNewErrand(toDraft(data))}>
              Edit and run
            </Button>
            <RunWithOtherValues data={data} />
            {!offersRetry(execution.terminal?.status) && <RunAgainButton data={data} sideEffects={sideEffects} />}
          </>
        )}
      </Group>
      {isStopping && (
        <span className="visually-hidden" role="status">
          Canceling…
        </span>
      )}
      {!hasEnded && cancel.error !== null && <ErrorAlert error={cancel.error} />}
    </>
  );
}
