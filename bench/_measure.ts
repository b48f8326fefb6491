import { readFile } from "node:fs/promises";
import type { Generator } from "./_child.ts";
import type { JobResult } from "./_job.ts";
import type { Comparison, Scenario, Variant } from "./_scenarios.ts";

export interface Measurement {
  name: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of the process that answers, for one call; null where the system does not tell. */
  cpuMicroseconds: number | null;
  calls: number;
}

export interface ComparisonResult {
  name: string;
  by: Comparison["by"];
  /** The median of what the rounds say, and the extremes. */
  ratio: number;
  lowest: number;
  highest: number;
  aim: Comparison["aim"];
  met: boolean | null;
}

export interface ScenarioResult {
  measurements: Measurement[];
  comparisons: ComparisonResult[];
}

interface MeasureOptions {
  generator: Generator;
  concurrency: number;
  seconds: number;
  rounds: number;
  signal: AbortSignal;
  onProgress(text: string): void;
}

interface Sample extends JobResult {
  perSecond: number;
  serverCpuSeconds: number | null;
}

const MAX_CALLS = 200_000;

/**
 * Short rounds in which the variants take turns: what else the machine does in a round hits them alike, so the ratio
 * within a round says more than the figures. The first round only warms up.
 */
export async function measureScenario(scenario: Scenario, options: MeasureOptions): Promise<ScenarioResult> {
  const samples = new Map<string, Sample[]>(scenario.variants.map(({ name }) => [name, []]));
  for (let round = 0; round <= options.rounds; round++) {
    options.onProgress(`${scenario.name}: ${round === 0 ? "warming up" : `round ${round} of ${options.rounds}`}`);
    for (const variant of inTurn(scenario.variants, round)) {
      options.signal.throwIfAborted();
      const sample = await takeSample(variant, options);
      if (round > 0) samples.get(variant.name)?.push(sample);
    }
  }
  const samplesOf = (name: string) => samples.get(name) ?? [];
  return {
    measurements: scenario.variants.map(({ name }) => summarize(name, samplesOf(name))),
    comparisons: scenario.comparisons.map((one) => compare(one, samplesOf(one.of), samplesOf(one.to))),
  };
}

/** Every other round backwards, so that none always follows the same neighbour. */
function inTurn(variants: Variant[], round: number): Variant[] {
  return round % 2 === 0 ? variants : variants.toReversed();
}

async function takeSample(
  { name, work, unique, pid }: Variant,
  { generator, concurrency, seconds }: MeasureOptions,
): Promise<Sample> {
  const before = pid === null ? null : await readCpuSeconds(pid);
  let result: JobResult;
  try {
    result = await generator.run({ work, unique, concurrency, seconds, maxCalls: MAX_CALLS });
  } catch (error) {
    throw new Error(`"${name}" could not be measured: ${(error as Error).message}`, { cause: error });
  }
  const after = pid === null ? null : await readCpuSeconds(pid);
  return {
    ...result,
    perSecond: result.latenciesMs.length / result.seconds,
    serverCpuSeconds: pid === null ? result.cpuSeconds : before === null || after === null ? null : after - before,
  };
}

/** User and system time of a process so far. Linux only. */
async function readCpuSeconds(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  // The name in parentheses may hold spaces; the 14th and 15th field are the 12th and 13th after it, in 1/100 s.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return user === undefined || system === undefined ? null : (user + system) / 100;
}

function summarize(name: string, samples: Sample[]): Measurement {
  const latencies = Float64Array.from(samples.flatMap(({ latenciesMs }) => [...latenciesMs])).sort();
  const cpu = samples.map(({ serverCpuSeconds }) => serverCpuSeconds);
  const cpuSeconds = cpu.includes(null) ? null : cpu.reduce<number>((sum, seconds) => sum + (seconds ?? 0), 0);
  return {
    name,
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    cpuMicroseconds: cpuSeconds === null ? null : (cpuSeconds / latencies.length) * 1_000_000,
    calls: latencies.length,
  };
}

function compare({ name, by, aim }: Comparison, of: Sample[], to: Sample[]): ComparisonResult {
  const ratios = of.map(({ perSecond }, round) => {
    const rate = perSecond / (to[round]?.perSecond ?? Number.NaN);
    return by === "rate" ? rate : 1 / rate;
  });
  const ratio = median(ratios);
  const met = aim === null ? null : "atLeast" in aim ? ratio >= aim.atLeast : ratio <= aim.atMost;
  return { name, by, ratio, lowest: Math.min(...ratios), highest: Math.max(...ratios), aim, met };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}
