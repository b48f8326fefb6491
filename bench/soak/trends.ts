import type { Samples } from "../load/samples.ts";

/** One value over time. */
interface Series {
  panel: "memory, MB" | "open files" | "browsers" | "database connections";
  name: string;
  /** Drawn as a dashed line. */
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
        return found === null ? [] : [{ minutes: one.seconds / 60, value: found }];
      });
      if (points.length > 0) series.push({ panel, name: label, isDashed, points });
    };
    pick("memory, MB", name, false, ({ privateMb }) => privateMb);
    pick("memory, MB", `${name}, heap`, true, ({ heapMb }) => heapMb);
    pick("open files", name, false, ({ files }) => files);
    if (name.startsWith("worker")) pick("browsers", name, false, ({ browsers }) => browsers);
  }
  const points = connections.map(({ seconds, count }) => ({ minutes: seconds / 60, value: count }));
  return [...series, { panel: "database connections", name: "all processes", isDashed: false, points }];
}

export function findTrend({ name, panel, points }: Series): Trend {
  const isMemory = panel === "memory, MB";
  const judged = isMemory ? keepLowestPerMinute(points) : points;
  const warm = judged.slice(Math.floor(judged.length * WARM_UP_SHARE));
  const mean = average(warm.map(({ value }) => value));
  const perMinute = slope(warm);
  const minutes = (warm.at(-1)?.minutes ?? 0) - (warm[0]?.minutes ?? 0);
  const allowed = isMemory ? mean * MAX_GROWTH_SHARE : Math.max(MAX_GROWTH_COUNT, mean * MAX_GROWTH_SHARE);
  return {
    name,
    panel,
    mean,
    perHour: perMinute * 60,
    highest: Math.max(...points.map(({ value }) => value)),
    isFlat: perMinute * minutes <= allowed,
  };
}

/** Keeps the lowest value of each minute, which leaves out uncollected garbage. */
function keepLowestPerMinute(points: Series["points"]): Series["points"] {
  const byMinute = Object.values(Object.groupBy(points, ({ minutes }) => Math.floor(minutes)));
  return byMinute.flatMap((minute) => minute?.toSorted((one, other) => one.value - other.value).slice(0, 1) ?? []);
}

/** Growth per minute, by least squares. */
function slope(points: Series["points"]): number {
  const meanMinutes = average(points.map(({ minutes }) => minutes));
  const meanValue = average(points.map(({ value }) => value));
  let covariance = 0;
  let variance = 0;
  for (const { minutes, value } of points) {
    covariance += (minutes - meanMinutes) * (value - meanValue);
    variance += (minutes - meanMinutes) ** 2;
  }
  return variance === 0 ? 0 : covariance / variance;
}

function average(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

const WIDTH = 880;
const PANEL_HEIGHT = 150;
const GAP = 46;
const LEFT = 64;
const RIGHT = 190;
const TOP = 28;
const MAX_POINTS = 400;
const COLORS = 6;

const STYLE = `
  svg { color-scheme: light dark; --ink: #1f2328; --faint: #6e7781; --line: #d0d7de; --c0: #0969da; --c1: #bc4c00; --c2: #1a7f37;
    --c3: #8250df; --c4: #bf3989; --c5: #9a6700; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --c0: #4493f8; --c1: #f0883e; --c2: #3fb950; --c3: #ab7df8;
      --c4: #db61a2; --c5: #d29922; }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--ink); }
  .faint { fill: var(--faint); }
  .axis { stroke: var(--line); stroke-width: 1; }
  .series { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
  .dashed { stroke-dasharray: 4 3; }
${Array.from({ length: COLORS }, (_, number) => `  .c${number} { stroke: var(--c${number}); } text.c${number} { fill: var(--c${number}); stroke: none; }`).join("\n")}
`;

/** Draws an SVG chart with one panel below the other, for light and dark pages. */
export function drawChart(series: Series[], title: string): string {
  const panels = [...new Set(series.map(({ panel }) => panel))];
  const maxMinutes = Math.max(0.1, ...series.flatMap(({ points }) => points.map(({ minutes }) => minutes)));
  const names = [...new Set(series.map(({ name }) => processOf(name)))];
  const height = TOP + panels.length * (PANEL_HEIGHT + GAP);
  const drawn = panels.map((panel, number) => {
    const own = series.filter((one) => one.panel === panel);
    return drawPanel(panel, own, { top: TOP + number * (PANEL_HEIGHT + GAP), maxMinutes, names });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${title}</title>`,
    `<style>${STYLE}</style>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

interface Frame {
  top: number;
  maxMinutes: number;
  names: string[];
}

function drawPanel(panel: string, series: Series[], { top, maxMinutes, names }: Frame): string {
  const highest = roundUp(Math.max(1, ...series.flatMap(({ points }) => points.map(({ value }) => value))));
  const bottom = top + PANEL_HEIGHT;
  const right = WIDTH - RIGHT;
  const x = (minutes: number) => LEFT + (minutes / maxMinutes) * (right - LEFT);
  const y = (value: number) => bottom - (value / highest) * PANEL_HEIGHT;
  const lines = [`<text x="${LEFT}" y="${top - 8}">${panel}</text>`];
  for (const part of [0, 0.5, 1]) {
    const at = y(highest * part).toFixed(1);
    lines.push(`<line class="axis" x1="${LEFT}" x2="${right}" y1="${at}" y2="${at}"/>`);
    lines.push(`<text class="faint" x="${LEFT - 8}" y="${Number(at) + 4}" text-anchor="end">${highest * part}</text>`);
    const minutes = maxMinutes * part;
    lines.push(
      `<text class="faint" x="${x(minutes).toFixed(1)}" y="${bottom + 16}" text-anchor="middle">${minutes.toFixed(maxMinutes < 5 ? 1 : 0)} min</text>`,
    );
  }
  for (const [number, { name, isDashed, points }] of series.entries()) {
    const color = `c${names.indexOf(processOf(name)) % COLORS}`;
    const path = thin(points).map(({ minutes, value }) => `${x(minutes).toFixed(1)},${y(value).toFixed(1)}`);
    lines.push(`<polyline class="series ${color}${isDashed ? " dashed" : ""}" points="${path.join(" ")}"/>`);
    lines.push(
      `<text class="${color}" x="${right + 12}" y="${top + 12 + number * 15}">${name}${isDashed ? " (dashed)" : ""}</text>`,
    );
  }
  return lines.join("\n");
}

function processOf(name: string): string {
  return name.split(",")[0] ?? name;
}

function thin(points: Series["points"]): Series["points"] {
  const step = Math.ceil(points.length / MAX_POINTS);
  return points.filter((_, index) => index % step === 0);
}

/** Rounds up to a number that is easily halved. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 3, 4, 6, 8, 10].find((factor) => factor * unit >= value) ?? 10;
  return step * unit;
}
