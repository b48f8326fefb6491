import type { Ref } from "react";
import type { Plot } from "./plot.ts";
import type { Series } from "./series.ts";

interface BarProps {
  ref: Ref<SVGGElement>;
  plot: Plot;
  index: number;
  series: Series[];
  /** Its figures in words. */
  label: string;
  isReachable: boolean;
  isLookedAt: boolean;
  onLook: (isLooking: boolean) => void;
}

export function Bar({ ref, plot, index, series, label, isReachable, isLookedAt, onLook }: BarProps) {
  const { yOf, centreOf, step, barWidth, top, bottom } = plot;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: an arrow stops at it, so that it says its figures
    <g
      ref={ref}
      role="img"
      aria-label={label}
      tabIndex={isReachable ? 0 : -1}
      className="chart-bar"
      onMouseEnter={() => onLook(true)}
      onFocus={() => onLook(true)}
      onBlur={() => onLook(false)}
    >
      <rect
        x={centreOf(index) - step / 2}
        y={top}
        width={step}
        height={bottom - top}
        className={isLookedAt ? "chart-day looked-at" : "chart-day"}
      />
      {stack(series, index).map(({ id, color, from, to }) => (
        <rect
          key={id}
          x={centreOf(index) - barWidth / 2}
          y={yOf(to)}
          width={barWidth}
          height={yOf(from) - yOf(to)}
          fill={color}
        />
      ))}
    </g>
  );
}

/** The parts of one bar, from below. */
function stack(series: Series[], day: number): { id: string; color: string; from: number; to: number }[] {
  let height = 0;
  return series.flatMap(({ id, color, values }) => {
    const value = values[day] ?? 0;
    const from = height;
    height += value;
    return value === 0 ? [] : [{ id, color, from, to: height }];
  });
}
