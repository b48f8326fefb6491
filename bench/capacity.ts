/** How many concurrent executions one PostgreSQL carries: `npm run bench:capacity -- --help`. */
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { drawCurves } from "./capacity/curve.ts";
import type { Operation, Report, RunShape } from "./capacity/protocol.ts";
import { type CapacityStage, openCapacityStage } from "./capacity/stage.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { describeMachine, formatMachine, formatTable, type Machine, quantile } from "./harness/report.ts";

interface Options {
  levels: number[];
  seconds: number;
  shape: RunShape;
  out: string | null;
  earlier: string | null;
  json: boolean;
}

interface Level {
  wanted: number;
  running: number;
  perSecond: Record<Operation, number>;
  /** Events a second that so many runs would report if nothing held them up. */
  offeredEvents: number;
  eventP50Ms: number;
  eventP99Ms: number;
  claimP50Ms: number;
  transactions: number;
  walMb: number;
  /** Cores in use by each. `idle` is of the whole machine. */
  cores: { postgres: number; workers: number; clients: number; idle: number };
  /** Sessions of PostgreSQL that have a statement to execute, on average, by what they wait for. */
  activity: { name: string; sessions: number }[];
  /** Lost leases and failed calls. */
  failures: number;
}

interface Result {
  machine: Machine;
  shape: RunShape;
  seconds: number;
  levels: Level[];
}

