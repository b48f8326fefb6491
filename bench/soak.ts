/** Steady load for a long time, to see what grows: `npm run bench:soak -- --help`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { drawChart } from "./harness/chart.ts";
import { readNumber, readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import type { Connected } from "./harness/connected.ts";
import { describeMachine, formatMachine, formatTable, type Machine } from "./harness/report.ts";
import { findLosses, type Losses } from "./load/outcome.ts";
import { type Samples, takeSamples } from "./load/samples.ts";
import { findErrand, type LoadErrand } from "./load/site.ts";
import { type LoadStage, openLoadStage } from "./load/stage.ts";
import { findTrend, type Trend, toSeries } from "./soak/trends.ts";

interface Options {
  minutes: number;
  apis: number;
  workers: number;
  concurrency: number;
  pages: number;
  out: string;
  json: boolean;
}

interface Result {
  machine: Machine;
  minutes: number;
  counts: SoakCounts;
  losses: Losses;
  trends: Trend[];
  /** Null if the run was too short to tell. */
  isFlat: boolean | null;
  files: string[];
}

/** What the clients have counted so far. */
interface SoakCounts {
  ended: number;
  /** Ended without a verified result. */
  failed: number;
  requests: number;
}

const PAUSE_MS = 200;
const SAMPLE_MS = 5_000;
const REPORT_EVERY = 12;
const MIN_MINUTES_TO_JUDGE = 10;
const HELP = `Puts steady load on several processes and records their memory, open files, browsers and database connections.

  npm run bench:soak -- [options]

  --minutes <n>      duration (default 30)
  --apis <n>         api processes (default 1)
  --workers <n>      worker processes (default 2)
  --concurrency <n>  concurrent executions in each worker (default 2)
  --pages <n>        pages that an execution opens: 1 or 2 (default 2)
  --out <folder>     folder for soak.svg and soak.json (default docs/pictures)
  --json             print one JSON object instead of tables
  --help             show this help

There are as many clients as concurrent executions. Each creates an execution, follows its events, waits for it, downloads
all its artifacts and starts again. The command fails if an execution is lost. Runs of at least ${MIN_MINUTES_TO_JUDGE} minutes end with a
verdict whether anything grows.
Everything else is in temporary folders and on loopback, and is removed at the end, even on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string", default: "30" },
      apis: { type: "string", default: "1" },
      workers: { type: "string", default: "2" },
      concurrency: { type: "string", default: "2" },
      pages: { type: "string", default: "2" },
      out: { type: "string", default: join(import.meta.dirname, "../docs/pictures") },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    minutes: readNumber("--minutes", values.minutes, { min: 0.1, max: 1_440 }),
    apis: readWholeNumber("--apis", values.apis, { max: 16 }),
    workers: readWholeNumber("--workers", values.workers, { max: 64 }),
    concurrency: readWholeNumber("--concurrency", values.concurrency, { max: 100 }),
    pages: readWholeNumber("--pages", values.pages, { max: 2 }),
    out: resolve(values.out),
    json: values.json,
  };
}

async function run(options: Options, signal: AbortSignal): Promise<Result> {
  const { minutes, apis, workers, concurrency } = options;
  const clients = workers * concurrency;
  await using stage = await openLoadStage({
    apis,
    concurrency,
    connections: clients,
    signal,
    onProgress: showProgress,
  });
  const machine = await describeMachine(stage.database);
  const { samples, connections, counts } = await soak(stage, options, clients, signal);
  const losses = await findLosses(stage.database, counts.ended);
  const series = toSeries(samples, connections);
  const trends = series.map(findTrend);
  const isFlat = minutes < MIN_MINUTES_TO_JUDGE ? null : trends.every((trend) => trend.isFlat);
  const files = ["soak.svg", "soak.json"].map((name) => join(options.out, name));
  await mkdir(options.out, { recursive: true });
  const labelX = (x: number, max: number) => `${x.toFixed(max < 5 ? 1 : 0)} min`;
  await writeFile(files[0] ?? "", drawChart(series, { title: `${minutes} minutes under steady load`, labelX }));
  const result = { machine, minutes, counts, losses, trends, isFlat, files };
  await writeFile(files[1] ?? "", `${JSON.stringify({ machine, minutes, counts, losses, trends, isFlat }, null, 2)}\n`);
  showProgress("Cleaning up");
  if (Object.values(losses).some((count) => count !== 0))
    throw new Error(`Executions were lost, duplicated or not settled: ${JSON.stringify(losses)}`);
  return result;
}

async function soak(stage: LoadStage, options: Options, clients: number, signal: AbortSignal) {
  await using running = await stage.startWorkers(options.workers);
  const counts: SoakCounts = { ended: 0, failed: 0, requests: 0 };
  const connections: { seconds: number; count: number }[] = [];
  const over = new AbortController();
  const stopped = AbortSignal.any([signal, over.signal]);
  let samplesTaken = 0;
  const sampling = takeSamples({
    processes: [...stage.apis, ...running.workers],
    everyMs: SAMPLE_MS,
    signal: stopped,
    async onSample(seconds) {
      connections.push({ seconds, count: await countConnections(stage) });
      samplesTaken += 1;
      if (samplesTaken % REPORT_EVERY === 0)
        showProgress(`${(seconds / 60).toFixed(0)} of ${options.minutes} min, ${counts.ended} executions ended`);
    },
  });
  const errand = findErrand(options.pages);
  const working = runClients(stage, { errand, clients, counts, signal: stopped });
  try {
    // The first failure ends the run.
    await Promise.race([sleep(options.minutes * 60_000, undefined, { signal }), working, sampling]);
    signal.throwIfAborted();
  } finally {
    over.abort();
    await Promise.allSettled([working, sampling]);
  }
  await working;
  const samples: Samples = await sampling;
  return { samples, connections, counts };
}

interface SoakOptions {
  errand: LoadErrand;
  clients: number;
  counts: SoakCounts;
  signal: AbortSignal;
}

/** Each client creates an execution, waits for it and reads everything about it, in a loop until the signal aborts. */
async function runClients(stage: LoadStage, options: SoakOptions): Promise<void> {
  const clients = stage.connections.slice(0, options.clients).map((connection, number) => {
    const api = stage.apis[number % stage.apis.length];
    return runClient(`http://127.0.0.1:${api?.port}`, connection, stage.siteUrl, options);
  });
  await Promise.all(clients);
}

