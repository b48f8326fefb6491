import { Text } from "@mantine/core";
import { tellDuration } from "../../../parts/duration.tsx";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Icon } from "../../../shell/icon.tsx";
import { Thumbnail } from "../pictures/thumbnail.tsx";
import { Changes } from "./changes.tsx";
import { tellCost } from "./cost.ts";
import type { Step } from "./run.ts";
import { StepWords } from "./step-words.tsx";

/** One step: what was done and why, where it led, what it changed, what it took, and a picture. */
export function StepCard({ executionId, step }: { executionId: string; step: Step }) {
  const { number, why, hasFailed, message, url, title, changes, cost, durationMs } = step;
  return (
    <li className="moment" data-failed={hasFailed || undefined}>
      <span className="moment-mark" aria-hidden="true">
        {hasFailed ? <Icon name="cross" size={14} /> : number}
      </span>
      <div className="step">
        <div className="step-told">
          <Text fw={500}>
            <span className="visually-hidden">Step {number}: </span>
            <StepWords step={step} />
          </Text>
          {why !== "" && (
            <Text size="sm" c="dimmed">
              <ForeignText>{why}</ForeignText>
            </Text>
          )}
          {hasFailed && (
            <Text size="sm" c="red" mt={4}>
              It did not work
              {message === "" ? (
                "."
              ) : (
                <>
                  : <ForeignText>{message}</ForeignText>
                </>
              )}
            </Text>
          )}
          {changes.length > 0 && (
            <div className="step-changes">
              <Text size="xs" fw={600} mb={4}>
                What it changed
              </Text>
              <Changes changes={changes} />
            </div>
          )}
          <dl className="step-facts">
            <div>
              <dt>Page</dt>
              <dd>
                {title !== "" && (
                  <>
                    <ForeignText>{title}</ForeignText>
                    <br />
                  </>
                )}
                <ForeignText>{url}</ForeignText>
              </dd>
            </div>
            <div>
              <dt>Took</dt>
              <dd>
                {tellDuration(durationMs)}
                {cost !== null && `, ${tellCost(cost)}`}
              </dd>
            </div>
          </dl>
        </div>
        <Thumbnail executionId={executionId} step={step} />
      </div>
    </li>
  );
}
