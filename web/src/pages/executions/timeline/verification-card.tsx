import { Text } from "@mantine/core";
import { tellDuration } from "../../../parts/duration.tsx";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Icon } from "../../../shell/icon.tsx";
import { Checks } from "./checks.tsx";
import { tellCost } from "./cost.ts";
import type { Verification } from "./run.ts";

/** The verdict on what the run claims, criterion by criterion. */
export function VerificationCard({ verification }: { verification: Verification }) {
  const { hasAgreed, reason, checks, cost, durationMs } = verification;
  return (
    <li className="moment" data-verdict={hasAgreed ? "agreed" : "doubted"}>
      <span className="moment-mark" aria-hidden="true">
        <Icon name={hasAgreed ? "check" : "cross"} size={14} />
      </span>
      <div className="verification">
        <Text fw={500}>{hasAgreed ? "The verifier agreed" : "The verifier did not agree"}</Text>
        <Text size="sm" c="dimmed" mb="sm">
          <ForeignText>{reason}</ForeignText>
        </Text>
        <Checks checks={checks} />
        <Text size="xs" c="dimmed" mt="sm">
          Took {tellDuration(durationMs)}
          {cost !== null && `, ${tellCost(cost)}`}
        </Text>
      </div>
    </li>
  );
}
