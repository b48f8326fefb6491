import type { Losses, Outcome } from "./_load-check.ts";
import type { Drained } from "./_load-drain.ts";
import type { RequestFigures } from "./_load-requests.ts";
import type { Sample, Samples } from "./_load-samples.ts";
import { formatMachine, formatTable, type Machine } from "./_report.ts";

export interface CurvePoint {
  workers: number;
  together: number;
  perSecond: number;
  barePerSecond: number;
}

export interface LoadResult {
  machine: Machine;
  apis: number;
  workers: number;
  concurrency: number;
  requests: RequestFigures[];
  drained: Drained;
  outcomes: Outcome[];
  losses: Losses;
  curve: CurvePoint[];
  memory: MemoryOfProcess[];
}

export interface MemoryOfProcess {
  name: string;
  secondQuarterMb: number;
  lastQuarterMb: number;
  highestMb: number;
}

/** How much a process held in the second quarter of the run, when everything is warm, and in the last. */
export function summarizeMemory(samples: Samples): MemoryOfProcess[] {
  return [...samples].map(([name, all]) => {
    const quarter = all.length / 4;
    const held = (part: Sample[]) => median(part.flatMap(({ ownMb }) => ownMb ?? []));
    return {
      name,
      secondQuarterMb: held(all.slice(Math.floor(quarter), Math.floor(2 * quarter))),
      lastQuarterMb: held(all.slice(Math.floor(3 * quarter))),
      highestMb: Math.max(...all.map(({ ownMb }) => ownMb ?? 0)),
    };
  });
}

export function formatLoad(result: LoadResult): string {
  const { machine, apis, workers, concurrency, curve } = result;
  return [
    `${formatMachine(machine)}. ${apis} api and ${workers} worker processes, ${concurrency} executions at a time in each.`,
    formatRequests(result.requests),
    formatDrained(result),
    ...(curve.length === 0 ? [] : [formatCurve(curve)]),
    formatMemory(result.memory),
    "",
  ].join("\n\n");
}

function formatRequests(requests: RequestFigures[]): string {
  return formatTable(
    ["while executions run", "per second", "p50 ms", "p99 ms", "calls"],
    requests.map(({ name, perSecond, p50Ms, p99Ms, calls }) => [
      name,
      perSecond.toFixed(0),
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      String(calls),
    ]),
  );
}

function formatDrained({ drained, outcomes, losses }: LoadResult): string {
  const lost = Object.values(losses).reduce<number>((sum, count) => sum + count, 0);
  return formatTable(
    ["drained", "executions", "seconds", "a second"],
    [
      ["all", String(drained.executions), drained.seconds.toFixed(0), drained.perSecond.toFixed(2)],
      ...outcomes.map(({ status, count, reason }) => [
        `ended as ${status}${status === "verified" ? "" : ` (${reason})`}`,
        String(count),
        "",
        "",
      ]),
      ["lost, twice, or not settled", String(lost), "", ""],
    ],
  );
}

function formatCurve(curve: CurvePoint[]): string {
  const [one] = curve;
  return formatTable(
    ["workers", "at a time", "executions a second", "ratio to the first", "bare script a second", "ratio to it"],
    curve.map(({ workers, together, perSecond, barePerSecond }) => [
      String(workers),
      String(together),
      perSecond.toFixed(2),
      (perSecond / (one?.perSecond ?? Number.NaN)).toFixed(2),
      barePerSecond.toFixed(2),
      (perSecond / barePerSecond).toFixed(2),
    ]),
  );
}

function formatMemory(memory: MemoryOfProcess[]): string {
  return formatTable(
    ["memory of its own", "second quarter MB", "last quarter MB", "ratio", "highest MB"],
    memory.map(({ name, secondQuarterMb, lastQuarterMb, highestMb }) => [
      name,
      secondQuarterMb.toFixed(0),
      lastQuarterMb.toFixed(0),
      (lastQuarterMb / secondQuarterMb).toFixed(2),
      highestMb.toFixed(0),
    ]),
  );
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
