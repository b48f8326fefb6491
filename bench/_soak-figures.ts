import type { Samples } from "./_load-samples.ts";

/** One thing that is watched over time. */
export interface Series {
  panel: "memory, MB" | "open files" | "browsers" | "database connections";
  name: string;
  /** Drawn as a broken line. */
  isDashed: boolean;
  points: { minutes: number; value: number }[];
}

export interface Trend {
  name: string;
  panel: Series["panel"];
  mean: number;
  perHour: number;
  highest: number;
  isFlat: boolean;
}

/** Everything is warm after this part of the run. */
const WARM_UP_PART = 0.25;
/** Over the rest of the run: this part of the mean, or this much of what is counted. */
const MAX_GROWTH_PART = 0.1;
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
        return found === null ? [] : [{ minutes: one.seconds / 60, value: found }];
      });
      if (points.length > 0) series.push({ panel, name: label, isDashed, points });
    };
    pick("memory, MB", name, false, ({ ownMb }) => ownMb);
    pick("memory, MB", `${name}, heap`, true, ({ heapMb }) => heapMb);
    pick("open files", name, false, ({ files }) => files);
    if (name.startsWith("worker")) pick("browsers", name, false, ({ browsers }) => browsers);
  }
  const points = connections.map(({ seconds, count }) => ({ minutes: seconds / 60, value: count }));
  return [...series, { panel: "database connections", name: "all processes", isDashed: false, points }];
}

export function findTrend({ name, panel, points }: Series): Trend {
  const isMemory = panel === "memory, MB";
  const judged = isMemory ? takeLowest(points) : points;
  const warm = judged.slice(Math.floor(judged.length * WARM_UP_PART));
  const mean = average(warm.map(({ value }) => value));
  const perMinute = slope(warm);
  const minutes = (warm.at(-1)?.minutes ?? 0) - (warm[0]?.minutes ?? 0);
  const allowed = isMemory ? mean * MAX_GROWTH_PART : Math.max(MAX_GROWTH_COUNT, mean * MAX_GROWTH_PART);
  return {
    name,
    panel,
    mean,
    perHour: perMinute * 60,
    highest: Math.max(...points.map(({ value }) => value)),
    isFlat: perMinute * minutes <= allowed,
  };
}

/** Of each minute: what waits to be collected as garbage is not held. */
function takeLowest(points: Series["points"]): Series["points"] {
  const byMinute = Object.values(Object.groupBy(points, ({ minutes }) => Math.floor(minutes)));
  return byMinute.flatMap((minute) => minute?.toSorted((one, other) => one.value - other.value).slice(0, 1) ?? []);
}

/** Least squares: by how much the value grows in a minute. */
function slope(points: Series["points"]): number {
  const meanMinutes = average(points.map(({ minutes }) => minutes));
  const meanValue = average(points.map(({ value }) => value));
  let above = 0;
  let below = 0;
  for (const { minutes, value } of points) {
    above += (minutes - meanMinutes) * (value - meanValue);
    below += (minutes - meanMinutes) ** 2;
  }
  return below === 0 ? 0 : above / below;
}

function average(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
