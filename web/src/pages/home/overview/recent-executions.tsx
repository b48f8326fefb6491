import { Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ExecutionItem } from "../../../../../src/contract/console/executions.ts";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Moment } from "../../../parts/moment.tsx";
import { OutcomeBadge } from "../../../parts/outcome-badge.tsx";

export function RecentExecutions({ executions }: { executions: ExecutionItem[] }) {
  return (
    <Stack component="ul" gap={0} className="plain-list ruled">
      {executions.map((execution) => (
        <li key={execution.id}>
          <Link href={`/executions/${execution.id}`} className="list-link">
            <Group wrap="nowrap" gap="md" justify="space-between">
              <Stack gap={2} miw={0}>
                <Text size="sm" fw={500} truncate>
                  <ForeignText>{execution.prompt}</ForeignText>
                </Text>
                <Text size="xs" c="dimmed" truncate>
                  <ForeignText>{execution.application.name}</ForeignText> ·{" "}
                  <ForeignText>{execution.connection.user_email}</ForeignText> · <Moment at={execution.created_at} />
                </Text>
              </Stack>
              <OutcomeBadge status={execution.status} terminal={execution.terminal} />
            </Group>
          </Link>
        </li>
      ))}
    </Stack>
  );
}
