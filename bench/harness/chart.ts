/** One value that changes with what the x axis shows. */
export interface ChartSeries {
  panel: string;
  /** Series of the same process have the same color: the part of the name before a comma. */
  name: string;
  /** Drawn as a dashed line. */
  isDashed: boolean;
  points: { x: number; y: number }[];
}

interface ChartOptions {
  title: string;
  /** How a value on the x axis is written. */
  labelX(x: number, max: number): string;
  /** Few points are marked. */
  isMarked?: boolean;
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
${Array.from({ length: COLORS }, (_, number) => `  .c${number} { stroke: var(--c${number}); } text.c${number}, circle.c${number} { fill: var(--c${number}); stroke: none; }`).join("\n")}
`;

/** Draws an SVG chart with one panel below the other, for light and dark pages. */
export function drawChart(series: ChartSeries[], options: ChartOptions): string {
  const panels = [...new Set(series.map(({ panel }) => panel))];
  const maxX = Math.max(0.1, ...series.flatMap(({ points }) => points.map(({ x }) => x)));
  const names = [...new Set(series.map(({ name }) => processOf(name)))];
  const height = TOP + panels.length * (PANEL_HEIGHT + GAP);
  const drawn = panels.map((panel, number) => {
    const own = series.filter((one) => one.panel === panel);
    return drawPanel(panel, own, { ...options, top: TOP + number * (PANEL_HEIGHT + GAP), maxX, names });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${options.title}</title>`,
    `<style>${STYLE}</style>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

interface Frame extends ChartOptions {
  top: number;
  maxX: number;
  names: string[];
}

function drawPanel(panel: string, series: ChartSeries[], frame: Frame): string {
  const { top, maxX, names, labelX, isMarked = false } = frame;
  const highest = roundUp(Math.max(1, ...series.flatMap(({ points }) => points.map(({ y }) => y))));
  const bottom = top + PANEL_HEIGHT;
  const right = WIDTH - RIGHT;
  const toX = (x: number) => (LEFT + (x / maxX) * (right - LEFT)).toFixed(1);
  const toY = (y: number) => (bottom - (y / highest) * PANEL_HEIGHT).toFixed(1);
  const lines = [`<text x="${LEFT}" y="${top - 8}">${panel}</text>`];
  for (const part of [0, 0.5, 1]) {
    const at = toY(highest * part);
    const label = (highest * part).toLocaleString("en");
    lines.push(`<line class="axis" x1="${LEFT}" x2="${right}" y1="${at}" y2="${at}"/>`);
    lines.push(`<text class="faint" x="${LEFT - 8}" y="${Number(at) + 4}" text-anchor="end">${label}</text>`);
    lines.push(
      `<text class="faint" x="${toX(maxX * part)}" y="${bottom + 16}" text-anchor="middle">${labelX(maxX * part, maxX)}</text>`,
    );
  }
  for (const [number, { name, isDashed, points }] of series.entries()) {
    const color = `c${names.indexOf(processOf(name)) % COLORS}`;
    const path = thin(points).map(({ x, y }) => `${toX(x)},${toY(y)}`);
    lines.push(`<polyline class="series ${color}${isDashed ? " dashed" : ""}" points="${path.join(" ")}"/>`);
    if (isMarked)
      lines.push(...points.map(({ x, y }) => `<circle class="${color}" cx="${toX(x)}" cy="${toY(y)}" r="3"/>`));
    lines.push(
      `<text class="${color}" x="${right + 12}" y="${top + 12 + number * 15}">${name}${isDashed ? " (dashed)" : ""}</text>`,
    );
  }
  return lines.join("\n");
}

function processOf(name: string): string {
  return name.split(",")[0] ?? name;
}

function thin(points: ChartSeries["points"]): ChartSeries["points"] {
  const step = Math.ceil(points.length / MAX_POINTS);
  return points.filter((_, index) => index % step === 0);
}

/** Rounds up to a number that is easily halved. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 3, 4, 6, 8, 10].find((factor) => factor * unit >= value) ?? 10;
  return step * unit;
}
