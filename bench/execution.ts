/** The cost of evidence and verification, compared with a bare Playwright script: `npm run bench:execution -- --help`. */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startModelServer } from "../test/_harness/model-server.ts";
import { type BareScript, openBareScript } from "./execution/bare-script.ts";
import { type Comparison, compare, PAUSE_MS, type Ratio, WARM_UP_ROUNDS } from "./execution/compare.ts";
import { OrderScript } from "./execution/order-script.ts";
import { openPeers } from "./execution/peers.ts";
import { openProfileStage, type Profile } from "./execution/profile.ts";
import { ENV, type ExecutionStage, openExecutionStage, type Phases, runExecution } from "./execution/service.ts";
import { type BrowserMemory, canMeasureMemory, findPeak, sampleMemory } from "./harness/browsers.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { CPU_KINDS, type CpuKind, type CpuUse, sumCpu } from "./harness/cpu.ts";
import { describeMachine, formatMachine, formatTable, type Machine, median } from "./harness/report.ts";

interface Options {
  rounds: number;
  warmUps: number;
  profiles: number;
  model: boolean;
  memory: boolean;
  /** Where the peers are installed. Null: they are not measured. */
  peers: string | null;
  json: boolean;
}

interface Result {
  machine: Machine;
  withoutModel: Comparison;
  /** Null if it was not measured. */
  withModel: Comparison | null;
  /** Null if no execution was profiled. */
  profile: { runs: number; ms: number; parts: PartOfRun[] } | null;
  /** Null if it was not or could not be measured. */
  memory: { concurrent: number; execution: MemoryUse; bare: MemoryUse } | null;
}

interface MemoryUse {
  peak: BrowserMemory;
  /** The median while all runs were under way. */
  typicalMegabytes: number;
}

interface PartOfRun {
  part: string;
  ms: number;
  calls: number;
}

