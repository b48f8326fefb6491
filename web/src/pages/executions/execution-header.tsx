import { Anchor, Button, Group, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { useCancel, useRunAgain } from "../../api/executions.ts";
import { Problem } from "../../components/feedback.tsx";
import { Icon } from "../../components/icons.tsx";
import { Duration, Moment } from "../../components/time.tsx";
import { cleanText, UntrustedText } from "../../components/untrusted-text.tsx";
import { OutcomeBadge } from "./outcome.tsx";

const LONG_PROMPT = 280;
const TAB_TITLE_LENGTH = 60;

interface ExecutionHeaderProps {
  seen: ConsoleExecution;
  startedAt: string | null;
}

/** How it stands, what was asked for, by whom and when. */
export function ExecutionHeader({ seen, startedAt }: ExecutionHeaderProps) {
  const { execution, application, connection } = seen;
  useEffect(() => {
    document.title = `${cleanText(execution.prompt).slice(0, TAB_TITLE_LENGTH)} · Errand`;
  }, [execution.prompt]);
  return (
    <header className="execution-header">
      <Anchor component={Link} href="/executions" size="sm" className="back-link">
        <Icon name="left" size={14} /> Executions
      </Anchor>
      <div className="execution-heading">
        <div className="execution-prompt">
          <OutcomeBadge status={execution.status} terminal={execution.terminal} />
          <Prompt prompt={execution.prompt} />
        </div>
        <ExecutionActions seen={seen} />
      </div>
      <Group gap="xs" className="execution-about">
        <Text span inherit>
          <UntrustedText>{application.name}</UntrustedText> for <UntrustedText>{connection.user_email}</UntrustedText>
        </Text>
        <span aria-hidden="true">·</span>
        <Moment at={execution.created_at} />
        <span aria-hidden="true">·</span>
        <span>
          {tellTime(execution.terminal !== null, startedAt)}{" "}
          {startedAt !== null && <Duration from={startedAt} to={execution.completed_at} />}
        </span>
        <span aria-hidden="true">·</span>
        <span>{tellCredits(execution.usage, execution.terminal !== null)}</span>
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
          {isWhole ? "Show less" : "Show the whole prompt"}
        </Anchor>
      )}
    </div>
  );
}

function tellTime(isOver: boolean, startedAt: string | null): string {
  if (startedAt === null) return isOver ? "never started" : "waiting for its turn";
  return isOver ? "took" : "running for";
}

function tellCredits({ credits, charged }: { credits: number; charged: boolean }, isOver: boolean): string {
  const amount = `${credits.toLocaleString("en")} ${credits === 1 ? "credit" : "credits"}`;
  if (charged) return amount;
  return isOver ? "not charged" : `${amount} held`;
}

/** Stop it while it goes on; once more when it is over. */
function ExecutionActions({ seen: { execution, may_run_again } }: { seen: ConsoleExecution }) {
  const [, navigate] = useLocation();
  const cancel = useCancel(execution.id);
  const again = useRunAgain(execution.id);
  const isOver = execution.terminal !== null;
  // A run that is told to stop ends a moment later; until then the wish stands.
  const isStopping = cancel.isPending || (cancel.isSuccess && !isOver);
  const error = again.error ?? (isOver ? null : cancel.error);
  return (
    <>
      <Group gap="sm">
        {!isOver && (
          <Button
            variant="default"
            leftSection={<Icon name="stop" size={16} />}
            loading={isStopping}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )}
        {isOver && may_run_again && (
          <Button
            leftSection={<Icon name="again" size={16} />}
            loading={again.isPending}
            onClick={() => again.mutate(undefined, { onSuccess: ({ id }) => navigate(`/executions/${id}`) })}
          >
            Run again
          </Button>
        )}
      </Group>
      {isStopping && (
        <span className="visually-hidden" role="status">
          Canceling
        </span>
      )}
      {error !== null && <Problem error={error} />}
    </>
  );
}
