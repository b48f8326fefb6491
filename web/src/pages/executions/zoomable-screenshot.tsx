import { ActionIcon, Button, Group, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type PointerEvent, type SyntheticEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../../components/icons.tsx";
import { Scrollable } from "../../components/page.tsx";
import type { PictureBox } from "./screenshot-viewer.tsx";

const STEPS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4];

interface ZoomablePictureProps {
  src: string;
  alt: string;
  /** Marked on the picture, in its own pixels. */
  box: PictureBox | null;
}

interface Size {
  width: number;
  height: number;
}

/** A picture that fits its frame, or is as large as one likes and moved with the mouse, a finger or the keyboard. */
export function ZoomablePicture({ src, alt, box }: ZoomablePictureProps) {
  const [natural, setNatural] = useState<Size | null>(null);
  const [isGone, setIsGone] = useState(false);
  const [zoom, setZoom] = useState<number | null>(null);
  const { ref: frame, width, height } = useElementSize<HTMLElement>();
  const mark = useRef<HTMLDivElement>(null);
  const fit = natural === null || width === 0 ? 1 : Math.min(width / natural.width, height / natural.height, 1);
  const scale = zoom ?? fit;
  // biome-ignore lint/correctness/useExhaustiveDependencies: at another scale the mark is elsewhere
  useEffect(() => {
    // In braces: some browsers answer a promise, which is no clean-up.
    mark.current?.scrollIntoView({ block: "center", inline: "center" });
  }, [scale, natural, box]);
  if (isGone) return <Text c="dimmed">The picture cannot be loaded. It may have been deleted.</Text>;

  const load = ({ currentTarget: { naturalWidth, naturalHeight } }: SyntheticEvent<HTMLImageElement>) =>
    setNatural({ width: naturalWidth, height: naturalHeight });
  return (
    <div className="zoomable">
      <Group gap={6} className="zoomable-tools">
        <ActionIcon
          variant="default"
          aria-label="Smaller"
          onClick={() => setZoom(STEPS.findLast((step) => step < scale - 0.01) ?? STEPS[0] ?? 1)}
        >
          <Icon name="minus" size={14} />
        </ActionIcon>
        <Text size="sm" w={44} ta="center" className="tabular" aria-live="polite">
          {Math.round(scale * 100)}%
        </Text>
        <ActionIcon
          variant="default"
          aria-label="Larger"
          onClick={() => setZoom(STEPS.find((step) => step > scale + 0.01) ?? STEPS.at(-1) ?? 1)}
        >
          <Icon name="plus" size={14} />
        </ActionIcon>
        <Button size="compact-sm" variant="default" aria-pressed={zoom === null} onClick={() => setZoom(null)}>
          Fit
        </Button>
        <Button size="compact-sm" variant="default" aria-pressed={zoom === 1} onClick={() => setZoom(1)}>
          Actual size
        </Button>
      </Group>
      <Scrollable
        label="Picture"
        className="zoomable-frame"
        data-fit={zoom === null || undefined}
        ref={frame}
        {...dragToScroll}
      >
        <div className="zoomable-picture" style={sizeAt(natural, scale)}>
          <img src={src} alt={alt} onLoad={load} onError={() => setIsGone(true)} draggable={false} />
          {natural !== null && box !== null && isInside(box, natural) && (
            <div ref={mark} className="place-mark" style={placeIn(box, natural)} data-testid="place" />
          )}
        </div>
      </Scrollable>
      {natural !== null && box !== null && !isInside(box, natural) && (
        <Text size="sm" c="dimmed">
          It stood further down the page than the picture shows.
        </Text>
      )}
    </div>
  );
}

const dragToScroll = {
  onPointerDown(event: PointerEvent<HTMLElement>) {
    if (event.pointerType === "mouse") event.currentTarget.setPointerCapture(event.pointerId);
  },
  onPointerMove(event: PointerEvent<HTMLElement>) {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) {
      event.currentTarget.scrollBy(-event.movementX, -event.movementY);
    }
  },
};

function sizeAt(natural: Size | null, scale: number) {
  return natural === null ? undefined : { width: natural.width * scale, height: natural.height * scale };
}

function isInside(box: PictureBox, { width, height }: Size): boolean {
  return box.x < width && box.y < height && box.x + box.width > 0 && box.y + box.height > 0;
}

function placeIn(box: PictureBox, { width, height }: Size) {
  const percent = (part: number, whole: number) => `${(part / whole) * 100}%`;
  return {
    left: percent(box.x, width),
    top: percent(box.y, height),
    width: percent(box.width, width),
    height: percent(box.height, height),
  };
}
