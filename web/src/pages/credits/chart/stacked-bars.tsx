import { Box } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, useRef, useState } from "react";
import { DayLabels, ValueLines } from "./axes.tsx";
import { Bar } from "./bar.tsx";
import { BarTip } from "./bar-tip.tsx";
import { describeDay, formatDay } from "./describe-day.ts";
import { createPlot } from "./plot.ts";
import type { Series } from "./series.ts";

interface StackedBarsProps {
  /** "2026-03-11", oldest first. */
  days: string[];
  series: Series[];
  /** What is counted, for whoever hears it. */
  unit: string;
}

/** A bar for each day, one part for each application. One stop for the tab key; arrows go from day to day. */
export function StackedBars({ days, series, unit }: StackedBarsProps) {
  const { ref, width } = useElementSize();
  const [looked, setLooked] = useState<number | null>(null);
  const [stop, setStop] = useState(days.length - 1);
  const bars = useRef<(SVGGElement | null)[]>([]);
  const plot = createPlot(width, days.length, series);
  const reachable = Math.min(stop, days.length - 1);

  function move(event: KeyboardEvent) {
    const next = findNext(event.key, reachable, days.length);
    if (next === null) return;
    event.preventDefault();
    setStop(next);
    bars.current[next]?.focus();
  }

  return (
    <Box ref={ref} pos="relative" mih={plot.height} onMouseLeave={() => setLooked(null)}>
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a drawing has no field set
        <svg width={width} height={plot.height} role="group" aria-label={`Chart of ${unit} by day`} onKeyDown={move}>
          <ValueLines plot={plot} />
          {days.map((day, index) => (
            <Bar
              key={day}
              ref={(element) => {
                bars.current[index] = element;
              }}
              plot={plot}
              index={index}
              series={series}
              label={`${formatDay(day)}: ${describeDay(series, index, unit)}`}
              isReachable={index === reachable}
              isLookedAt={index === looked}
              onLook={(isLooking) => setLooked(isLooking ? index : null)}
            />
          ))}
          <DayLabels plot={plot} days={days} />
        </svg>
      )}
      {looked !== null && (
        <BarTip day={days[looked] ?? ""} index={looked} series={series} x={plot.centreOf(looked)} width={width} />
      )}
    </Box>
  );
}

function findNext(key: string, from: number, count: number): number | null {
  switch (key) {
    case "ArrowLeft":
      return Math.max(0, from - 1);
    case "ArrowRight":
      return Math.min(count - 1, from + 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