async function runClient(url: string, connected: Connected, siteUrl: string, options: SoakOptions): Promise<void> {
  const { errand, counts, signal } = options;
  const base = `${url}/v1/applications/${connected.applicationId}/executions`;
  const call = async (path: string, init: RequestInit = {}, headers: Record<string, string> = {}) => {
    counts.requests += 1;
    const response = await fetch(base + path, {
      ...init,
      headers: { authorization: `Bearer ${connected.token}`, "content-type": "application/json", ...headers },
    });
    const body = Buffer.from(await response.arrayBuffer());
    if (!response.ok) throw new Error(`${response.status} for ${path || "a create"}: ${body.toString().slice(0, 300)}`);
    return body;
  };
  const requestJson = async <Body>(path: string, init?: RequestInit) =>
    JSON.parse(String(await call(path, init))) as Body;

  while (!signal.aborted) {
    const body = JSON.stringify({ prompt: errand.prompt, start_url: siteUrl });
    const { execution } = await requestJson<ExecutionResponse>("", { method: "POST", body });
    const { id } = execution;
    // The stream ends with the execution.
    await call(`/${id}/events`, {}, { accept: "text/event-stream" });
    const ended = await requestJson<ExecutionResponse>(`/${id}?wait=30`);
    counts.ended += 1;
    if (ended.execution.status !== "COMPLETED") counts.failed += 1;
    const { artifacts } = await requestJson<{ artifacts: { id: string }[] }>(`/${id}/artifacts`);
    for (const artifact of artifacts) await call(`/${id}/artifacts/${artifact.id}`);
    await call("?limit=10");
    await sleep(PAUSE_MS);
  }
}

interface ExecutionResponse {
  execution: { id: string; status: string };
}

async function countConnections({ database: { pool } }: LoadStage): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*) as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  return rows[0]?.count ?? 0;
}

function format({ machine, minutes, counts, trends, isFlat, files }: Result, options: Options): string {
  const verdict = {
    true: "Nothing grows.",
    false: "SOMETHING GROWS.",
    null: "The run was too short to tell whether anything grows.",
  };
  return [
    `${formatMachine(machine)}. ${minutes} min, ${options.apis} api and ${options.workers} worker processes: ${counts.ended} executions, ${counts.failed} of them not verified; ${counts.requests} requests.`,
    formatTable(
      ["recorded", "of", "mean", "per hour", "highest", "flat"],
      trends.map(({ panel, name, mean, perHour, highest, isFlat: isTrendFlat }) => [
        panel,
        name,
        mean.toFixed(1),
        `${perHour > 0 ? "+" : ""}${perHour.toFixed(1)}`,
        highest.toFixed(0),
        isTrendFlat ? "yes" : "NO",
      ]),
    ),
    `${verdict[`${isFlat}`]} ${files.join(" and ")}`,
    "",
  ].join("\n\n");
}

await runCommand({ help: HELP, readOptions, run, format });
