import { Loader, Text, Title } from "@mantine/core";
import type { Run } from "./run.ts";
import { StepCard } from "./step-card.tsx";
import { StepWords } from "./step-words.tsx";
import { VerificationCard } from "./verification-card.tsx";

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
            Step {last.number}: <StepWords step={last} />
          </>
        )}
      </div>
    </section>
  );
}
