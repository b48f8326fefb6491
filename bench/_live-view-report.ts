import { formatTable } from "./_report.ts";

export interface LiveViewResult {
  presses: number;
  live: Times;
  local: Times;
  streams: Stream[];
  /** Of the sign-in's browser with all its processes; null where the system does not tell. */
  memoryMegabytes: number | null;
}

export interface Times {
  p50Ms: number;
  p95Ms: number;
}

/** What the service sends while something goes on. */
export interface Stream {
  name: string;
  framesPerSecond: number;
  kilobytesPerSecond: number;
}

const AIM_P50_MS = 100;

export function toTimes(samplesMs: number[]): Times {
  const sorted = samplesMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}

export function formatResult({ presses, live, local, streams, memoryMegabytes }: LiveViewResult): string {
  const row = (name: string, { p50Ms, p95Ms }: Times) => [name, p50Ms.toFixed(1), p95Ms.toFixed(1), String(presses)];
  const times = formatTable(
    ["from key to changed pixels, 1280×800", "p50 ms", "p95 ms", "presses"],
    [row("live page", live), row("the same page by itself", local)],
  );
  const ratios = formatTable(
    ["compared", "p50", "p95", "aim", "met"],
    [
      [
        "live / by itself",
        (live.p50Ms / local.p50Ms).toFixed(1),
        (live.p95Ms / local.p95Ms).toFixed(1),
        `p50 ≤ ${AIM_P50_MS} ms`,
        live.p50Ms <= AIM_P50_MS ? "yes" : "NO",
      ],
    ],
  );
  const streamed = formatTable(
    ["pictures", "per second", "kB per second"],
    streams.map(({ name, framesPerSecond, kilobytesPerSecond }) => [
      name,
      framesPerSecond.toFixed(1),
      kilobytesPerSecond.toFixed(0),
    ]),
  );
  const memory = memoryMegabytes === null ? "-" : `${memoryMegabytes.toFixed(0)} MB`;
  return `${times}\n\n${ratios}\n\n${streamed}\n\nMemory of the sign-in's browser (PSS): ${memory}\n`;
}
