/** The cost of a backlog, and how soon an execution starts: `npm run bench:backlog -- --help`. */
import { parseArgs } from "node:util";
import { openClaimStage } from "./backlog/claims.ts";
import { measureStartLatency } from "./backlog/start-latency.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { describeMachine, formatMachine, formatTable, type Machine, median, quantile } from "./harness/report.ts";

interface Options {
  rounds: number;
  queued: number;
  samples: number;
  json: boolean;
}

interface Ratio {
  name: string;
  aloneMs: number;
  backlogMs: number;
  /** Median, lowest and highest of the ratios within a round. */
  ratio: number;
  lowest: number;
  highest: number;
  isMet: boolean;
}

interface Result {
  machine: Machine;
  queued: number;
  claims: Ratio[];
  starts: StartTime[];
}

interface StartTime {
  name: string;
  p50Ms: number;
  p99Ms: number;
  samples: number;
  /** Null if there is no target. */
  isMet: boolean | null;
}

type StageName = "alone" | "backlog";

const CLAIMS_PER_ROUND = 40;
const MAX_RATIO = 1.2;
const START_TARGET = { p50Ms: 6, p99Ms: 25 };
const MAX_COUNT = 99_999;
const HELP = `Measures how much the queued executions of one connection slow down the others, and how soon an execution starts.

  npm run bench:backlog -- [options]

  --rounds <n>    rounds of ${CLAIMS_PER_ROUND} claims with and without the backlog (default 30)
  --queued <n>    executions in the backlog (default 100000)
  --samples <n>   executions to create for timing their start (default 300)
  --json          print one JSON object instead of tables
  --help          show this help

Everything runs in temporary folders and on loopback, and is removed at the end, even on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "30" },
      queued: { type: "string", default: "100000" },
      samples: { type: "string", default: "300" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    rounds: readWholeNumber("--rounds", values.rounds, { max: MAX_COUNT }),
    queued: readWholeNumber("--queued", values.queued, { max: 1_000_000 }),
    samples: readWholeNumber("--samples", values.samples, { max: MAX_COUNT }),
    json: values.json,
  };
}

async function run({ rounds, queued, samples }: Options, signal: AbortSignal): Promise<Result> {
  const { machine, claims } = await compareClaims(rounds, queued, signal);
  const { runningMs, claimedMs } = await measureStartLatency(samples, signal, showProgress);
  const claimed = toStartTime("until a worker has claimed it", claimedMs);
  const isMet = claimed.p50Ms <= START_TARGET.p50Ms && claimed.p99Ms <= START_TARGET.p99Ms;
  const seen = toStartTime("as a client sees it, with its two requests", runningMs);
  return { machine, queued, claims, starts: [{ ...claimed, isMet }, seen] };
}

function toStartTime(name: string, times: number[]): StartTime {
  return { name, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), samples: times.length, isMet: null };
}

async function compareClaims(
  rounds: number,
  queued: number,
  signal: AbortSignal,
): Promise<{ machine: Machine; claims: Ratio[] }> {
  await using alone = await openClaimStage(2, showProgress);
  signal.throwIfAborted();
  await using backlog = await openClaimStage(queued, showProgress);
  const stages = { alone, backlog };
  return {
    machine: await describeMachine(alone.database),
    claims: [
      await compare("another connection's claim", rounds, signal, (stage) => stages[stage].timeClaimOfOther()),
      await compare("a claim of the backlog itself", rounds, signal, (stage) => stages[stage].timeClaimOfBacklog()),
    ],
  };
}

/** The two alternate in short rounds, so that other load on the machine affects both alike. */
async function compare(
  name: string,
  rounds: number,
  signal: AbortSignal,
  measure: (stage: StageName) => Promise<number>,
): Promise<Ratio> {
  const times: Record<StageName, number>[] = [];
  const order: StageName[] = ["alone", "backlog"];
  for (let round = 0; round <= rounds; round += 1) {
    signal.throwIfAborted();
    if (round % 10 === 0) showProgress(`${name}: ${round === 0 ? "warming up" : `round ${round} of ${rounds}`}`);
    const time = { alone: 0, backlog: 0 };
    for (const stage of order.reverse()) time[stage] = await measureMedian(CLAIMS_PER_ROUND, () => measure(stage));
    if (round > 0) times.push(time);
  }
  return toRatio(name, times);
}

async function measureMedian(count: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let number = 0; number < count; number += 1) values.push(await measure());
  return median(values);
}

function toRatio(name: string, times: Record<StageName, number>[]): Ratio {
  const ratios = times.map(({ alone, backlog }) => backlog / alone);
  const ratio = median(ratios);
  return {
    name,
    aloneMs: median(times.map(({ alone }) => alone)),
    backlogMs: median(times.map(({ backlog }) => backlog)),
    ratio,
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    isMet: ratio <= MAX_RATIO,
  };
}

function format({ machine, queued, claims, starts }: Result): string {
  return [
    `${formatMachine(machine)}.`,
    formatTable(
      ["median of", "1 queued, ms", `${queued.toLocaleString("en")} queued, ms`, "ratio", "rounds", "target", "met"],
      claims.map(({ name, aloneMs, backlogMs, ratio, lowest, highest, isMet }) => [
        name,
        aloneMs.toFixed(2),
        backlogMs.toFixed(2),
        ratio.toFixed(2),
        `${lowest.toFixed(2)}–${highest.toFixed(2)}`,
        `≤ ${MAX_RATIO}`,
        isMet ? "yes" : "NO",
      ]),
    ),
    formatTable(
      ["from create to RUNNING, with an idle worker", "p50 ms", "p99 ms", "samples", "target", "met"],
      starts.map(({ name, p50Ms, p99Ms, samples, isMet }) => [
        name,
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        String(samples),
        isMet === null ? "" : `≤ ${START_TARGET.p50Ms}, ≤ ${START_TARGET.p99Ms}`,
        isMet === null ? "" : isMet ? "yes" : "NO",
      ]),
    ),
    "",
  ].join("\n\n");
}

await runCommand({ help: HELP, readOptions, run, format });
