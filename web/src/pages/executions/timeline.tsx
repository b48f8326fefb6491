import { Button, Group, Loader, Text, Title } from "@mantine/core";
import { Icon } from "../../components/icons.tsx";
import { formatDuration } from "../../components/time.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { Changes, Checks } from "./evidence.tsx";
import { Thumbnail, useView } from "./screenshot-viewer.tsx";
import { StepDescription } from "./step-description.tsx";
import { describeCost, type Question, type Renewal, type Step, type Trace, type Verification } from "./trace.ts";

interface TimelineProps {
  executionId: string;
  trace: Trace;
  hasEnded: boolean;
}

/** All steps and verifications in order, updated live. */
export function Timeline({ executionId, trace, hasEnded }: TimelineProps) {
  const { moments, steps, startedAt } = trace;
  const last = steps.at(-1);
  const view = useView();
  const hasScreenshots = steps.some(({ screenshot }) => screenshot !== null);
  return (
    <section aria-labelledby="timeline-title">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="timeline-title">
          Timeline
        </Title>
        {hasEnded && hasScreenshots && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<Icon name="play" size={14} />}
            onClick={() => view({ kind: "step", stepKey: null })}
          >
            Replay
          </Button>
        )}
      </Group>
      <ol className="timeline">
        {moments.map((moment) => (
          <MomentCard key={moment.key} executionId={executionId} moment={moment} hasEnded={hasEnded} />
        ))}
        {!hasEnded && (
          <li className="moment moment-next">
            <span className="moment-mark">
              <Loader size={14} aria-hidden="true" />
            </span>
            <Text size="sm" c="dimmed">
              {startedAt === null ? "Queued" : "Working on the next step…"}
            </Text>
          </li>
        )}
      </ol>
      {hasEnded && moments.length === 0 && (
        <Text size="sm" c="dimmed">
          The errand ended before its first step.
        </Text>
      )}
      <div className="visually-hidden" aria-live="polite">
        {!hasEnded && last !== undefined && (
          <>
            Step {last.number}: <StepDescription step={last} />
          </>
        )}
      </div>
    </section>
  );
}

interface MomentProps {
  executionId: string;
  moment: Trace["moments"][number];
  hasEnded: boolean;
}

function MomentCard({ executionId, moment, hasEnded }: MomentProps) {
  switch (moment.kind) {
    case "step":
      return <StepCard executionId={executionId} step={moment} />;
    case "renewal":
      return <RenewalCard renewal={moment} />;
    case "question":
      return <QuestionCard question={moment} hasEnded={hasEnded} />;
    case "verification":
      return <VerificationCard verification={moment} />;
  }
}

/** One step: what was done and why, the resulting page, its changes, its cost and a screenshot. */
function StepCard({ executionId, step }: { executionId: string; step: Step }) {
  const { number, why, hasFailed, message, url, title, changes, cost, durationMs } = step;
  return (
    <li className="moment" data-failed={hasFailed || undefined}>
      <span className="moment-mark" aria-hidden="true">
        {hasFailed ? <Icon name="cross" size={14} /> : number}
      </span>
      <div className="step">
        <div className="step-text">
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
              This step failed
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
                Changes
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
              <dt>Duration</dt>
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

function RenewalCard({ renewal: { isRenewed } }: { renewal: Renewal }) {
  return (
    <li className="moment" data-failed={!isRenewed || undefined}>
      <span className="moment-mark" aria-hidden="true">
        <Icon name={isRenewed ? "check" : "cross"} size={14} />
      </span>
      <div>
        <Text fw={500}>{isRenewed ? "Signed in again" : "Could not sign in again"}</Text>
        <Text size="sm" c="dimmed">
          The sign-in had expired.{" "}
          {isRenewed ? "Errand used the stored credentials." : "The stored credentials failed."}
        </Text>
      </div>
    </li>
  );
}

/** What a person was asked, and who decided what. */
function QuestionCard({ question: { message, outcome }, hasEnded }: { question: Question; hasEnded: boolean }) {
  const unanswered = hasEnded ? "Not answered." : "Waiting for an answer.";
  return (
    <li className="moment">
      <span className="moment-mark" aria-hidden="true">
        <Icon name={chooseIcon(outcome)} size={14} />
      </span>
      <div>
        <Text fw={500}>
          Asked a person: <UntrustedText>{message}</UntrustedText>
        </Text>
        <Text size="sm" c="dimmed">
          {outcome === null ? unanswered : describeOutcome(outcome)}
        </Text>
      </div>
    </li>
  );
}

function chooseIcon(outcome: Question["outcome"]) {
  if (outcome === null) return "pause";
  return outcome.state === "answered" && outcome.answer !== "declined" ? "check" : "cross";
}

const ANSWERS: Record<string, string> = {
  approved: "Approved",
  declined: "Declined",
  answered: "Answered",
  handed_back: "Handed back",
};
const ANSWERERS: Record<string, string> = {
  application: "by the application",
  link: "with the link",
  user: "by the user",
  owner: "by the application's owner",
};

function describeOutcome({ state, answer, answeredBy }: NonNullable<Question["outcome"]>): string {
  if (state !== "answered") return "Nobody answered in time.";
  return `${ANSWERS[answer] ?? "Answered"} ${ANSWERERS[answeredBy] ?? "by somebody"}.`;
}

/** The verifier's verdict with its checks. */
function VerificationCard({ verification }: { verification: Verification }) {
  const { hasAgreed, reason, checks, cost, durationMs } = verification;
  return (
    <li className="moment" data-verdict={hasAgreed ? "agreed" : "doubted"}>
      <span className="moment-mark" aria-hidden="true">
        <Icon name={hasAgreed ? "check" : "cross"} size={14} />
      </span>
      <div className="verification">
        <Text fw={500}>{hasAgreed ? "Verified" : "Not verified"}</Text>
        <Text size="sm" c="dimmed" mb="sm">
          <UntrustedText>{reason}</UntrustedText>
        </Text>
        <Checks checks={checks} />
        <Text size="xs" c="dimmed" mt="sm">
          Duration: {formatDuration(durationMs)}
          {cost !== null && `, ${describeCost(cost)}`}
        </Text>
      </div>
    </li>
  );
}
