import type { Browser } from "playwright-core";
import { launchBrowser } from "../harness/browsers.ts";
import type { Connected } from "../harness/connected.ts";
import type { JobResult } from "../harness/job.ts";
import type { Generator } from "../harness/processes.ts";
import { quantile } from "../harness/report.ts";
import { LOAD_PRICE, type LoadErrand } from "./site.ts";
import type { LoadProcess, LoadStage } from "./stage.ts";

export interface RequestFigures {
  name: string;
  calls: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

interface Load {
  errand: LoadErrand;
  generators: Generator[];
  clients: number;
}

const MAX_POLLS = 2_000_000;
/** More than any number of creates takes. */
const CREATE_SECONDS = 1_800;

/** Creates `count` executions, for all connections in turn and through all api processes at the same time. */
export function createMany(stage: LoadStage, count: number, load: Load): Promise<RequestFigures> {
  const choices = stage.connections.map((one) => formatCreate(one, load.errand, stage.siteUrl));
  const share = Math.ceil(count / stage.apis.length);
  let left = count;
  const jobs = stage.apis.map((api) => {
    const maxCalls = Math.min(share, left);
    left -= maxCalls;
    return { api, choices, status: 201, seconds: CREATE_SECONDS, maxCalls };
  });
  return sendJobs("creates", jobs, load);
}

/** Reads executions of all connections in turn for the given time. */
export async function pollMany(stage: LoadStage, seconds: number, load: Load): Promise<RequestFigures> {
  const choices = await formatPolls(stage);
  const jobs = stage.apis.map((api) => ({ api, choices, status: 200, seconds, maxCalls: MAX_POLLS }));
  return sendJobs("polls", jobs, load);
}

interface ApiJob {
  api: LoadProcess;
  choices: string[];
  status: number;
  seconds: number;
  maxCalls: number;
}

async function sendJobs(name: string, jobs: ApiJob[], { generators, clients }: Load): Promise<RequestFigures> {
  const concurrency = Math.max(1, Math.floor(clients / jobs.length));
  const results = await Promise.all(
    jobs.map(({ api: { port }, choices, status, seconds, maxCalls }, index) => {
      const generator = generators[index];
      if (generator === undefined) throw new Error("There are fewer generators than api processes.");
      return generator.run({
        work: { kind: "http", port, choices, status },
        concurrency,
        seconds,
        maxCalls,
        unique: null,
      });
    }),
  );
  return summarize(name, results);
}

function summarize(name: string, results: JobResult[]): RequestFigures {
  const latencies = results.flatMap(({ latenciesMs }) => [...latenciesMs]);
  const perSecond = results.reduce((sum, { seconds, latenciesMs }) => sum + latenciesMs.length / seconds, 0);
  return {
    name,
    calls: latencies.length,
    perSecond,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

function formatCreate({ applicationId, token }: Connected, { prompt }: LoadErrand, startUrl: string): string {
  const body = JSON.stringify({ prompt, start_url: startUrl });
  return [
    `POST /v1/applications/${applicationId}/executions HTTP/1.1`,
    "host: 127.0.0.1",
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `\r\n${body}`,
  ].join("\r\n");
}

async function formatPolls({ database, connections }: LoadStage): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string; connection_id: string }>(
    `select newest.id, newest.connection_id from connections as mine cross join lateral (
       select executions.id, connection_id from executions where connection_id = mine.id order by executions.id desc limit 20
     ) as newest (id, connection_id)`,
  );
  const tokens = new Map(connections.map((one) => [one.connectionId, one]));
  return rows.flatMap(({ id, connection_id }) => {
    const one = tokens.get(connection_id);
    if (one === undefined) return [];
    const lines = [
      `GET /v1/applications/${one.applicationId}/executions/${id} HTTP/1.1`,
      "host: 127.0.0.1",
      `authorization: Bearer ${one.token}`,
      "\r\n",
    ];
    return [lines.join("\r\n")];
  });
}

interface BareRuns {
  count: number;
  concurrency: number;
  /** Whether each has a browser process of its own, as executions have, or all share one. */
  isIsolated: boolean;
}

/** The same pages in a plain Playwright script: the upper bound for this machine. Returns the runs per second. */
export async function runBare(
  siteUrl: string,
  { pages }: LoadErrand,
  { count, concurrency, isIsolated }: BareRuns,
  signal: AbortSignal,
): Promise<number> {
  await using shared = isIsolated ? null : await launchBrowser();
  const startedMs = performance.now();
  let started = 0;
  const work = async () => {
    while (started < count && !signal.aborted) {
      started += 1;
      await using own = shared === null ? await launchBrowser() : null;
      const browser = shared ?? own;
      if (browser !== null) await readPrice(browser, siteUrl, pages);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  signal.throwIfAborted();
  return count / ((performance.now() - startedMs) / 1_000);
}

async function readPrice(browser: Browser, siteUrl: string, pages: number): Promise<void> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(siteUrl);
    if (pages > 1) await page.getByRole("link", { name: "Brindle Kettle" }).click();
    const element = pages > 1 ? page.getByText("Price:") : page.getByRole("row", { name: "Brindle Kettle" });
    const price = (await element.textContent()) ?? "";
    if (!price.includes(LOAD_PRICE)) throw new Error(`The script read ${price} instead of ${LOAD_PRICE}.`);
  } finally {
    await context.close();
  }
}
