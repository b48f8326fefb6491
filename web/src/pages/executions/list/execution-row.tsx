import { Text } from "@mantine/core";
import { Link } from "wouter";
import type { ExecutionItem } from "../../../../../src/contract/console/executions.ts";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { OutcomeBadge } from "../../../parts/outcome-badge.tsx";

/** One execution in a line or, on a phone, in three. All of it is a link. */
export function ExecutionRow({ execution }: { execution: ExecutionItem }) {
  const { id, status, terminal, prompt, application, connection, created_at } = execution;
  return (
    <Link href={`/executions/${id}`} className="execution-row">
      <span className="execution-row-outcome">
        <OutcomeBadge status={status} terminal={terminal} />
      </span>
      <span className="execution-row-prompt">
        <ForeignText>{prompt}</ForeignText>
      </span>
      <span className="execution-row-origin">
        <span className="one-line">
          <ForeignText>{application.name}</ForeignText>
        </span>
        <span className="one-line">
          <ForeignText>{connection.user_email}</ForeignText>
        </span>
      </span>
      <Text component="span" size="sm" c="dimmed" className="execution-row-time">
        <Moment at={created_at} />
      </Text>
      <Text component="span" size="sm" c="dimmed" className="execution-row-credits">
        {tellCredits(execution)}
      </Text>
    </Link>
  );
}

function tellCredits({ credits, charged, terminal }: ExecutionItem): string {
  if (charged) return `${credits.toLocaleString("en")} ${credits === 1 ? "credit" : "credits"}`;
  return terminal === null ? `${credits.toLocaleString("en")} held` : "not charged";
}
