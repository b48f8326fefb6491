import { Anchor, Group, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { ConsoleExecution } from "../../../../src/contract/console/executions.ts";
import { Duration } from "../../parts/duration.tsx";
import { cleanText, ForeignText } from "../../parts/foreign-text.tsx";
import { Moment } from "../../parts/moment.tsx";
import { OutcomeBadge } from "../../parts/outcome-badge.tsx";
import { Icon } from "../../shell/icon.tsx";
import { ExecutionActions } from "./execution-actions.tsx";

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
          <ForeignText>{application.name}</ForeignText> for <ForeignText>{connection.user_email}</ForeignText>
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
        <ForeignText>{isWhole ? prompt : `${prompt.slice(0, LONG_PROMPT)}…`}</ForeignText>
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
