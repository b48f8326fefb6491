import { Stack, Text } from "@mantine/core";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Icon, type IconName } from "../../../shell/icon.tsx";
import type { Check } from "./run.ts";

const MARKS: Record<Check["verdict"], { icon: IconName; word: string }> = {
  satisfied: { icon: "check", word: "Agreed" },
  contradicted: { icon: "cross", word: "Contradicted" },
  unknown: { icon: "warning", word: "Doubted" },
};

/** What the verifier looked at, one by one. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <Stack component="ul" gap={10} className="plain-list" aria-label="Checks">
      {checks.map(({ about, verdict, evidence }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a verdict never changes
        <li key={index} className="check" data-verdict={verdict}>
          <span className="check-mark">
            <Icon name={MARKS[verdict].icon} size={14} />
            <span className="visually-hidden">{MARKS[verdict].word}: </span>
          </span>
          <div>
            <Text size="sm">
              <ForeignText>{about}</ForeignText>
            </Text>
            {evidence !== "" && (
              <Text size="xs" c="dimmed">
                <ForeignText>{evidence}</ForeignText>
              </Text>
            )}
          </div>
        </li>
      ))}
    </Stack>
  );
}
