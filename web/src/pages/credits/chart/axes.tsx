import { formatDay } from "./describe-day.ts";
import type { Plot } from "./plot.ts";

const LABEL_WIDTH = 64;

/** For the eye: each bar says its own figures. */
export function ValueLines({ plot: { ticks, left, right, yOf } }: { plot: Plot }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: lines and labels take no focus
    <g aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={right} y1={yOf(tick)} y2={yOf(tick)} className="chart-line" />
          <text x={left - 8} y={yOf(tick) + 4} textAnchor="end" className="chart-label">
            {tick.toLocaleString("en", { notation: "compact" })}
          </text>
        </g>
      ))}
    </g>
  );
}

/** As many as have room, counted from the newest. */
export function DayLabels({ plot: { step, height, right, centreOf }, days }: { plot: Plot; days: string[] }) {
  const every = Math.max(1, Math.ceil(LABEL_WIDTH / Math.max(1, step)));
  const last = days.length - 1;
  const shown = days.map((day, index) => ({ day, index })).filter(({ index }) => (last - index) % every === 0);
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: lines and labels take no focus
    <g aria-hidden="true">
      {shown.map(({ day, index }) => {
        const isTight = index === last && step < LABEL_WIDTH;
        return (
          <text
            key={day}
            x={isTight ? right : centreOf(index)}
            y={height - 6}
            textAnchor={isTight ? "end" : "middle"}
            className="chart-label"
          >
            {formatDay(day)}
          </text>
        );
      })}
    </g>
  );
}
