/** Several processes under load, until everything has ended: `node bench/load.ts --help`. */

import { parseArgs } from "node:util";
import { type Generator, startGenerator } from "./_child.ts";
import { runCommand, showProgress } from "./_command.ts";
import { openBareLoad } from "./_load-bare.ts";
import { countOutcomes, findLosses } from "./_load-check.ts";
import { drain } from "./_load-drain.ts";
import { type CurvePoint, formatLoad, type LoadResult, summarizeMemory } from "./_load-report.ts";
import { createMany, pollMany } from "./_load-requests.ts";
import { takeSamples } from "./_load-samples.ts";
import { findErrand, type LoadErrand } from "./_load-site.ts";
import { type LoadStage, setLoadStage } from "./_load-stage.ts";
import { describeMachine } from "./_report.ts";

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

const SAMPLE_MS = 2_000;
const WARM_UP = 4;
const HELP = `Several api and worker processes on one PostgreSQL: creates and reads while executions run, until all have ended.

  node bench/load.ts [options]

  --apis <n>              api processes (default 2)
  --workers <n>           worker processes (default 2)
  --concurrency <n>       executions that one worker runs at a time (default 2)
  --executions <n>        executions to create and to see to their end (default 200)
  --seconds <n>           how long they are read meanwhile (default 10)
  --clients <n>           connections that create and read (default 16)
  --pages <n>             pages that an execution looks at: 1 or 2 (default 2)
  --curve <list>          numbers of workers to compare first, such as 1,2,4 (the default); none leaves it out
  --curve-executions <n>  executions for each of those (default 60)
  --json                  print one JSON object instead of tables
  --help                  this text

Each execution opens local pages and reads a price, with the built-in planner, evidence and verification. It is an
error when one is lost, has not exactly one end and one settlement, or when the ledger does not add up.
Everything runs in temporary folders and on loopback, and is removed at the end, also on Ctrl-C.
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
    apis: readNumber("--apis", values.apis, 16),
    workers: readNumber("--workers", values.workers, 64),
    concurrency: readNumber("--concurrency", values.concurrency, 100),
    executions: readNumber("--executions", values.executions, 1_000_000),
    seconds: readNumber("--seconds", values.seconds, 3_600),
    clients: readNumber("--clients", values.clients, 1_000),
    errand: findErrand(readNumber("--pages", values.pages, 2)),
    curve: values.curve === "none" ? [] : values.curve.split(",").map((text) => readNumber("--curve", text, 64)),
    curveExecutions: readNumber("--curve-executions", values["curve-executions"], 100_000),
    json: values.json,
  };
}

function readNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^[1-9]\d*$/.test(text) || value > max) throw new Error(`${name} takes whole numbers from 1 to ${max}.`);
  return value;
}

async function run(options: Options, signal: AbortSignal): Promise<LoadResult> {
  const { apis, workers, concurrency } = options;
  await using parts = new AsyncDisposableStack();
  const connections = Math.max(32, 4 * concurrency * Math.max(workers, ...options.curve));
  const stage = parts.use(await setLoadStage({ apis, concurrency, connections, signal, onProgress: showProgress }));
  const generators = stage.apis.map(() => parts.use(startGenerator()));
  const curve = await compareWorkers(stage, generators, options, signal);
  const measured = await runLoad(stage, generators, options, signal);
  const machine = await describeMachine(stage.database);
  showProgress("Counting what has become of each");
  const created = options.executions + curve.length * (options.curveExecutions + WARM_UP);
  const losses = await findLosses(stage.database, created);
  const outcomes = await countOutcomes(stage.database);
  showProgress("Cleaning up");
  if (Object.values(losses).some((count) => count !== 0))
    throw new Error(`Not everything is right: ${JSON.stringify(losses)}`);
  return { machine, apis, workers, concurrency, ...measured, outcomes, losses, curve };
}

/** The same number of executions with each number of workers, beside as many bare scripts at a time. */
async function compareWorkers(
  stage: LoadStage,
  generators: Generator[],
  { concurrency, curve, curveExecutions, clients, errand }: Options,
  signal: AbortSignal,
): Promise<CurvePoint[]> {
  if (curve.length === 0) return [];
  await using bare = await openBareLoad(stage.siteUrl, errand);
  const points: CurvePoint[] = [];
  for (const workers of curve) {
    const together = workers * concurrency;
    showProgress(`Bare scripts, ${together} at a time`);
    const barePerSecond = await bare.run(curveExecutions, together, signal);
    await using _workers = await stage.startWorkers(workers);
    await runAll(stage, generators, { executions: WARM_UP, clients, errand }, signal);
    showProgress(`${curveExecutions} executions on ${workers} ${workers === 1 ? "worker" : "workers"}`);
    const { drained } = await runAll(stage, generators, { executions: curveExecutions, clients, errand }, signal);
    points.push({ workers, together, perSecond: drained.perSecond, barePerSecond });
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

function stopSampling<Taken>(over: AbortController, sampling: Promise<Taken>): Promise<Taken> {
  over.abort();
  return sampling;
}

/** Creates them, reads them for a while if asked to, and waits for the last to end. */
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
    showProgress(`${executions} are created; reading them for ${seconds} s`);
    requests.push(await pollMany(stage, seconds, load));
  }
  const drained = await drain(stage.database, { signal, onProgress: showProgress, endedBefore, startedMs });
  return { drained, requests };
}

await runCommand({ help: HELP, readOptions, run, format: formatLoad });
