import { Group, Stack, Text, ThemeIcon } from "@mantine/core";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Icon, type IconName } from "../../../shell/icon.tsx";
import type { RunCheck } from "./read-run.ts";

const MARKS: Record<string, { icon: IconName; color: string }> = {
  satisfied: { icon: "check", color: "teal" },
  contradicted: { icon: "cross", color: "red" },
};
const UNKNOWN = { icon: "warning", color: "yellow" } as const;

/** The verdict in a sentence, and criterion by criterion behind it. */
export function CheckList({ reason, checks }: { reason: string; checks: RunCheck[] }) {
  if (checks.length === 0) return <Text size="sm">{reason}</Text>;
  return (
    <details>
      <summary>{reason}</summary>
      <Stack component="ul" gap="xs" mt="sm" className="plain-list">
        {checks.map(({ about, verdict, evidence }) => {
          const { icon, color } = MARKS[verdict] ?? UNKNOWN;
          return (
            <Group component="li" key={`${about} ${evidence}`} gap="sm" wrap="nowrap" align="start">
              <ThemeIcon size={20} radius="xl" variant="light" color={color} role="img" aria-label={verdict}>
                <Icon name={icon} size={12} />
              </ThemeIcon>
              <Text size="sm" className="wrap-anywhere">
                <ForeignText>{about}</ForeignText>
                <Text span inherit c="dimmed">
                  {" "}
                  <ForeignText>{evidence}</ForeignText>
                </Text>
              </Text>
            </Group>
          );
        })}
      </Stack>
    </details>
  );
}
