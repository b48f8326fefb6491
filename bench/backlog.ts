/** What a backlog costs, and how soon an execution runs: `node bench/backlog.ts --help`. */

import { parseArgs } from "node:util";
import { openClaimStage } from "./_claim-times.ts";
import { runCommand, showProgress } from "./_command.ts";
import { describeMachine, formatMachine, formatTable, type Machine } from "./_report.ts";
import { measureStartLatency } from "./_start-latency.ts";

interface Options {
  rounds: number;
  samples: number;
  json: boolean;
}

interface Ratio {
  name: string;
  aloneMs: number;
  backlogMs: number;
  /** The median over the rounds of the ratio within a round, and the extremes. */
  ratio: number;
  lowest: number;
  highest: number;
  isMet: boolean;
}

interface Result {
  machine: Machine;
  claims: Ratio[];
  starts: StartTime[];
}

interface StartTime {
  name: string;
  p50Ms: number;
  p99Ms: number;
  samples: number;
  /** Null where nothing is aimed at. */
  isMet: boolean | null;
}

const BACKLOG = 100_000;
const CLAIMS_PER_ROUND = 40;
const MAX_RATIO = 1.2;
const START_AIM = { p50Ms: 20, p99Ms: 100 };
const HELP = `Measures what ${BACKLOG.toLocaleString("en")} queued executions of one connection cost the others, and how soon an execution runs.

  node bench/backlog.ts [options]

  --rounds <n>    rounds of ${CLAIMS_PER_ROUND} claims with and without the backlog (default 30)
  --samples <n>   how many executions are created to time their start (default 300)
  --json          print one JSON object instead of tables
  --help          this text

Everything runs in temporary folders and on loopback, and is removed at the end, also on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "30" },
      samples: { type: "string", default: "300" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    rounds: readNumber("--rounds", values.rounds),
    samples: readNumber("--samples", values.samples),
    json: values.json,
  };
}

function readNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`${name} is a whole number from 1 to 99999.`);
  return Number(text);
}

async function run({ rounds, samples }: Options, signal: AbortSignal): Promise<Result> {
  const { machine, claims } = await compareClaims(rounds, signal);
  const { seenMs, takenMs } = await measureStartLatency(samples, signal, showProgress);
  const seen = toStartTime("idle worker, over HTTP", seenMs);
  const isMet = seen.p50Ms <= START_AIM.p50Ms && seen.p99Ms <= START_AIM.p99Ms;
  return { machine, claims, starts: [{ ...seen, isMet }, toStartTime("of it, until the worker took it", takenMs)] };
}

function toStartTime(name: string, times: number[]): StartTime {
  const sorted = times.toSorted((a, b) => a - b);
  return { name, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), samples: times.length, isMet: null };
}

/** The two take turns in short rounds: what else the machine does in a round hits them alike. */
async function compareClaims(rounds: number, signal: AbortSignal): Promise<{ machine: Machine; claims: Ratio[] }> {
  await using alone = await openClaimStage(2, showProgress);
  signal.throwIfAborted();
  await using backlog = await openClaimStage(BACKLOG, showProgress);
  const stages = { alone, backlog };
  return {
    machine: await describeMachine(alone.database),
    claims: [
      await compare("another connection's claim", rounds, signal, (stage) => stages[stage].timeClaimOfOther()),
      await compare("a claim of the backlog itself", rounds, signal, (stage) => stages[stage].timeClaimOfBacklog()),
    ],
  };
}

type StageName = "alone" | "backlog";

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
    for (const stage of order.reverse()) time[stage] = await medianOf(CLAIMS_PER_ROUND, () => measure(stage));
    if (round > 0) times.push(time);
  }
  return toRatio(name, times);
}

async function medianOf(count: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let number = 0; number < count; number += 1) values.push(await measure());
  return quantile(
    values.sort((a, b) => a - b),
    0.5,
  );
}

function toRatio(name: string, times: { alone: number; backlog: number }[]): Ratio {
  const sorted = (values: number[]) => values.sort((a, b) => a - b);
  const ratios = sorted(times.map(({ alone, backlog }) => backlog / alone));
  const ratio = quantile(ratios, 0.5);
  return {
    name,
    aloneMs: quantile(sorted(times.map(({ alone }) => alone)), 0.5),
    backlogMs: quantile(sorted(times.map(({ backlog }) => backlog)), 0.5),
    ratio,
    lowest: ratios[0] ?? Number.NaN,
    highest: ratios.at(-1) ?? Number.NaN,
    isMet: ratio <= MAX_RATIO,
  };
}

function quantile(sorted: number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function format({ machine, claims, starts }: Result): string {
  return [
    `${formatMachine(machine)}.`,
    formatTable(
      ["median of", "1 queued, ms", "100,000 queued, ms", "ratio", "rounds", "aim", "met"],
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
      ["from create to RUNNING, as a client sees it", "p50 ms", "p99 ms", "samples", "aim", "met"],
      starts.map(({ name, p50Ms, p99Ms, samples, isMet }) => [
        name,
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        String(samples),
        isMet === null ? "" : `≤ ${START_AIM.p50Ms}, ≤ ${START_AIM.p99Ms}`,
        isMet === null ? "" : isMet ? "yes" : "NO",
      ]),
    ),
    "",
  ].join("\n\n");
}

await runCommand({ help: HELP, readOptions, run, format });
