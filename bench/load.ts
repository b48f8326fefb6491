/** Several processes under load until every execution has ended: `npm run bench:load -- --help`. */
import { parseArgs } from "node:util";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { type Generator, startGenerator } from "./harness/processes.ts";
import { describeMachine, formatMachine, formatTable, type Machine, median } from "./harness/report.ts";
import { countOutcomes, type Drained, drain, findLosses, type Losses, type Outcome } from "./load/outcome.ts";
import { type Sample, type Samples, takeSamples } from "./load/samples.ts";
import { findErrand, type LoadErrand } from "./load/site.ts";
import { type LoadStage, openLoadStage } from "./load/stage.ts";
import { createMany, pollMany, type RequestFigures, runBare } from "./load/workload.ts";

interface Options {
  apis: number;
  workers: number;
  concurrency: number;
  executions: number;
  seconds: number;
  clients: number;
  errand: LoadErrand;
  curve: number[];
  curveExecutions: number;
  json: boolean;
}

interface CurvePoint {
  workers: number;
  concurrency: number;
  perSecond: number;
  barePerSecond: number;
  /** Of bare scripts that have a browser process each. */
  isolatedPerSecond: number;
}

interface Result {
  machine: Machine;
  apis: number;
  workers: number;
  concurrency: number;
  requests: RequestFigures[];
  drained: Drained;
  outcomes: Outcome[];
  losses: Losses;
  curve: CurvePoint[];
  memory: ProcessMemory[];
}

interface ProcessMemory {
  name: string;
  secondQuarterMb: number;
  lastQuarterMb: number;
  highestMb: number;
}

