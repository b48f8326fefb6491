import { Loader, Text, Title } from "@mantine/core";
import { Icon } from "../../components/icons.tsx";
import { formatDuration } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { Changes, Checks } from "./evidence.tsx";
import { Thumbnail } from "./screenshot-viewer.tsx";
import { StepDescription } from "./step-description.tsx";
import { describeCost, type Run, type Step, type Verification } from "./trace.ts";

interface TimelineProps {
  executionId: string;
  run: Run;
  isOver: boolean;
}

/** Everything that was done, in order; it grows while the run goes on. */
export function Timeline({ executionId, run, isOver }: TimelineProps) {
  const { moments, steps, startedAt } = run;
  const last = steps.at(-1);
  return (
    <section aria-labelledby="timeline-title">
      <Title order={2} size="h4" id="timeline-title" mb="sm">
        Timeline
      </Title>
      <ol className="timeline">
        {moments.map((moment) =>
          moment.kind === "step" ? (
            <StepCard key={moment.key} executionId={executionId} step={moment} />
          ) : (
            <VerificationCard key={moment.key} verification={moment} />
          ),
        )}
        {!isOver && (
          <li className="moment moment-next">
            <span className="moment-mark">
              <Loader size={14} aria-hidden="true" />
            </span>
            <Text size="sm" c="dimmed">
              {startedAt === null ? "Waiting for its turn" : "At work on the next step"}
            </Text>
          </li>
        )}
      </ol>
      {isOver && moments.length === 0 && (
        <Text size="sm" c="dimmed">
          It ended before the first step.
        </Text>
      )}
      <div className="visually-hidden" aria-live="polite">
        {!isOver && last !== undefined && (
          <>
            Step {last.number}: <StepDescription step={last} />
          </>
        )}
      </div>
    </section>
  );
}

/** One step: what was done and why, where it led, what it changed, what it took, and a picture. */
function StepCard({ executionId, step }: { executionId: string; step: Step }) {
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
            <StepDescription step={step} />
          </Text>
          {why !== "" && (
            <Text size="sm" c="dimmed">
              <UntrustedText>{why}</UntrustedText>
            </Text>
          )}
          {hasFailed && (
            <Text size="sm" c="red" mt={4}>
              It did not work
              {message === "" ? (
                "."
              ) : (
                <>
                  : <UntrustedText>{message}</UntrustedText>
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
                    <UntrustedText>{title}</UntrustedText>
                    <br />
                  </>
                )}
                <UntrustedText>{url}</UntrustedText>
              </dd>
            </div>
            <div>
              <dt>Took</dt>
              <dd>
                {formatDuration(durationMs)}
                {cost !== null && `, ${describeCost(cost)}`}
              </dd>
            </div>
          </dl>
        </div>
        <Thumbnail executionId={executionId} step={step} />
      </div>
    </li>
  );
}

/** The verdict on what the run claims, criterion by criterion. */
function VerificationCard({ verification }: { verification: Verification }) {
  const { hasAgreed, reason, checks, cost, durationMs } = verification;
  return (
    <li className="moment" data-verdict={hasAgreed ? "agreed" : "doubted"}>
      <span className="moment-mark" aria-hidden="true">
        <Icon name={hasAgreed ? "check" : "cross"} size={14} />
      </span>
      <div className="verification">
        <Text fw={500}>{hasAgreed ? "The verifier agreed" : "The verifier did not agree"}</Text>
        <Text size="sm" c="dimmed" mb="sm">
          <UntrustedText>{reason}</UntrustedText>
        </Text>
        <Checks checks={checks} />
        <Text size="xs" c="dimmed" mt="sm">
          Took {formatDuration(durationMs)}
          {cost !== null && `, ${describeCost(cost)}`}
        </Text>
      </div>
    </li>
  );
}
