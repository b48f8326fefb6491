import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { artifactAddress } from "../../../api/executions.ts";
import { ForeignAddress } from "../../../parts/foreign-address.tsx";
import { ForeignText } from "../../../parts/foreign-text.tsx";
import { Icon } from "../../../shell/icon.tsx";
import type { Step } from "../timeline/run.ts";
import { StepWords } from "../timeline/step-words.tsx";
import type { Place, Viewed } from "./picture.ts";
import { ZoomablePicture } from "./zoomable-picture.tsx";

interface ViewerProps {
  executionId: string;
  steps: readonly Step[];
  viewed: Viewed | null;
  onView: (viewed: Viewed | null) => void;
}

/** A closer look at a picture. */
export function Viewer({ executionId, steps, viewed, onView }: ViewerProps) {
  return (
    <Modal
      opened={viewed !== null}
      onClose={() => onView(null)}
      size="min(1360px, 100%)"
      title={viewed?.kind === "place" ? "Where this value stood" : "What the agent saw"}
      closeButtonProps={{ "aria-label": "Close" }}
      classNames={{ content: "viewer", body: "viewer-body" }}
    >
      {viewed?.kind === "place" && <PlaceView executionId={executionId} steps={steps} place={viewed.place} />}
      {viewed?.kind === "step" && (
        <StepView executionId={executionId} steps={steps} stepKey={viewed.stepKey} onView={onView} />
      )}
    </Modal>
  );
}

function PlaceView({ executionId, steps, place }: { executionId: string; steps: readonly Step[]; place: Place }) {
  const { quote, url, screenshot, box } = place;
  const step = steps.find((step) => step.screenshot === screenshot);
  return (
    <Stack gap="sm" className="viewer-stack">
      <div>
        {quote !== null && (
          <Text component="blockquote" m={0} fw={600}>
            <ForeignText>{quote}</ForeignText>
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {step !== undefined && `Step ${step.number}, `}
          <ForeignAddress>{url}</ForeignAddress>
        </Text>
      </div>
      {screenshot === null ? (
        <Text size="sm">There is no picture of this place: the words above are what the page said.</Text>
      ) : (
        <ZoomablePicture
          key={screenshot}
          src={artifactAddress(executionId, screenshot)}
          alt="The page that the value was read from"
          box={box}
        />
      )}
    </Stack>
  );
}

interface StepViewProps {
  executionId: string;
  steps: readonly Step[];
  stepKey: number;
  onView: (viewed: Viewed) => void;
}

function StepView({ executionId, steps, stepKey, onView }: StepViewProps) {
  const pictured = steps.filter(({ screenshot }) => screenshot !== null);
  const index = pictured.findIndex(({ key }) => key === stepKey);
  const step = pictured[index];
  const go = (by: number) => {
    const other = pictured[index + by];
    if (other !== undefined) onView({ kind: "step", stepKey: other.key });
  };
  useHotkeys([
    ["ArrowLeft", () => go(-1)],
    ["ArrowRight", () => go(1)],
  ]);
  if (step === undefined || step.screenshot === null) return null;
  return (
    <Stack gap="sm" className="viewer-stack">
      <Group justify="space-between" wrap="nowrap" align="start">
        <Text>
          {step.number}. <StepWords step={step} />
        </Text>
        <Group gap={6} wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            disabled={index === 0}
            onClick={() => go(-1)}
            aria-label="Previous step"
          >
            <Icon name="left" size={14} />
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={index === pictured.length - 1}
            onClick={() => go(1)}
            aria-label="Next step"
          >
            <Icon name="right" size={14} />
          </Button>
        </Group>
      </Group>
      <ZoomablePicture
        src={artifactAddress(executionId, step.screenshot)}
        alt={`The page after step ${step.number}`}
        box={null}
      />
    </Stack>
  );
}