const SAMPLE_MS = 2_000;
const WARM_UP = 4;
const HELP = `Creates and reads executions on several api and worker processes and one PostgreSQL, until all have ended.

  npm run bench:load -- [options]

  --apis <n>              api processes (default 2)
  --workers <n>           worker processes (default 2)
  --concurrency <n>       concurrent executions in each worker (default 2)
  --executions <n>        executions to create and wait for (default 200)
  --seconds <n>           how long they are read while they run (default 10)
  --clients <n>           connections that create and read (default 16)
  --pages <n>             pages that an execution opens: 1 or 2 (default 2)
  --curve <list>          numbers of workers to compare first (default 1,2,4; "none" to skip)
  --curve-executions <n>  executions for each number of workers (default 60)
  --json                  print one JSON object instead of tables
  --help                  show this help

Each execution opens local pages and reads a price, without a model, with evidence and verification. The command
fails if one is lost or does not have exactly one terminal state and one settlement, or if the ledger does not add up.
Everything runs in temporary folders and on loopback, and is removed at the end, even on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      apis: { type: "string", default: "2" },
      workers: { type: "string", default: "2" },
      concurrency: { type: "string", default: "2" },
      executions: { type: "string", default: "200" },
      seconds: { type: "string", default: "10" },
      clients: { type: "string", default: "16" },
      pages: { type: "string", default: "2" },
      curve: { type: "string", default: "1,2,4" },
      "curve-executions": { type: "string", default: "60" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    apis: readWholeNumber("--apis", values.apis, { max: 16 }),
    workers: readWholeNumber("--workers", values.workers, { max: 64 }),
    concurrency: readWholeNumber("--concurrency", values.concurrency, { max: 100 }),
    executions: readWholeNumber("--executions", values.executions, { max: 1_000_000 }),
    seconds: readWholeNumber("--seconds", values.seconds, { max: 3_600 }),
    clients: readWholeNumber("--clients", values.clients, { max: 1_000 }),
    errand: findErrand(readWholeNumber("--pages", values.pages, { max: 2 })),
    curve:
      values.curve === "none"
        ? []
        : values.curve.split(",").map((text) => readWholeNumber("--curve", text, { max: 64 })),
    curveExecutions: readWholeNumber("--curve-executions", values["curve-executions"], { max: 100_000 }),
    json: values.json,
  };
}

async function run(options: Options, signal: AbortSignal): Promise<Result> {
  const { apis, workers, concurrency } = options;
  await using parts = new AsyncDisposableStack();
  const connections = Math.max(32, 4 * concurrency * Math.max(workers, ...options.curve));
  const stage = parts.use(await openLoadStage({ apis, concurrency, connections, signal, onProgress: showProgress }));
  const generators = stage.apis.map(() => parts.use(startGenerator()));
  const curve = await compareWorkers(stage, generators, options, signal);
  const measured = await runLoad(stage, generators, options, signal);
  const machine = await describeMachine(stage.database);
  showProgress("Checking the outcome of every execution");
  const created = options.executions + curve.length * (options.curveExecutions + WARM_UP);
  const losses = await findLosses(stage.database, created);
  const outcomes = await countOutcomes(stage.database);
  showProgress("Cleaning up");
  if (Object.values(losses).some((count) => count !== 0))
    throw new Error(`Executions were lost, duplicated or not settled: ${JSON.stringify(losses)}`);
  return { machine, apis, workers, concurrency, ...measured, outcomes, losses, curve };
}

/** Runs the same number of executions with each number of workers, and as many bare scripts with the same concurrency, twice. */
async function compareWorkers(
  stage: LoadStage,
  generators: Generator[],
  { concurrency, curve, curveExecutions, clients, errand }: Options,
  signal: AbortSignal,
): Promise<CurvePoint[]> {
  if (curve.length === 0) return [];
  const points: CurvePoint[] = [];
  for (const workers of curve) {
    const total = workers * concurrency;
    showProgress(`Bare scripts, ${total} concurrently`);
    const runs = { count: curveExecutions, concurrency: total };
    const barePerSecond = await runBare(stage.siteUrl, errand, { ...runs, isIsolated: false }, signal);
    const isolatedPerSecond = await runBare(stage.siteUrl, errand, { ...runs, isIsolated: true }, signal);
    await using _workers = await stage.startWorkers(workers);
    await runAll(stage, generators, { executions: WARM_UP, clients, errand }, signal);
    showProgress(`${curveExecutions} executions on ${workers} ${workers === 1 ? "worker" : "workers"}`);
    const { drained } = await runAll(stage, generators, { executions: curveExecutions, clients, errand }, signal);
    points.push({ workers, concurrency: total, perSecond: drained.perSecond, barePerSecond, isolatedPerSecond });
  }
  return points;
}

async function runLoad(stage: LoadStage, generators: Generator[], options: Options, signal: AbortSignal) {
  await using running = await stage.startWorkers(options.workers);
  const over = new AbortController();
  const processes = [...stage.apis, ...running.workers];
  const sampling = takeSamples({ processes, everyMs: SAMPLE_MS, signal: over.signal });
  try {
    const { drained, requests } = await runAll(stage, generators, options, signal);
    return { drained, requests, memory: summarizeMemory(await stopSampling(over, sampling)) };
  } finally {
    await stopSampling(over, sampling);
  }
}

function stopSampling(over: AbortController, sampling: Promise<Samples>): Promise<Samples> {
  over.abort();
  return sampling;
}

/** Creates executions, reads them for a while if `seconds` is given, and waits until all have ended. */
async function runAll(
  stage: LoadStage,
  generators: Generator[],
  {
    executions,
    seconds = 0,
    clients,
    errand,
  }: Pick<Options, "executions" | "clients" | "errand"> & { seconds?: number },
  signal: AbortSignal,
) {
  const { rows } = await stage.database.pool.query<{ count: number }>("select count(*) as count from executions");
  const startedMs = performance.now();
  const endedBefore = rows[0]?.count ?? 0;
  const load = { generators, clients, errand };
  const requests = [await createMany(stage, executions, load)];
  signal.throwIfAborted();
  if (seconds > 0) {
    showProgress(`${executions} executions created; reading them for ${seconds} s`);
    requests.push(await pollMany(stage, seconds, load));
  }
  const drained = await drain(stage.database, { signal, onProgress: showProgress, endedBefore, startedMs });
  return { drained, requests };
}

/** Private memory in the second quarter of the run, when everything is warm, and in the last. */
function summarizeMemory(samples: Samples): ProcessMemory[] {
  return [...samples].map(([name, all]) => {
    const quarter = all.length / 4;
    const medianMb = (part: Sample[]) => median(part.flatMap(({ privateMb }) => privateMb ?? []));
    return {
      name,
      secondQuarterMb: medianMb(all.slice(Math.floor(quarter), Math.floor(2 * quarter))),
      lastQuarterMb: medianMb(all.slice(Math.floor(3 * quarter))),
      highestMb: Math.max(...all.map(({ privateMb }) => privateMb ?? 0)),
    };
  });
}

function format(result: Result): string {
  const { machine, apis, workers, concurrency, curve } = result;
  return [
    `${formatMachine(machine)}. ${apis} api and ${workers} worker processes, ${concurrency} concurrent executions in each.`,
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

function formatDrained({ drained, outcomes, losses }: Result): string {
  const lost = Object.values(losses).reduce<number>((sum, count) => sum + count, 0);
  return formatTable(
    ["drained", "executions", "seconds", "per second"],
    [
      ["all", String(drained.executions), drained.seconds.toFixed(0), drained.perSecond.toFixed(2)],
      ...outcomes.map(({ status, count, reason }) => [
        `ended as ${status}${status === "verified" ? "" : ` (${reason})`}`,
        String(count),
        "",
        "",
      ]),
      ["lost, duplicated, unsettled", String(lost), "", ""],
    ],
  );
}

function formatCurve(curve: CurvePoint[]): string {
  const [one] = curve;
  return formatTable(
    [
      ...[
        "workers",
        "concurrency",
        "executions per second",
        "ratio to the first",
        "bare script per second",
        "ratio to it",
      ],
      ...["with a browser each", "ratio to it"],
    ],
    curve.map(({ workers, concurrency, perSecond, barePerSecond, isolatedPerSecond }) => [
      String(workers),
      String(concurrency),
      perSecond.toFixed(2),
      (perSecond / (one?.perSecond ?? Number.NaN)).toFixed(2),
      barePerSecond.toFixed(2),
      (perSecond / barePerSecond).toFixed(2),
      isolatedPerSecond.toFixed(2),
      (perSecond / isolatedPerSecond).toFixed(2),
    ]),
  );
}

function formatMemory(memory: ProcessMemory[]): string {
  return formatTable(
    ["private memory", "second quarter MB", "last quarter MB", "ratio", "highest MB"],
    memory.map(({ name, secondQuarterMb, lastQuarterMb, highestMb }) => [
      name,
      secondQuarterMb.toFixed(0),
      lastQuarterMb.toFixed(0),
      (lastQuarterMb / secondQuarterMb).toFixed(2),
      highestMb.toFixed(0),
    ]),
  );
}

await runCommand({ help: HELP, readOptions, run, format });
