/** The speed of the API, as ratios to what it is built on: `npm run bench:api -- --help`. */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Comparison, createScenarios, type Scenario, type Variant } from "./api/scenarios.ts";
import { openStage, seed } from "./api/stage.ts";
import { readNumber, readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import type { JobResult } from "./harness/job.ts";
import type { Generator } from "./harness/processes.ts";
import { describeMachine, formatMachine, formatTable, type Machine, median } from "./harness/report.ts";

interface Options {
  seconds: number;
  rounds: number;
  many: number;
  only: string | null;
  json: boolean;
}

interface Result {
  machine: Machine;
  scenarios: ScenarioResult[];
}

interface ScenarioResult {
  measurements: Measurement[];
  comparisons: ComparisonResult[];
}

interface Measurement {
  name: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of the responding process for one call; null if the system does not report it. */
  cpuMicroseconds: number | null;
  calls: number;
}

interface ComparisonResult {
  name: string;
  by: Comparison["by"];
  /** Median, lowest and highest of the ratios within a round. */
  ratio: number;
  lowest: number;
  highest: number;
  target: Comparison["target"];
  met: boolean | null;
}

const CONCURRENCY = 32;
const MAX_CALLS = 200_000;
const HELP = `Measures the API with ${CONCURRENCY} connections, compared with a bare Fastify route and with its own SQL statements.

  npm run bench:api -- [options]

  --seconds <n>   duration of each variant in a round (default 1)
  --rounds <n>    number of rounds, plus one for warming up (default 15)
  --many <n>      executions of the connection that has many (default 1000000)
  --only <name>   run one scenario: get, create or list
  --json          print one JSON object instead of tables
  --help          show this help

Everything runs in a temporary folder and on loopback, and is removed at the end, even on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "1" },
      rounds: { type: "string", default: "15" },
      many: { type: "string", default: "1000000" },
      only: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const { only = null } = values;
  if (only !== null && !["get", "create", "list"].includes(only)) {
    throw new Error("--only must be get, create or list.");
  }
  return {
    seconds: readNumber("--seconds", values.seconds, { min: 0.2, max: 60 }),
    rounds: readWholeNumber("--rounds", values.rounds, { max: 100 }),
    many: readWholeNumber("--many", values.many, { min: 1_000, max: 100_000_000 }),
    only,
    json: values.json,
  };
}

async function run({ seconds, rounds, many, only }: Options, signal: AbortSignal): Promise<Result> {
  await using stage = await openStage(signal, showProgress);
  const seeded = await seed(stage.database, many, signal, showProgress);
  const scenarios: ScenarioResult[] = [];
  for (const scenario of await createScenarios(stage, seeded)) {
    if (only !== null && only !== scenario.name) continue;
    scenarios.push(await measureScenario(scenario, { generator: stage.generator, seconds, rounds, signal }));
  }
  const machine = await describeMachine(stage.database);
  showProgress("Cleaning up");
  return { machine, scenarios };
}

interface MeasureOptions {
  generator: Generator;
  seconds: number;
  rounds: number;
  signal: AbortSignal;
}

interface Sample extends JobResult {
  perSecond: number;
  serverCpuSeconds: number | null;
}

/**
 * The variants alternate in short rounds, so that other load on the machine affects all of them alike: the ratio within a
 * round says more than the absolute figures. The first round only warms up.
 */
async function measureScenario(scenario: Scenario, options: MeasureOptions): Promise<ScenarioResult> {
  const samples = new Map<string, Sample[]>(scenario.variants.map(({ name }) => [name, []]));
  for (let round = 0; round <= options.rounds; round++) {
    showProgress(`${scenario.name}: ${round === 0 ? "warming up" : `round ${round} of ${options.rounds}`}`);
    // Every other round runs in reverse order, so that no variant always follows the same one.
    for (const variant of round % 2 === 0 ? scenario.variants : scenario.variants.toReversed()) {
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

async function takeSample(
  { name, work, unique, pid }: Variant,
  { generator, seconds }: MeasureOptions,
): Promise<Sample> {
  const before = pid === null ? null : await readCpuSeconds(pid);
  let result: JobResult;
  try {
    result = await generator.run({ work, unique, concurrency: CONCURRENCY, seconds, maxCalls: MAX_CALLS });
  } catch (error) {
    throw new Error(`Could not measure "${name}": ${(error as Error).message}`, { cause: error });
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
  // The name in parentheses may contain spaces. Fields 14 and 15 are the 12th and 13th after it, in 1/100 s.
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

function compare({ name, by, target }: Comparison, of: Sample[], to: Sample[]): ComparisonResult {
  const ratios = of.map(({ perSecond }, round) => {
    const rate = perSecond / (to[round]?.perSecond ?? Number.NaN);
    return by === "rate" ? rate : 1 / rate;
  });
  const ratio = median(ratios);
  const met = target === null ? null : "atLeast" in target ? ratio >= target.atLeast : ratio <= target.atMost;
  return { name, by, ratio, lowest: Math.min(...ratios), highest: Math.max(...ratios), target, met };
}

function format({ machine, scenarios }: Result, { seconds, rounds }: Options): string {
  return [
    `${formatMachine(machine)}. ${CONCURRENCY} connections, ${rounds} rounds of ${seconds} s.`,
    formatMeasurements(scenarios.flatMap(({ measurements }) => measurements)),
    formatComparisons(scenarios.flatMap(({ comparisons }) => comparisons)),
    "",
  ].join("\n\n");
}

function formatMeasurements(measurements: Measurement[]): string {
  return formatTable(
    ["measured", "per second", "p50 ms", "p99 ms", "CPU µs", "calls"],
    measurements.map(({ name, perSecond, p50Ms, p99Ms, cpuMicroseconds, calls }) => [
      name,
      perSecond.toFixed(0),
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      cpuMicroseconds?.toFixed(0) ?? "-",
      String(calls),
    ]),
  );
}

function formatComparisons(comparisons: ComparisonResult[]): string {
  return formatTable(
    ["compared", "of", "ratio", "rounds", "target", "met"],
    comparisons.map(({ name, by, ratio, lowest, highest, target, met }) => [
      name,
      by,
      ratio.toFixed(2),
      `${lowest.toFixed(2)}–${highest.toFixed(2)}`,
      formatTarget(target),
      met === null ? "" : met ? "yes" : "NO",
    ]),
  );
}

function formatTarget(target: Comparison["target"]): string {
  if (target === null) return "";
  return "atLeast" in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
}

await runCommand({ help: HELP, readOptions, run, format });
