import { Modal, Stack, Text, UnstyledButton } from "@mantine/core";
import { createContext, useContext, useState } from "react";
import { artifactUrl } from "../../api/executions.ts";
import { UntrustedText, UntrustedUrl } from "../../components/untrusted-text.tsx";
import { Replay } from "./replay.tsx";
import type { Step } from "./trace.ts";
import { type PictureBox, ZoomableScreenshot } from "./zoomable-screenshot.tsx";

interface ViewerProps {
  executionId: string;
  steps: readonly Step[];
  viewed: Viewed | null;
  onView: (viewed: Viewed | null) => void;
}

/** Shows screenshots, enlarged: those of all steps in order, or the place where a value was found. */
export function Viewer({ executionId, steps, viewed, onView }: ViewerProps) {
  return (
    <Modal
      opened={viewed !== null}
      onClose={() => onView(null)}
      size="min(1360px, 100%)"
      title={viewed?.kind === "place" ? "Where this value was found" : "What the browser showed"}
      closeButtonProps={{ "aria-label": "Close" }}
      classNames={{ content: "viewer", body: "viewer-body" }}
    >
      {viewed?.kind === "place" && <PlaceView executionId={executionId} steps={steps} place={viewed.place} />}
      {viewed?.kind === "step" && <Replay executionId={executionId} steps={steps} stepKey={viewed.stepKey} />}
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
        <Text size="sm">There is no screenshot of this. The text above is quoted from the page.</Text>
      ) : (
        <ZoomableScreenshot
          key={screenshot}
          src={artifactUrl(executionId, screenshot)}
          alt="The page where the value was found"
          box={box}
        />
      )}
    </Stack>
  );
}

/** The page after a step. Loaded when it is scrolled near. */
export function Thumbnail({ executionId, step }: { executionId: string; step: Step }) {
  const view = useView();
  const [isMissing, setIsMissing] = useState(false);
  if (step.screenshot === null || isMissing) return <div className="thumbnail thumbnail-missing">No screenshot</div>;
  return (
    <UnstyledButton
      className="thumbnail"
      aria-label={`Enlarge the screenshot of step ${step.number}`}
      onClick={() => view({ kind: "step", stepKey: step.key })}
    >
      <img
        src={artifactUrl(executionId, step.screenshot)}
        alt=""
        loading="lazy"
        decoding="async"
        onError={() => setIsMissing(true)}
      />
    </UnstyledButton>
  );
}

/** Where an extracted value was found. */
export interface Place {
  pointer: string;
  quote: string | null;
  url: string;
  /** The id of the screenshot that shows it. */
  screenshot: string | null;
  box: PictureBox | null;
}

/** What the viewer shows. */
export type Viewed =
  | { kind: "step" /** Null: from the beginning. */; stepKey: number | null }
  | { kind: "place"; place: Place };

/** Opens the viewer from anywhere on the page. */
export const ViewContext = createContext<(viewed: Viewed) => void>(() => {});

export function useView(): (viewed: Viewed) => void {
  return useContext(ViewContext);
}
