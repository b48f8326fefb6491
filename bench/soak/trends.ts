import type { ChartSeries } from "../harness/chart.ts";
import type { Samples } from "../load/samples.ts";

/** One value over minutes. */
interface Series extends ChartSeries {
  panel: "memory, MB" | "open files" | "browsers" | "database connections";
}

export interface Trend {
  name: string;
  panel: Series["panel"];
  mean: number;
  perHour: number;
  highest: number;
  isFlat: boolean;
}

/** The share of the run that counts as warm-up. */
const WARM_UP_SHARE = 0.25;
/** Allowed growth over the rest of the run: a share of the mean, or for counts at least this number. */
const MAX_GROWTH_SHARE = 0.1;
const MAX_GROWTH_COUNT = 3;

export function toSeries(samples: Samples, connections: { seconds: number; count: number }[]): Series[] {
  const series: Series[] = [];
  for (const [name, all] of samples) {
    const pick = (
      panel: Series["panel"],
      label: string,
      isDashed: boolean,
      value: (one: (typeof all)[number]) => number | null,
    ) => {
      const points = all.flatMap((one) => {
        const found = value(one);
        return found === null ? [] : [{ x: one.seconds / 60, y: found }];
      });
      if (points.length > 0) series.push({ panel, name: label, isDashed, points });
    };
    pick("memory, MB", name, false, ({ privateMb }) => privateMb);
    pick("memory, MB", `${name}, heap`, true, ({ heapMb }) => heapMb);
    pick("open files", name, false, ({ files }) => files);
    if (name.startsWith("worker")) pick("browsers", name, false, ({ browsers }) => browsers);
  }
  const points = connections.map(({ seconds, count }) => ({ x: seconds / 60, y: count }));
  return [...series, { panel: "database connections", name: "all processes", isDashed: false, points }];
}

export function findTrend({ name, panel, points }: Series): Trend {
  const isMemory = panel === "memory, MB";
  const judged = isMemory ? keepLowest(points) : points;
  const warm = judged.slice(Math.floor(judged.length * WARM_UP_SHARE));
  const mean = average(warm.map(({ y }) => y));
  const perMinute = slope(warm);
  const minutes = (warm.at(-1)?.x ?? 0) - (warm[0]?.x ?? 0);
  const allowed = isMemory ? mean * MAX_GROWTH_SHARE : Math.max(MAX_GROWTH_COUNT, mean * MAX_GROWTH_SHARE);
  return {
    name,
    panel,
    mean,
    perHour: perMinute * 60,
    highest: Math.max(...points.map(({ y }) => y)),
    isFlat: perMinute * minutes <= allowed,
  };
}

/** A heap is collected as a whole every minute or two. */
const MINUTES_TOGETHER = 3;

/** Keeps the lowest value of every few minutes, which leaves out uncollected garbage. */
function keepLowest(points: Series["points"]): Series["points"] {
  const together = Object.values(Object.groupBy(points, ({ x }) => Math.floor(x / MINUTES_TOGETHER)));
  return together.flatMap((some) => some?.toSorted((one, other) => one.y - other.y).slice(0, 1) ?? []);
}

/** Growth per minute, by least squares. */
function slope(points: Series["points"]): number {
  const meanMinutes = average(points.map(({ x }) => x));
  const meanValue = average(points.map(({ y }) => y));
  let covariance = 0;
  let variance = 0;
  for (const { x, y } of points) {
    covariance += (x - meanMinutes) * (y - meanValue);
    variance += (x - meanMinutes) ** 2;
  }
  return variance === 0 ? 0 : covariance / variance;
}

function average(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
