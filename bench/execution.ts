/** What evidence and verification cost, next to a bare Playwright script: `node bench/execution.ts --help`. */

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { runCommand, showProgress } from "./_command.ts";
import { type BareScript, openBareScript } from "./_execution-bare.ts";
import { canMeasureMemory, measurePeak, type Peak } from "./_execution-memory.ts";
import { type Profile, setProfileStage } from "./_execution-profile.ts";
import { type ExecutionResult, formatResult, type Round, summarize } from "./_execution-report.ts";
import { runExecution } from "./_execution-run.ts";
import { ENV, type ExecutionStage, setExecutionStage } from "./_execution-stage.ts";

interface Options {
  rounds: number;
  profiles: number;
  memory: boolean;
  json: boolean;
}

const TOGETHER = 4;
/** In between the service starts the browsers that come next; nobody's time should be taken while it does. */
const PAUSE_MS = 1_000;
const HELP = `Runs one errand of eight steps on the demo shop as a bare Playwright script and as an execution, in turns.

  node bench/execution.ts [options]

  --rounds <n>     rounds of one run each; one more warms up (default 10)
  --profiles <n>   executions to take apart in this process (default 5; 0 leaves that out)
  --no-memory      leaves out the memory of ${TOGETHER} executions at the same time (which only Linux tells)
  --json           print one JSON object instead of tables
  --help           this text

The service is the real one, as a process of its own, with evidence and verification on. It is an error when an
execution is not verified, or finds another total than the script.
Everything runs in temporary folders and on loopback, and is removed at the end, also on Ctrl-C.
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
    rounds: readNumber("--rounds", values.rounds, 1),
    profiles: readNumber("--profiles", values.profiles, 0),
    memory,
    json,
  };
}

function readNumber(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > 200)
    throw new Error(`${name} is a whole number from ${min} to 200.`);
  return value;
}

async function run({ rounds, profiles, memory }: Options, signal: AbortSignal): Promise<ExecutionResult> {
  const measured = await runService({ rounds, memory }, signal);
  const taken = await takeApart(profiles, signal);
  showProgress("Cleaning up");
  return summarize({ ...measured, profiles: taken, together: TOGETHER });
}

async function runService({ rounds, memory }: Pick<Options, "rounds" | "memory">, signal: AbortSignal) {
  await using stage = await setExecutionStage(signal, showProgress);
  await using parts = new AsyncDisposableStack();
  const bare = parts.use(await openBareScript(stage.shopUrl));
  const times = await compare(stage, bare, rounds, signal);
  // The browser that was kept for the script would be weighed too.
  await parts.disposeAsync();
  const peaks = memory && (await canMeasureMemory()) ? await comparePeaks(stage, bare, signal) : null;
  return { rounds: times, peaks };
}

/** They take turns, in changing order: what else the machine does in a round hits all alike. */
async function compare(
  { shopUrl, connections: [connection] }: ExecutionStage,
  bare: BareScript,
  rounds: number,
  signal: AbortSignal,
): Promise<Round[]> {
  if (connection === undefined) throw new Error("nobody is connected");
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
  showProgress(`Memory of ${TOGETHER} executions at the same time`);
  await sleep(PAUSE_MS, undefined, { signal });
  const runs = () => connections.slice(0, TOGETHER).map((connection) => runExecution(connection, shopUrl, signal));
  const execution = await measurePeak(pid, () => Promise.all(runs()));
  showProgress(`Memory of ${TOGETHER} scripts at the same time`);
  await sleep(PAUSE_MS, undefined, { signal });
  return { execution, bare: await measurePeak(process.pid, (weigh) => bare.runTogether(TOGETHER, weigh)) };
}

async function takeApart(count: number, signal: AbortSignal): Promise<Profile[]> {
  if (count === 0) return [];
  showProgress(`Taking ${count} executions apart`);
  await using stage = await setProfileStage({ env: ENV, pauseMs: PAUSE_MS, signal });
  const profiles: Profile[] = [];
  for (let number = 0; number <= count; number += 1) {
    const profile = await stage.profileRun();
    if (number > 0) profiles.push(profile);
  }
  return profiles;
}

await runCommand({ help: HELP, readOptions, run, format: formatResult });
