import { Card, Text } from "@mantine/core";
import { artifactAddress } from "../../api/executions.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { useView } from "./pictures/picture.ts";
import type { Run } from "./timeline/run.ts";
import { StepWords } from "./timeline/step-words.tsx";

/** While it goes on: the newest picture, large. */
export function LivePanel({ executionId, run }: { executionId: string; run: Run }) {
  const view = useView();
  const step = run.steps.findLast(({ screenshot }) => screenshot !== null);
  if (step === undefined || step.screenshot === null) return null;
  return (
    <Card withBorder padding={0} component="section" aria-label="Now">
      <div className="live-bar">
        <span className="live-dot" aria-hidden="true" />
        <Text size="sm" fw={500} className="one-line">
          <StepWords step={step} />
        </Text>
        <Text size="xs" c="dimmed" className="one-line">
          <ForeignText>{step.url}</ForeignText>
        </Text>
      </div>
      <button
        type="button"
        className="live-picture"
        aria-label={`Enlarge the picture of step ${step.number}, the newest`}
        onClick={() => view({ kind: "step", stepKey: step.key })}
      >
        <img src={artifactAddress(executionId, step.screenshot)} alt="" />
      </button>
    </Card>
  );
}
