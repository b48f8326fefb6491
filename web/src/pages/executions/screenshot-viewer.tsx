import { Button, Group, Modal, Stack, Text, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { createContext, useContext, useState } from "react";
import { artifactUrl } from "../../api/executions.ts";
import { Icon } from "../../components/icons.tsx";
import { UntrustedText, UntrustedUrl } from "../../components/untrusted-text.tsx";
import { StepDescription } from "./step-description.tsx";
import type { Step } from "./trace.ts";
import { ZoomablePicture } from "./zoomable-screenshot.tsx";

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
            <UntrustedText>{quote}</UntrustedText>
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {step !== undefined && `Step ${step.number}, `}
          <UntrustedUrl>{url}</UntrustedUrl>
        </Text>
      </div>
      {screenshot === null ? (
        <Text size="sm">There is no picture of this place: the words above are what the page said.</Text>
      ) : (
        <ZoomablePicture
          key={screenshot}
          src={artifactUrl(executionId, screenshot)}
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
          {step.number}. <StepDescription step={step} />
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
        src={artifactUrl(executionId, step.screenshot)}
        alt={`The page after step ${step.number}`}
        box={null}
      />
    </Stack>
  );
}

/** What the agent saw after a step; loaded when it comes near the screen. */
export function Thumbnail({ executionId, step }: { executionId: string; step: Step }) {
  const view = useView();
  const [isGone, setIsGone] = useState(false);
  if (step.screenshot === null || isGone) return <div className="thumbnail thumbnail-missing">No picture</div>;
  return (
    <UnstyledButton
      className="thumbnail"
      aria-label={`Enlarge the picture of step ${step.number}`}
      onClick={() => view({ kind: "step", stepKey: step.key })}
    >
      <img
        src={artifactUrl(executionId, step.screenshot)}
        alt=""
        loading="lazy"
        decoding="async"
        onError={() => setIsGone(true)}
      />
    </UnstyledButton>
  );
}

export interface PictureBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where an extracted value stood. */
export interface Place {
  pointer: string;
  quote: string | null;
  url: string;
  /** The id of the picture that shows it. */
  screenshot: string | null;
  box: PictureBox | null;
}

/** What is looked at closely: the picture of a step, or the place of a value. */
export type Viewed = { kind: "step"; stepKey: number } | { kind: "place"; place: Place };

/** Anything on the page can ask for a closer look. */
export const ViewContext = createContext<(viewed: Viewed) => void>(() => {});

export function useView(): (viewed: Viewed) => void {
  return useContext(ViewContext);
}
