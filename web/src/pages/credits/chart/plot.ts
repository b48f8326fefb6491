import { findTicks } from "./scale.ts";
import { type Series, sum } from "./series.ts";

const HEIGHT = 240;
const EDGE = { top: 10, right: 4, bottom: 24, left: 40 };
const BAR_SHARE = 0.72;
const WIDEST_BAR = 44;

/** Where everything in a chart stands, in pixels. */
export interface Plot {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  /** Where the bars stand. */
  bottom: number;
  /** From one day to the next. */
  step: number;
  barWidth: number;
  /** The values that have a line. */
  ticks: number[];
  yOf(value: number): number;
  centreOf(day: number): number;
}

export function createPlot(width: number, days: number, series: readonly Series[]): Plot {
  const totals = Array.from({ length: days }, (_, day) => sum(series.map(({ values }) => values[day] ?? 0)));
  const ticks = findTicks(Math.max(0, ...totals));
  const highest = ticks.at(-1) ?? 1;
  const bottom = HEIGHT - EDGE.bottom;
  const right = Math.max(EDGE.left, width - EDGE.right);
  const step = (right - EDGE.left) / Math.max(1, days);
  return {
    width,
    height: HEIGHT,
    left: EDGE.left,
    right,
    top: EDGE.top,
    bottom,
    step,
    barWidth: Math.min(WIDEST_BAR, step * BAR_SHARE),
    ticks,
    yOf: (value) => bottom - ((bottom - EDGE.top) * value) / highest,
    centreOf: (day) => EDGE.left + step * (day + 0.5),
  };
}