const OPERATIONS = ["create", "claim", "empty claim", "heartbeat", "event", "finish", "poll"] as const;
/** How long runs may take to start. What is not running then never will. */
const RAMP_MS = 90_000;
const SETTLE_MS = 5_000;
const SHOWN_WAITS = 3;
const HELP = `Measures how many concurrent executions one PostgreSQL carries. The workers are real, but their runs only wait and report steps.

  npm run bench:capacity -- [options]

  --runs <n,n,…>        concurrent runs, one level after the other (default 250,500,1000,2000,4000)
  --seconds <n>         seconds to measure at each level (default 15)
  --run-seconds <n>     mean length of a run (default 90)
  --steps <n>           steps of a run; each is an event and an artifact (default 20)
  --poll-seconds <n>    how often a client asks for its execution, on average (default 10); with 0 it waits instead, and asks
                        again after each notification, which costs more
  --out <file>          write the curve as an SVG picture
  --earlier <file>      draw the JSON of an earlier measurement beside it
  --json                print one JSON object instead of tables
  --help                show this help

PostgreSQL, workers and clients share the cores of this machine. To see what bends first, the second table has the cores that
were idle, and what PostgreSQL's sessions waited for: many on "CPU" with no core idle means that the machine is too small.
Everything runs in temporary folders and on loopback, and is
removed at the end, even on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: "string", default: "250,500,1000,2000,4000" },
      seconds: { type: "string", default: "15" },
      "run-seconds": { type: "string", default: "90" },
      steps: { type: "string", default: "20" },
      "poll-seconds": { type: "string", default: "10" },
      out: { type: "string" },
      earlier: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    levels: values.runs.split(",").map((text) => readWholeNumber("--runs", text, { max: 20_000 })),
    seconds: readWholeNumber("--seconds", values.seconds, { max: 600 }),
    shape: {
      runSeconds: readWholeNumber("--run-seconds", values["run-seconds"], { max: 3_600 }),
      steps: readWholeNumber("--steps", values.steps, { max: 1_000 }),
      pollSeconds: readWholeNumber("--poll-seconds", values["poll-seconds"], { min: 0, max: 600 }),
    },
    out: values.out ?? null,
    earlier: values.earlier ?? null,
    json: values.json,
  };
}

async function readEarlier(file: string | null): Promise<Level[] | null> {
  return file === null ? null : (JSON.parse(await readFile(file, "utf8")) as Result).levels;
}

async function run({ levels, seconds, shape, out, earlier }: Options, signal: AbortSignal): Promise<Result> {
  const ascending = levels.toSorted((one, other) => one - other);
  await using stage = await openCapacityStage(shape, ascending.at(-1) ?? 0, showProgress);
  const measured: Level[] = [];
  for (const wanted of ascending) measured.push(await measureLevel(stage, wanted, { seconds, shape, signal }));
  const result = { machine: await describeMachine(stage.database), shape, seconds, levels: measured };
  if (out !== null) await writeFile(out, drawCurves(measured, await readEarlier(earlier)));
  return result;
}

async function measureLevel(
  stage: CapacityStage,
  wanted: number,
  { seconds, shape, signal }: { seconds: number; shape: RunShape; signal: AbortSignal },
): Promise<Level> {
  showProgress(`${wanted.toLocaleString("en")} runs: starting`);
  await stage.grow(wanted);
  const deadlineMs = performance.now() + RAMP_MS;
  while ((await stage.countRunning()) < wanted * 0.95 && performance.now() < deadlineMs) await pause(500, signal);
  await pause(SETTLE_MS, signal);
  showProgress(`${wanted.toLocaleString("en")} runs: measuring for ${seconds} s`);
  await stage.takeReports();
  const readUse = await stage.recordUse();
  const startedMs = performance.now();
  const counts: number[] = [];
  const seen: string[] = [];
  for (let second = 0; second < seconds; second += 1) {
    await pause(1_000, signal);
    seen.push(...(await stage.listActivity()));
    counts.push(await stage.countRunning());
  }
  const reports = await stage.takeReports();
  const took = (performance.now() - startedMs) / 1_000;
  const use = await readUse();
  const running = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return {
    wanted,
    running: Math.round(running),
    ...summarize(reports, took),
    // The length of a step varies evenly from half to one and a half of the mean.
    offeredEvents: (running * shape.steps * Math.log(3)) / shape.runSeconds,
    transactions: use.transactions / took,
    walMb: use.walMb / took,
    cores: {
      postgres: use.cpuSeconds.postgres / took,
      workers: use.cpuSeconds.workers / took,
      clients: use.cpuSeconds.clients / took,
      idle: use.cpuSeconds.idle / took,
    },
    activity: countActivity(seen, seconds),
  };
}

function countActivity(seen: string[], samples: number): Level["activity"] {
  return Object.entries(Object.groupBy(seen, (name) => name))
    .map(([name, all = []]) => ({ name, sessions: all.length / samples }))
    .sort((one, other) => other.sessions - one.sessions);
}

function summarize(reports: Report[], seconds: number) {
  const count = (operation: Operation) => reports.reduce((sum, { counts }) => sum + (counts[operation] ?? 0), 0);
  const times = (operation: Operation) => reports.flatMap(({ timesMs }) => timesMs[operation] ?? []);
  const [events, claims] = [times("event"), times("claim")];
  return {
    perSecond: Object.fromEntries(OPERATIONS.map((name) => [name, count(name) / seconds])) as Level["perSecond"],
    eventP50Ms: quantile(events, 0.5),
    eventP99Ms: quantile(events, 0.99),
    claimP50Ms: quantile(claims, 0.5),
    failures: reports.reduce((sum, { failures }) => sum + failures, 0),
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function format({ machine, shape, seconds, levels }: Result): string {
  const whole = (value: number) => Math.round(value).toLocaleString("en");
  return [
    `${formatMachine(machine)}. Runs of ${shape.runSeconds} s with ${shape.steps} steps; ${shape.pollSeconds === 0 ? "clients wait" : `a client asks every ${shape.pollSeconds} s`}; ${seconds} s at each level.`,
    formatTable(
      [
        "runs",
        "running",
        "events/s",
        "of offered",
        "p50 ms",
        "p99 ms",
        "claims/s",
        "empty",
        "heartbeats/s",
        "polls/s",
        "failed",
      ],
      levels.map(({ wanted, running, perSecond, offeredEvents, eventP50Ms, eventP99Ms, failures }) => [
        whole(wanted),
        whole(running),
        whole(perSecond.event),
        `${whole((100 * perSecond.event) / offeredEvents)} %`,
        eventP50Ms.toFixed(0),
        eventP99Ms.toFixed(0),
        whole(perSecond.claim),
        whole(perSecond["empty claim"]),
        whole(perSecond.heartbeat),
        whole(perSecond.poll),
        whole(failures),
      ]),
    ),
    formatTable(
      [
        "runs",
        "transactions/s",
        "WAL MB/s",
        "cores: PostgreSQL",
        "workers",
        "clients",
        "idle",
        "PostgreSQL, ms per run and second",
        "its sessions, by what they wait for",
      ],
      levels.map(({ wanted, running, transactions, walMb, cores, activity }) => [
        whole(wanted),
        whole(transactions),
        walMb.toFixed(1),
        cores.postgres.toFixed(2),
        cores.workers.toFixed(2),
        cores.clients.toFixed(2),
        cores.idle.toFixed(2),
        ((1_000 * cores.postgres) / running).toFixed(2),
        activity
          .slice(0, SHOWN_WAITS)
          .map(({ name, sessions }) => `${name} ${sessions.toFixed(1)}`)
          .join(", "),
      ]),
    ),
    "",
  ].join("\n\n");
}

await runCommand({ help: HELP, readOptions, run, format });
