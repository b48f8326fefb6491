import { ActionIcon, Group, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useEffect, useMemo, useState } from "react";
import { artifactUrl } from "../../api/executions.ts";
import { Icon, type IconName } from "../../components/icons.tsx";
import { UntrustedText } from "../../components/untrusted-text.tsx";
import { StepDescription } from "./step-description.tsx";
import type { Step } from "./trace.ts";
import { type PictureBox, ZoomableScreenshot } from "./zoomable-screenshot.tsx";

/** One picture of the replay. */
interface Scene {
  step: Step;
  screenshot: string;
  /** What the step is about to act on; null when the picture shows the page afterwards. */
  target: PictureBox | null;
}

/** Long enough to find the mark, and to see what became of it. */
const SCENE_MS = { before: 1_000, after: 1_400 };

interface ReplayProps {
  executionId: string;
  steps: readonly Step[];
  /** Where to begin; null: at the beginning. */
  stepKey: number | null;
}

/** The screenshots of an errand in order, with a mark where each step acted. */
export function Replay({ executionId, steps, stepKey }: ReplayProps) {
  const scenes = useMemo(() => listScenes(steps), [steps]);
  const last = scenes.length - 1;
  const [index, setIndex] = useState(() => findStart(scenes, stepKey));
  const [isPlaying, setIsPlaying] = useState(false);
  const scene = scenes[Math.min(index, last)];
  const isAtEnd = index >= last;
  const go = (to: number) => {
    setIsPlaying(false);
    setIndex(Math.max(0, Math.min(last, to)));
  };
  const toggle = () => {
    if (isAtEnd && !isPlaying) setIndex(0);
    setIsPlaying(!isPlaying);
  };
  useHotkeys([
    ["ArrowLeft", () => go(index - 1)],
    ["ArrowRight", () => go(index + 1)],
    ["Home", () => go(0)],
    ["End", () => go(last)],
    // A button that has the focus is pressed instead.
    ["Space", (event) => toggleUnlessOnButton(event, toggle), { preventDefault: false }],
  ]);
  useEffect(() => {
    if (!isPlaying || scene === undefined) return;
    if (isAtEnd) return setIsPlaying(false);
    const timer = setTimeout(() => setIndex(index + 1), scene.target === null ? SCENE_MS.after : SCENE_MS.before);
    return () => clearTimeout(timer);
  }, [isPlaying, isAtEnd, index, scene]);
  usePreloaded(executionId, scenes[index + 1]);
  if (scene === undefined) return <Text c="dimmed">This errand has no screenshots.</Text>;
  const { step, screenshot, target } = scene;
  return (
    <Stack gap="sm" className="viewer-stack">
      <div className="replay-caption">
        <Text>
          {step.number}. <StepDescription step={step} />
        </Text>
        <Text size="xs" c="dimmed" className="one-line">
          {target === null ? "After this step: " : "Before this step: the mark shows what it acts on"}
          {target === null && <UntrustedText>{step.url}</UntrustedText>}
        </Text>
      </div>
      <ZoomableScreenshot
        src={artifactUrl(executionId, screenshot)}
        alt={target === null ? `The page after step ${step.number}` : `The page before step ${step.number}`}
        box={target}
        kind="target"
      />
      <Group gap="sm" wrap="nowrap" className="replay-controls">
        <ControlButton icon="left" label="Previous picture" isDisabled={index === 0} onClick={() => go(index - 1)} />
        <ControlButton
          icon={isPlaying ? "pause" : "play"}
          label={isPlaying ? "Pause" : "Play"}
          onClick={toggle}
          hasFirstFocus
        />
        <ControlButton icon="right" label="Next picture" isDisabled={isAtEnd} onClick={() => go(index + 1)} />
        <input
          type="range"
          className="replay-scrubber"
          min={0}
          max={last}
          value={index}
          aria-label="Position in the replay"
          aria-valuetext={`Step ${step.number}, ${target === null ? "after" : "before"}`}
          onChange={(event) => go(event.currentTarget.valueAsNumber)}
        />
        <Text size="sm" c="dimmed" className="tabular replay-position">
          {index + 1} / {scenes.length}
        </Text>
      </Group>
    </Stack>
  );
}

interface ControlButtonProps {
  icon: IconName;
  label: string;
  isDisabled?: boolean;
  /** Whether it has the focus when the dialog opens, so that Space presses it. */
  hasFirstFocus?: boolean;
  onClick: () => void;
}

function ControlButton({ icon, label, isDisabled = false, hasFirstFocus = false, onClick }: ControlButtonProps) {
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      disabled={isDisabled}
      onClick={onClick}
      {...(hasFirstFocus ? { "data-autofocus": true } : {})}
    >
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}

/** Each step as the page before, with the mark, and the page after. A mark belongs to the screenshot that it names. */
function listScenes(steps: readonly Step[]): Scene[] {
  return steps.flatMap((step): Scene[] => {
    const { mark, screenshot } = step;
    return [
      ...(mark === null ? [] : [{ step, screenshot: mark.screenshot, target: mark }]),
      ...(screenshot === null ? [] : [{ step, screenshot, target: null }]),
    ];
  });
}

function findStart(scenes: readonly Scene[], stepKey: number | null): number {
  return Math.max(
    0,
    scenes.findIndex(({ step, target }) => step.key === stepKey && target === null),
  );
}

function toggleUnlessOnButton(event: KeyboardEvent, toggle: () => void): void {
  if (event.target instanceof HTMLButtonElement) return;
  event.preventDefault();
  toggle();
}

/** Pictures that follow are there when they are shown. */
function usePreloaded(executionId: string, next: Scene | undefined): void {
  useEffect(() => {
    if (next !== undefined) new Image().src = artifactUrl(executionId, next.screenshot);
  }, [executionId, next]);
}
