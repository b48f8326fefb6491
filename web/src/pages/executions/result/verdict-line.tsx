import { Text } from "@mantine/core";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Icon } from "../../../shell/icon.tsx";
import { Checks } from "../timeline/checks.tsx";
import type { Check } from "../timeline/run.ts";

interface VerdictLineProps {
  hasAgreed: boolean;
  reason: string;
  checks: readonly Check[];
}

/** What the verifier said in a sentence, and behind it criterion by criterion. */
export function VerdictLine({ hasAgreed, reason, checks }: VerdictLineProps) {
  const line = (
    <Text size="sm" component="span" className="check" data-verdict={hasAgreed ? "satisfied" : "unknown"}>
      <span className="check-mark">
        <Icon name={hasAgreed ? "check" : "warning"} size={14} />
      </span>
      <span>
        <ForeignText>{reason}</ForeignText>
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
