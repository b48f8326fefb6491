/** Steady load for a long time, and what grows meanwhile: `node bench/soak.ts --help`. */

import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { runCommand, showProgress } from "./_command.ts";
import { findLosses, type Losses } from "./_load-check.ts";
import { type Samples, takeSamples } from "./_load-samples.ts";
import { findErrand } from "./_load-site.ts";
import { type LoadStage, setLoadStage } from "./_load-stage.ts";
import { describeMachine, formatMachine, formatTable, type Machine } from "./_report.ts";
import { runClients, type SoakCounts } from "./_soak-clients.ts";
import { findTrend, type Trend, toSeries } from "./_soak-figures.ts";
import { plot } from "./_soak-plot.ts";

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
  /** Null when the run was too short to tell. */
  isFlat: boolean | null;
  files: string[];
}

const SAMPLE_MS = 5_000;
const REPORT_EVERY = 12;
const MIN_MINUTES_TO_JUDGE = 10;
const HELP = `Steady load on several processes, with their memory, open files, browsers and database connections over time.

  node bench/soak.ts [options]

  --minutes <n>      how long (default 30)
  --apis <n>         api processes (default 1)
  --workers <n>      worker processes (default 2)
  --concurrency <n>  executions that one worker runs at a time (default 2)
  --pages <n>        pages that an execution looks at: 1 or 2 (default 2)
  --out <folder>     where soak.svg and soak.json go (default docs/pictures)
  --json             print one JSON object instead of tables
  --help             this text

As many clients as executions can run at a time: each creates one, follows its events, waits for it, downloads all its
artifacts and begins again. It is an error when one is lost or when something grows without end.
Everything else is in temporary folders and on loopback, and is removed at the end, also on Ctrl-C.
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
    minutes: readNumber("--minutes", values.minutes, 1_440),
    apis: readNumber("--apis", values.apis, 16),
    workers: readNumber("--workers", values.workers, 64),
    concurrency: readNumber("--concurrency", values.concurrency, 100),
    pages: readNumber("--pages", values.pages, 2),
    out: resolve(values.out),
    json: values.json,
  };
}

function readNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^[1-9]\d*$/.test(text) || value > max) throw new Error(`${name} takes whole numbers from 1 to ${max}.`);
  return value;
}

async function run(options: Options, signal: AbortSignal): Promise<Result> {
  const { minutes, apis, workers, concurrency } = options;
  const clients = workers * concurrency;
  await using stage = await setLoadStage({ apis, concurrency, connections: clients, signal, onProgress: showProgress });
  const machine = await describeMachine(stage.database);
  const { samples, connections, counts } = await soak(stage, options, clients, signal);
  const losses = await findLosses(stage.database, counts.ended);
  const series = toSeries(samples, connections);
  const trends = series.map(findTrend);
  const isFlat = minutes < MIN_MINUTES_TO_JUDGE ? null : trends.every((trend) => trend.isFlat);
  const files = ["soak.svg", "soak.json"].map((name) => join(options.out, name));
  await mkdir(options.out, { recursive: true });
  await writeFile(files[0] ?? "", plot(series, `${minutes} minutes under steady load`));
  const result = { machine, minutes, counts, losses, trends, isFlat, files };
  await writeFile(files[1] ?? "", `${JSON.stringify({ machine, minutes, counts, losses, trends, isFlat }, null, 2)}\n`);
  showProgress("Cleaning up");
  if (Object.values(losses).some((count) => count !== 0))
    throw new Error(`Not everything is right: ${JSON.stringify(losses)}`);
  return result;
}

async function soak(stage: LoadStage, options: Options, clients: number, signal: AbortSignal) {
  await using running = await stage.startWorkers(options.workers);
  const counts: SoakCounts = { ended: 0, failed: 0, requests: 0 };
  const connections: { seconds: number; count: number }[] = [];
  const over = new AbortController();
  const stopped = AbortSignal.any([signal, over.signal]);
  let looks = 0;
  const sampling = takeSamples({
    processes: [...stage.apis, ...running.workers],
    everyMs: SAMPLE_MS,
    signal: stopped,
    async onLook(seconds) {
      connections.push({ seconds, count: await countConnections(stage) });
      looks += 1;
      if (looks % REPORT_EVERY === 0)
        showProgress(`${(seconds / 60).toFixed(0)} of ${options.minutes} min, ${counts.ended} executions ended`);
    },
  });
  const errand = findErrand(options.pages);
  const working = runClients(stage, { errand, clients, counts, signal: stopped });
  try {
    // Whoever fails first ends it.
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
    null: "Too short to tell whether something grows.",
  };
  return [
    `${formatMachine(machine)}. ${minutes} min, ${options.apis} api and ${options.workers} worker processes: ${counts.ended} executions, ${counts.failed} of them not verified; ${counts.requests} requests.`,
    formatTable(
      ["watched", "of", "mean", "an hour", "highest", "flat"],
      trends.map(({ panel, name, mean, perHour, highest, isFlat: isOwnFlat }) => [
        panel,
        name,
        mean.toFixed(1),
        `${perHour > 0 ? "+" : ""}${perHour.toFixed(1)}`,
        highest.toFixed(0),
        isOwnFlat ? "yes" : "NO",
      ]),
    ),
    `${verdict[`${isFlat}`]} ${files.join(" and ")}`,
    "",
  ].join("\n\n");
}

await runCommand({ help: HELP, readOptions, run, format });
