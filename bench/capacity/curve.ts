/** A level of the benchmark, as far as it is drawn. */
interface Point {
  wanted: number;
  running: number;
  transactions: number;
  cores: { postgres: number };
}

interface Curve {
  name: string;
  points: Point[];
}

interface Panel {
  title: string;
  read(point: Point): number;
}

const PANELS: Panel[] = [
  { title: "runs that really run", read: ({ running }) => running },
  { title: "PostgreSQL: transactions a second", read: ({ transactions }) => transactions },
  {
    title: "PostgreSQL: ms of CPU a second for each run",
    read: ({ cores, running }) => (1_000 * cores.postgres) / running,
  },
];
const WIDTH = 640;
const HEIGHT = 110;
const GAP = 48;
const LEFT = 56;
const RIGHT = 110;
const TOP = 28;

const STYLE = `
  svg { color-scheme: light dark; --ink: #1f2328; --faint: #6e7781; --line: #d0d7de; --c0: #0969da; --c1: #bc4c00; }
  @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --c0: #4493f8; --c1: #f0883e; } }
  text { font: 12px system-ui, sans-serif; fill: var(--ink); }
  .faint { fill: var(--faint); }
  .axis { stroke: var(--line); }
  .c0, .c1 { fill: none; stroke-width: 2; stroke: var(--c0); }
  .c1 { stroke: var(--c1); stroke-dasharray: 5 3; }
  text.c0, text.c1 { fill: var(--c0); stroke: none; }
  text.c1 { fill: var(--c1); }
`;

/** Draws what happens as more runs are wanted, for light and dark pages: this run and, dashed, an earlier one. */
export function drawCurves(curves: Curve[]): string {
  const height = TOP + PANELS.length * (HEIGHT + GAP);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    "<title>Concurrent runs on one PostgreSQL</title>",
    `<style>${STYLE}</style>`,
    ...PANELS.map((panel, number) => drawPanel(panel, curves, TOP + number * (HEIGHT + GAP))),
    "</svg>",
    "",
  ].join("\n");
}

function drawPanel({ title, read }: Panel, curves: Curve[], top: number): string {
  const points = curves.flatMap((curve) => curve.points);
  const mostRuns = Math.max(...points.map(({ wanted }) => wanted));
  const highest = Math.max(...points.map(read));
  const right = WIDTH - RIGHT;
  const bottom = top + HEIGHT;
  const x = (runs: number) => LEFT + (runs / mostRuns) * (right - LEFT);
  const y = (value: number) => bottom - (value / highest) * HEIGHT;
  const lines = [`<text x="${LEFT}" y="${top - 8}">${title}</text>`];
  for (const part of [0, 0.5, 1]) {
    const at = y(highest * part);
    lines.push(`<line class="axis" x1="${LEFT}" x2="${right}" y1="${at}" y2="${at}"/>`);
    lines.push(`<text class="faint" x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${label(highest * part)}</text>`);
    lines.push(
      `<text class="faint" x="${x(mostRuns * part)}" y="${bottom + 16}" text-anchor="middle">${label(mostRuns * part)}</text>`,
    );
  }
  for (const [number, { name, points: own }] of curves.entries()) {
    const path = own.map((point) => `${x(point.wanted).toFixed(1)},${y(read(point)).toFixed(1)}`).join(" ");
    lines.push(`<polyline class="c${number}" points="${path}"/>`);
    lines.push(`<text class="c${number}" x="${right + 12}" y="${top + 12 + number * 16}">${name}</text>`);
  }
  return lines.join("\n");
}

function label(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString("en") : value.toFixed(1);
}
