import type { Series } from "./_soak-figures.ts";

const WIDTH = 880;
const PANEL_HEIGHT = 150;
const GAP = 46;
const LEFT = 64;
const RIGHT = 190;
const TOP = 28;
const MAX_POINTS = 400;
const COLOURS = 6;

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
${Array.from({ length: COLOURS }, (_, number) => `  .c${number} { stroke: var(--c${number}); } text.c${number} { fill: var(--c${number}); stroke: none; }`).join("\n")}
`;

/** A picture of what was watched, one panel below the other, for light and dark pages. */
export function plot(series: Series[], title: string): string {
  const panels = [...new Set(series.map(({ panel }) => panel))];
  const maxMinutes = Math.max(0.1, ...series.flatMap(({ points }) => points.map(({ minutes }) => minutes)));
  const names = [...new Set(series.map(({ name }) => nameOfProcess(name)))];
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
    const colour = `c${names.indexOf(nameOfProcess(name)) % COLOURS}`;
    const path = thin(points).map(({ minutes, value }) => `${x(minutes).toFixed(1)},${y(value).toFixed(1)}`);
    lines.push(`<polyline class="series ${colour}${isDashed ? " dashed" : ""}" points="${path.join(" ")}"/>`);
    lines.push(
      `<text class="${colour}" x="${right + 12}" y="${top + 12 + number * 15}">${name}${isDashed ? " (dashed)" : ""}</text>`,
    );
  }
  return lines.join("\n");
}

function nameOfProcess(name: string): string {
  return name.split(",")[0] ?? name;
}

function thin(points: Series["points"]): Series["points"] {
  const step = Math.ceil(points.length / MAX_POINTS);
  return points.filter((_, index) => index % step === 0);
}

/** To a number that is easily halved. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 3, 4, 6, 8, 10].find((factor) => factor * unit >= value) ?? 10;
  return step * unit;
}
