/** The cost of evidence and verification, compared with a bare Playwright script: `npm run bench:execution -- --help`. */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type BareRun, type BareScript, openBareScript } from "./execution/bare-script.ts";
import { openProfileStage, type Profile } from "./execution/profile.ts";
import {
  ENV,
  type ExecutionRun,
  type ExecutionStage,
  openExecutionStage,
  type Phases,
  runExecution,
} from "./execution/service.ts";
import { canMeasureMemory, measurePeak, type Peak } from "./harness/browsers.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { describeMachine, formatMachine, formatTable, type Machine, median } from "./harness/report.ts";

interface Options {
  rounds: number;
  profiles: number;
  memory: boolean;
  json: boolean;
}

interface Result {
  machine: Machine;
  rounds: number;
  medianMs: { execution: number; warm: number; launched: number };
  ratios: { warm: Ratio; launched: Ratio };
  phasesMs: Phases;
  /** Null if no execution was profiled. */
  profile: { runs: number; ms: number; parts: PartOfRun[] } | null;
  /** Null if it was not or could not be measured. */
  memory: { concurrent: number; execution: Peak; bare: Peak; ratio: number } | null;
}

interface Ratio {
  /** Median, lowest and highest of the ratios within a round. */
  ratio: number;
  lowest: number;
  highest: number;
  isMet: boolean;
}

interface PartOfRun {
  part: string;
  ms: number;
  calls: number;
}

/** One run of each kind, shortly after each other. */
interface Round {
  execution: ExecutionRun;
  warm: BareRun;
  launched: BareRun;
}

