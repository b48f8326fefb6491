import { type ChartSeries, drawChart } from "../harness/chart.ts";

/** A level of the benchmark, as far as it is drawn. */
interface Level {
  running: number;
  perSecond: { event: number };
  offeredEvents: number;
  eventP50Ms: number;
  eventP99Ms: number;
  cores: { postgres: number; workers: number; clients: number };
}

interface Line {
  panel: string;
  name: string;
  isDashed?: boolean;
  read(level: Level): number;
}

const EVENTS = "events per second";
const TIMES = "time to store an event, ms";
const CORES = "cores in use";
const LINES: readonly Line[] = [
  { panel: EVENTS, name: "events", read: ({ perSecond }) => perSecond.event },
  { panel: EVENTS, name: "events, offered", isDashed: true, read: ({ offeredEvents }) => offeredEvents },
  { panel: TIMES, name: "p99", read: ({ eventP99Ms }) => eventP99Ms },
  { panel: TIMES, name: "p50", read: ({ eventP50Ms }) => eventP50Ms },
  { panel: CORES, name: "PostgreSQL", read: ({ cores }) => cores.postgres },
  { panel: CORES, name: "workers", read: ({ cores }) => cores.workers },
  { panel: CORES, name: "clients", read: ({ cores }) => cores.clients },
];

/** Draws what happens with more concurrent runs, and an earlier measurement beside it. */
export function drawCurves(levels: readonly Level[], earlier: readonly Level[] | null): string {
  const toSeries = (own: readonly Level[], suffix: string) => (line: Line) => ({
    panel: line.panel,
    name: `${line.name}${suffix}`,
    isDashed: line.isDashed === true || suffix !== "",
    points: own.map((level) => ({ x: level.running, y: line.read(level) })),
  });
  const series: ChartSeries[] = [
    ...LINES.map(toSeries(levels, "")),
    ...(earlier === null ? [] : LINES.filter(({ isDashed }) => isDashed !== true).map(toSeries(earlier, ", before"))),
  ];
  const labelX = (runs: number) => `${Math.round(runs).toLocaleString("en")} runs`;
  return drawChart(series, { title: "Concurrent runs on one PostgreSQL", labelX, isMarked: true });
}
