import { ActionIcon, Button, Group, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type PointerEvent, type SyntheticEvent, useEffect, useRef, useState } from "react";
import { Icon } from "../../components/icons.tsx";
import { Scrollable } from "../../components/page.tsx";

export interface PictureBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

const ZOOM_LEVELS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4];

interface ZoomableScreenshotProps {
  src: string;
  alt: string;
  /** The area to mark, in image pixels. */
  box: PictureBox | null;
  /** Where something was found, or what was acted on. */
  kind?: "place" | "target";
}

interface Size {
  width: number;
  height: number;
}

/** A screenshot that fits its frame, or is zoomed and moved by mouse, touch or keyboard. */
export function ZoomableScreenshot({ src, alt, box, kind = "place" }: ZoomableScreenshotProps) {
  const [natural, setNatural] = useState<Size | null>(null);
  const [isMissing, setIsMissing] = useState(false);
  const [zoom, setZoom] = useState<number | null>(null);
  const { ref: frame, width, height } = useElementSize<HTMLElement>();
  const mark = useRef<HTMLDivElement>(null);
  const fit = natural === null || width === 0 ? 1 : Math.min(width / natural.width, height / natural.height, 1);
  const scale = zoom ?? fit;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the mark moves when the scale changes
  useEffect(() => {
    // In braces: some browsers return a promise, which must not become the effect's cleanup.
    mark.current?.scrollIntoView({ block: "center", inline: "center" });
  }, [scale, natural, box]);
  if (isMissing) return <Text c="dimmed">The screenshot can't be loaded. It may have been deleted.</Text>;

  const load = ({ currentTarget: { naturalWidth, naturalHeight } }: SyntheticEvent<HTMLImageElement>) =>
    setNatural({ width: naturalWidth, height: naturalHeight });
  return (
    <div className="zoomable">
      <Group gap={6} className="zoomable-tools">
        <ActionIcon
          variant="default"
          aria-label="Zoom out"
          onClick={() => setZoom(ZOOM_LEVELS.findLast((level) => level < scale - 0.01) ?? ZOOM_LEVELS[0] ?? 1)}
        >
          <Icon name="minus" size={14} />
        </ActionIcon>
        <Text size="sm" w={44} ta="center" className="tabular" aria-live="polite">
          {Math.round(scale * 100)}%
        </Text>
        <ActionIcon
          variant="default"
          aria-label="Zoom in"
          onClick={() => setZoom(ZOOM_LEVELS.find((level) => level > scale + 0.01) ?? ZOOM_LEVELS.at(-1) ?? 1)}
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
        label="Screenshot"
        className="zoomable-frame"
        data-fit={zoom === null || undefined}
        ref={frame}
        {...dragToScroll}
      >
        <div className="zoomable-image" style={sizeAt(natural, scale)}>
          <img src={src} alt={alt} onLoad={load} onError={() => setIsMissing(true)} draggable={false} />
          {natural !== null && box !== null && isInside(box, natural) && (
            <div ref={mark} className={`${kind}-mark`} style={placeIn(box, natural)} data-testid={kind} />
          )}
        </div>
      </Scrollable>
      {kind === "place" && natural !== null && box !== null && !isInside(box, natural) && (
        <Text size="sm" c="dimmed">
          The value was found further down the page than this screenshot shows.
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