const TARGET = 1.5;
const CONCURRENT = 4;
const MAX_COUNT = 200;
/** In the meantime the service starts its next warm browsers, which would distort a measurement. */
const PAUSE_MS = 1_000;
const HELP = `Runs one errand of eight steps on the demo shop, alternating between an execution and a bare Playwright script.

  npm run bench:execution -- [options]

  --rounds <n>     rounds of one run each, plus one for warming up (default 10)
  --profiles <n>   executions to profile in this process (default 5; 0 for none)
  --no-memory      skip the memory of ${CONCURRENT} concurrent executions (measured on Linux only)
  --json           print one JSON object instead of tables
  --help           show this help

The service is the real one, in its own process, with evidence and verification. The command fails if an execution is
not verified or its total differs from the script's.
Everything runs in temporary folders and on loopback, and is removed at the end, even on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      rounds: { type: "string", default: "10" },
      profiles: { type: "string", default: "5" },
      memory: { type: "boolean", default: true },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const { memory, json } = values;
  return {
    rounds: readWholeNumber("--rounds", values.rounds, { max: MAX_COUNT }),
    profiles: readWholeNumber("--profiles", values.profiles, { min: 0, max: MAX_COUNT }),
    memory,
    json,
  };
}

async function run({ rounds, profiles, memory }: Options, signal: AbortSignal): Promise<Result> {
  const measured = await measureService({ rounds, memory }, signal);
  const profile = await profileExecutions(profiles, signal);
  showProgress("Cleaning up");
  return { machine: await describeMachine(null), ...measured, profile };
}

async function measureService({ rounds, memory }: Pick<Options, "rounds" | "memory">, signal: AbortSignal) {
  await using stage = await openExecutionStage(signal, showProgress);
  await using parts = new AsyncDisposableStack();
  const bare = parts.use(await openBareScript(stage.shopUrl));
  const times = await compareTimes(stage, bare, rounds, signal);
  // Otherwise the script's warm browser would count as well.
  await parts.disposeAsync();
  const peaks = memory && (await canMeasureMemory()) ? await comparePeaks(stage, bare, signal) : null;
  return {
    ...summarizeRounds(times),
    memory:
      peaks === null
        ? null
        : { concurrent: CONCURRENT, ...peaks, ratio: peaks.execution.megabytes / peaks.bare.megabytes },
  };
}

/** The three alternate, every other round in reverse order, so that other load on the machine affects all alike. */
async function compareTimes(
  { shopUrl, connections: [connection] }: ExecutionStage,
  bare: BareScript,
  rounds: number,
  signal: AbortSignal,
): Promise<Round[]> {
  if (connection === undefined) throw new Error("No user is connected.");
  const done: Round[] = [];
  for (let number = 0; number <= rounds; number += 1) {
    showProgress(number === 0 ? "Warming up" : `Round ${number} of ${rounds}`);
    const measures = {
      execution: () => runExecution(connection, shopUrl, signal),
      warm: () => bare.runWarm(),
      launched: () => bare.runLaunched(),
    };
    const order = Object.keys(measures) as (keyof typeof measures)[];
    const round: Partial<Round> = {};
    for (const name of number % 2 === 0 ? order : order.reverse()) {
      await sleep(PAUSE_MS, undefined, { signal });
      Object.assign(round, { [name]: await measures[name]() });
    }
    const { execution, warm, launched } = round as Round;
    if (new Set([execution.total, warm.total, launched.total]).size !== 1 || execution.total === "") {
      throw new Error(`The totals differ: ${execution.total}, ${warm.total} and ${launched.total}.`);
    }
    if (number > 0) done.push({ execution, warm, launched });
  }
  return done;
}

async function comparePeaks(
  { pid, shopUrl, connections }: ExecutionStage,
  bare: BareScript,
  signal: AbortSignal,
): Promise<{ execution: Peak; bare: Peak }> {
  showProgress(`Memory of ${CONCURRENT} concurrent executions`);
  await sleep(PAUSE_MS, undefined, { signal });
  const runs = () => connections.slice(0, CONCURRENT).map((connection) => runExecution(connection, shopUrl, signal));
  const execution = await measurePeak(pid, () => Promise.all(runs()));
  showProgress(`Memory of ${CONCURRENT} concurrent scripts`);
  await sleep(PAUSE_MS, undefined, { signal });
  return { execution, bare: await measurePeak(process.pid, (sample) => bare.runConcurrently(CONCURRENT, sample)) };
}

function summarizeRounds(rounds: Round[]): Pick<Result, "rounds" | "medianMs" | "ratios" | "phasesMs"> {
  const phases = rounds.map(({ execution }) => execution.phases);
  const phase = (name: keyof Phases) => median(phases.map((each) => each[name]));
  return {
    rounds: rounds.length,
    medianMs: {
      execution: median(rounds.map(({ execution }) => execution.ms)),
      warm: median(rounds.map(({ warm }) => warm.ms)),
      launched: median(rounds.map(({ launched }) => launched.ms)),
    },
    ratios: {
      warm: toRatio(rounds.map(({ execution, warm }) => execution.ms / warm.ms)),
      launched: toRatio(rounds.map(({ execution, launched }) => execution.ms / launched.ms)),
    },
    phasesMs: {
      requests: phase("requests"),
      queue: phase("queue"),
      opening: phase("opening"),
      steps: phase("steps"),
      verification: phase("verification"),
      ending: phase("ending"),
    },
  };
}

function toRatio(ratios: number[]): Ratio {
  const ratio = median(ratios);
  return { ratio, lowest: Math.min(...ratios), highest: Math.max(...ratios), isMet: ratio <= TARGET };
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

function format(result: Result): string {
  const { machine, rounds, profile, memory } = result;
  return [
    `${formatMachine(machine)}. ${rounds} rounds.`,
    formatTimes(result),
    formatPhases(result.phasesMs),
    ...(profile === null ? [] : [formatProfile(profile)]),
    ...(memory === null ? [] : [formatMemory(memory)]),
    "",
  ].join("\n\n");
}

function formatTimes({ medianMs, ratios }: Result): string {
  const row = (name: string, ms: number, ratio: Ratio | null, target: string) => [
    name,
    ms.toFixed(0),
    ratio === null ? "" : `${ratio.ratio.toFixed(2)} (${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)})`,
    target,
    target === "" ? "" : ratio?.isMet ? "yes" : "NO",
  ];
  return formatTable(
    ["eight steps, until the result is available", "median ms", "execution ÷ this", "target", "met"],
    [
      row("execution", medianMs.execution, null, ""),
      row("bare script, in a running browser", medianMs.warm, ratios.warm, `≤ ${TARGET}`),
      row("bare script, including browser start", medianMs.launched, ratios.launched, ""),
    ],
  );
}

function formatPhases(phases: Phases): string {
  const names: Record<keyof Phases, string> = {
    requests: "the client's two requests",
    queue: "waiting for a worker",
    opening: "opening a browser and the first page",
    steps: "the other steps",
    verification: "verification, in another browser",
    ending: "closing the browser and writing the result",
  };
  const rows = Object.entries(names).map(([name, text]) => [text, phases[name as keyof Phases].toFixed(0)]);
  return formatTable(["an execution, by its events", "median ms"], rows);
}

function formatProfile({ runs, ms, parts }: NonNullable<Result["profile"]>): string {
  return formatTable(
    [`profile of an execution (${runs} runs, ${ms.toFixed(0)} ms)`, "median ms", "calls", "ms per call"],
    parts.map(({ part, ms, calls }) => [part, ms.toFixed(0), String(calls), (ms / Math.max(1, calls)).toFixed(1)]),
  );
}

function formatMemory({ concurrent, execution, bare, ratio }: NonNullable<Result["memory"]>): string {
  const row = (name: string, { megabytes, browsers }: Peak, times: string) => [
    name,
    megabytes.toFixed(0),
    String(browsers),
    (megabytes / concurrent).toFixed(0),
    times,
  ];
  return formatTable(
    [`browser memory, ${concurrent} concurrent runs`, "peak MB (PSS)", "browsers", "MB each", "ratio"],
    [
      row("executions, including warm and verification browsers", execution, ratio.toFixed(2)),
      row("bare scripts, each in its own browser", bare, ""),
    ],
  );
}

await runCommand({ help: HELP, readOptions, run, format });