/** At most this many times what the bare script in a running browser takes. */
const TARGETS = { time: 2.5, cpu: 2.2 };
const CONCURRENT = 4;
const MAX_COUNT = 200;
const HELP = `Runs one errand of eight steps on the demo shop, alternating between an execution and a bare Playwright script.

  npm run bench:execution -- [options]

  --rounds <n>     rounds of one run each (default 10)
  --warm-ups <n>   rounds before them that do not count (default ${WARM_UP_ROUNDS})
  --profiles <n>   executions to profile in this process (default 5; 0 for none)
  --no-model       skip the executions with a model that replies at once
  --no-memory      skip the memory of ${CONCURRENT} concurrent executions (measured on Linux only)
  --peers <folder> also Playwright MCP and Stagehand, which are installed there (needs the model)
  --json           print one JSON object instead of tables
  --help           show this help

The service is the real one, in its own process, with evidence and verification. The command fails if an execution is
not verified or its total differs from the script's. CPU time is read from /proc (Linux only) for all processes of each
side, until the result is available. The shop and the scripted model run elsewhere and are not counted.

The peers do the same errand in the same rounds, each in a browser that is open before the time starts. Playwright MCP
is called over stdio with targets from its last snapshot; Stagehand acts and extracts with the scripted model. They verify
nothing, so a wrong total does not end the benchmark: the table counts the right ones. To install them outside of this project:

  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --prefix <folder> @playwright/mcp@0.0.83 @browserbasehq/stagehand@3.7.3

Everything runs in temporary folders and on loopback, and is removed at the end, even on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      rounds: { type: "string", default: "10" },
      "warm-ups": { type: "string", default: WARM_UP_ROUNDS },
      profiles: { type: "string", default: "5" },
      model: { type: "boolean", default: true },
      memory: { type: "boolean", default: true },
      peers: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const { model, memory, json } = values;
  if (values.peers !== undefined && !model) throw new Error("--peers needs the model. Leave out --no-model.");
  return {
    rounds: readWholeNumber("--rounds", values.rounds, { max: MAX_COUNT }),
    warmUps: readWholeNumber("--warm-ups", values["warm-ups"], { min: 0, max: MAX_COUNT }),
    profiles: readWholeNumber("--profiles", values.profiles, { min: 0, max: MAX_COUNT }),
    model,
    memory,
    peers: values.peers === undefined ? null : resolve(values.peers),
    json,
  };
}

async function run(options: Options, signal: AbortSignal): Promise<Result> {
  const measured = await measureWithoutModel(options, signal);
  const withModel = options.model ? await measureWithModel(options, signal) : null;
  const profile = await profileExecutions(options.profiles, signal);
  showProgress("Cleaning up");
  return { machine: await describeMachine(null), ...measured, withModel, profile };
}

async function measureWithoutModel({ rounds, warmUps, memory }: Options, signal: AbortSignal) {
  await using stage = await openExecutionStage(signal, showProgress);
  await using parts = new AsyncDisposableStack();
  const bare = parts.use(await openBareScript(stage.shopUrl, [stage.pid, stage.shopPid]));
  const onRound = showRound(rounds, "without a model");
  const withoutModel = await compare(stage, bare, { rounds, warmUps, signal, onRound });
  // Otherwise the script's warm browser would count as well.
  await parts.disposeAsync();
  const isMeasured = memory && (await canMeasureMemory());
  return {
    withoutModel,
    memory: isMeasured ? { concurrent: CONCURRENT, ...(await compareMemory(stage, bare, signal)) } : null,
  };
}

async function measureWithModel(options: Options, signal: AbortSignal): Promise<Comparison> {
  const { rounds, warmUps } = options;
  await using opened = options.peers === null ? null : await openPeers(options.peers);
  const peers = opened?.peers ?? [];
  const script = new OrderScript({ isBatched: true });
  await using server = await startModelServer((request) => ({ calls: [script.reply(request)] }));
  await using stage = await openExecutionStage(signal, showProgress, server.url);
  await using bare = await openBareScript(stage.shopUrl, [stage.pid, stage.shopPid]);
  return await compare(stage, bare, { rounds, warmUps, peers, signal, onRound: showRound(rounds, "with a model") });
}

function showRound(rounds: number, kind: string): (number: number) => void {
  return (number) => showProgress(number <= 0 ? "Warming up" : `Round ${number} of ${rounds}, ${kind}`);
}

async function compareMemory(
  { pid, shopUrl, connections }: ExecutionStage,
  bare: BareScript,
  signal: AbortSignal,
): Promise<{ execution: MemoryUse; bare: MemoryUse }> {
  showProgress(`Memory of ${CONCURRENT} concurrent executions`);
  await sleep(PAUSE_MS, undefined, { signal });
  const runs = () => connections.slice(0, CONCURRENT).map((connection) => runExecution(connection, shopUrl, signal));
  const execution = await sampleMemory(pid, () => Promise.all(runs()));
  showProgress(`Memory of ${CONCURRENT} concurrent scripts`);
  await sleep(PAUSE_MS, undefined, { signal });
  const scripts = await sampleMemory(process.pid, (sample) => bare.runConcurrently(CONCURRENT, sample));
  return { execution: summarizeMemory(execution), bare: summarizeMemory(scripts) };
}

function summarizeMemory(samples: BrowserMemory[]): MemoryUse {
  const whileRunning = samples.filter(({ browsers }) => browsers >= CONCURRENT);
  return { peak: findPeak(samples), typicalMegabytes: median(whileRunning.map(({ megabytes }) => megabytes)) };
}

async function profileExecutions(count: number, signal: AbortSignal): Promise<Result["profile"]> {
  if (count === 0) return null;
  showProgress(`Profiling ${count} executions`);
  await using stage = await openProfileStage({ env: ENV, pauseMs: PAUSE_MS, signal });
  const profiles: Profile[] = [];
  for (let number = 0; number <= count; number += 1) {
    const profile = await stage.profileRun();
    if (number > 0) profiles.push(profile);
  }
  return summarizeProfiles(profiles);
}

function summarizeProfiles(profiles: Profile[]): NonNullable<Result["profile"]> {
  const names = [...new Set(profiles.flatMap(({ spent }) => spent.map(({ part }) => part)))];
  const parts = names.map((name): PartOfRun => {
    const each = profiles.map(({ spent }) => spent.find(({ part }) => part === name));
    return {
      part: name,
      ms: median(each.map((one) => one?.ms ?? 0)),
      calls: median(each.map((one) => one?.calls ?? 0)),
    };
  });
  parts.push({ part: "everything else", ms: median(profiles.map(({ restMs }) => restMs)), calls: 1 });
  const sorted = parts.sort((one, other) => other.ms - one.ms);
  return { runs: profiles.length, ms: median(profiles.map(({ ms }) => ms)), parts: sorted };
}

function format({ machine, withoutModel, withModel, profile, memory }: Result): string {
  return [
    `${formatMachine(machine)}. ${withoutModel.rounds} rounds.`,
    ...formatComparison("without a model", withoutModel),
    ...(withModel === null ? [] : formatComparison("with a model that replies at once", withModel)),
    ...(profile === null ? [] : [formatProfile(profile)]),
    ...(memory === null ? [] : [formatMemory(memory)]),
    "",
  ].join("\n\n");
}

function formatComparison(kind: string, comparison: Comparison): string[] {
  return [
    formatRatios(kind, comparison),
    ...(comparison.peers.length === 0 ? [] : [formatPeers(kind, comparison)]),
    formatCpu(kind, comparison),
    formatPhases(kind, comparison.phasesMs),
  ];
}

function formatRatios(kind: string, { ms, cpu, cpuAfterwards, timeRatios, cpuRatios }: Comparison): string {
  const row = (name: string, time: number, use: CpuUse) => [name, time.toFixed(0), sumCpu(use).toFixed(2)];
  const targets = `time ${TARGETS.time}: ${isMet(timeRatios.warm, TARGETS.time)}, CPU ${TARGETS.cpu}: ${isMet(cpuRatios.warm, TARGETS.cpu)}`;
  return formatTable(
    [`eight steps, ${kind}`, "ms", "CPU s", "execution ÷ this: time", "CPU", "targets met"],
    [
      [...row("execution", ms.execution, cpu.execution), "", "", ""],
      [
        ...row("bare script, in a running browser", ms.warm, cpu.warm),
        toText(timeRatios.warm),
        toText(cpuRatios.warm),
        targets,
      ],
      [
        ...row("bare script, including browser start", ms.launched, cpu.launched),
        toText(timeRatios.launched),
        toText(cpuRatios.launched),
        "",
      ],
      ["after an execution: closing, next browsers", "", cpuAfterwards.toFixed(2), "", "", ""],
    ],
  );
}

function formatPeers(kind: string, { rounds, ms, cpu, timeRatios, cpuRatios, peers }: Comparison): string {
  const row = (name: string, time: number, seconds: number, ...rest: string[]) => [
    name,
    time.toFixed(0),
    seconds.toFixed(2),
    ...rest,
  ];
  return formatTable(
    [`eight steps, ${kind}`, "ms", "CPU s", "this ÷ bare script: time", "CPU", "total right", "verified"],
    [
      row("bare script, in a running browser", ms.warm, sumCpu(cpu.warm), "", "", `${rounds} of ${rounds}`, "nothing"),
      row(
        "execution",
        ...([ms.execution, sumCpu(cpu.execution)] as const),
        ...[toText(timeRatios.warm), toText(cpuRatios.warm), `${rounds} of ${rounds}`, "in a fresh context"],
      ),
      ...peers.map(({ name, ms: time, cpu: seconds, timeRatio, cpuRatio, right }) =>
        row(name, time, seconds, toText(timeRatio), toText(cpuRatio), `${right} of ${rounds}`, "nothing"),
      ),
    ],
  );
}

function toText({ ratio, lowest, highest }: Ratio): string {
  return `${ratio.toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)})`;
}

function isMet({ ratio }: Ratio, target: number): string {
  return ratio <= target ? "yes" : "NO";
}

function formatCpu(kind: string, { cpu }: Comparison): string {
  const names: Record<CpuKind, string> = {
    renderer: "renderers",
    node: "Node",
    browser: "browsers, with network and other services",
    gpu: "GPU processes",
    postgres: "PostgreSQL",
    other: "others",
  };
  return formatTable(
    [`CPU seconds, ${kind}`, "execution", "bare script"],
    CPU_KINDS.map((each) => [names[each], cpu.execution[each].toFixed(2), cpu.warm[each].toFixed(2)]),
  );
}

function formatPhases(kind: string, phases: Phases): string {
  const names: Record<keyof Phases, string> = {
    requests: "the client's two requests",
    queue: "waiting for a worker",
    opening: "opening a browser and the first page",
    steps: "the other steps",
    verification: "verification, in a fresh context",
    ending: "closing the browser and writing the result",
  };
  const rows = Object.entries(names).map(([name, text]) => [text, phases[name as keyof Phases].toFixed(0)]);
  return formatTable([`an execution ${kind}, by its events`, "median ms"], rows);
}

function formatProfile({ runs, ms, parts }: NonNullable<Result["profile"]>): string {
  return formatTable(
    [`profile of an execution (${runs} runs, ${ms.toFixed(0)} ms)`, "median ms", "calls", "ms per call"],
    parts.map(({ part, ms, calls }) => [part, ms.toFixed(0), String(calls), (ms / Math.max(1, calls)).toFixed(1)]),
  );
}

function formatMemory({ concurrent, execution, bare }: NonNullable<Result["memory"]>): string {
  const row = (name: string, { peak, typicalMegabytes }: MemoryUse) => [
    name,
    (typicalMegabytes / concurrent).toFixed(0),
    (peak.megabytes / concurrent).toFixed(0),
    String(peak.browsers),
  ];
  const ratios = [
    (execution.typicalMegabytes / bare.typicalMegabytes).toFixed(2),
    (execution.peak.megabytes / bare.peak.megabytes).toFixed(2),
  ];
  return formatTable(
    [`browser memory of ${concurrent} concurrent runs, MB each (PSS)`, "median", "peak", "browsers at the peak"],
    [
      row("executions, including warm browsers", execution),
      row("bare scripts, each in its own browser", bare),
      ["ratio", ...ratios, ""],
    ],
  );
}

await runCommand({ help: HELP, readOptions, run, format });
