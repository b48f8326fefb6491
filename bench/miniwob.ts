/** Errands without a model on the tasks of MiniWoB++: `npm run bench:miniwob -- --help`. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ActionReport } from "../src/agent/actions/action.ts";
import { performCalls } from "../src/agent/actions/perform-calls.ts";
import { type Plan, PlannerRefusal } from "../src/agent/planner/planner.ts";
import { planSteps } from "../src/agent/steps/steps-planner.ts";
import { TaskSecrets } from "../src/agent/task-secrets.ts";
import { type BrowserPool, createBrowserPool } from "../src/browser/pool/browser-pool.ts";
import type { BrowserSession } from "../src/browser/session/browser-session.ts";
import { systemClock } from "../src/lib/clock.ts";
import { createLogger } from "../src/lib/logger.ts";
import { findBrowserPath } from "./harness/browsers.ts";
import { runCommand } from "./harness/command.ts";
import { formatReport, type Outcome, type Report, type Result, summarize } from "./miniwob/report.ts";
import { type MiniwobServer, serveMiniwob } from "./miniwob/server.ts";

interface Options {
  folder: string;
  tasks: string[] | null;
  seeds: number[];
  verbose: boolean;
  json: boolean;
}

interface Context {
  server: MiniwobServer;
  pool: BrowserPool;
  seeds: number[];
  onDetail(text: string): void;
  signal: AbortSignal;
}

const MAX_TURNS = 150;
const MAX_EPISODE_MS = 60_000;
const MAX_TASK_MS = 15 * 60_000;
const UTTERANCE_TIMEOUT_MS = 10_000;
const HELP = `Runs the tasks of MiniWoB++ without a model, with the task's sentence as the prompt.

  npm run bench:miniwob -- [options] FOLDER

  FOLDER            the folder miniwob/html of Farama-Foundation/miniwob-plusplus, with miniwob/, core/ and common/ in it
  --tasks <list>    only these tasks, separated by commas (default: all)
  --seeds <range>   the seeds for each task, such as 3 or 21-25 (default 1-5)
  --planner <name>  the planner; only steps is supported (default steps)
  --verbose         also print every step and outcome to standard error
  --json            print one JSON object instead of a table
  --help            show this help
`;

function readOptions(args: string[]): Options | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      tasks: { type: "string" },
      seeds: { type: "string", default: "1-5" },
      planner: { type: "string", default: "steps" },
      json: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const [folder] = positionals;
  if (folder === undefined) throw new Error("FOLDER is missing. Run this with --help for more.");
  if (values.planner !== "steps") throw new Error("--planner must be steps.");
  const { verbose, json } = values;
  return { folder, tasks: values.tasks?.split(",") ?? null, seeds: readSeeds(values.seeds), verbose, json };
}

function readSeeds(text: string): number[] {
  const [, first = "", last = first] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (first === "") throw new Error("--seeds must be a number or a range, such as 21-25.");
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
}

async function run({ folder, tasks, seeds, verbose }: Options, signal: AbortSignal): Promise<Report> {
  await using server = await serveMiniwob(folder);
  await using pool = await createBrowserPool({
    executablePath: await findBrowserPath(),
    warm: 1,
    logger: createLogger("silent", process.stderr),
  });
  const onDetail = (text: string) => void (verbose && process.stderr.write(`${text}\n`));
  const results: Result[] = [];
  for (const task of tasks ?? (await listTasks(folder))) {
    signal.throwIfAborted();
    results.push(...(await runTask(task, { server, pool, seeds, onDetail, signal })));
  }
  return summarize(results);
}

async function listTasks(folder: string): Promise<string[]> {
  const files = await readdir(join(folder, "miniwob"));
  return files.filter((file) => file.endsWith(".html")).map((file) => file.slice(0, -".html".length));
}

async function runTask(task: string, context: Context): Promise<Result[]> {
  const { host } = context.server;
  const options = {
    allowedHosts: [host],
    privateHosts: [host],
    access: "all" as const,
    downloads: { maxFiles: 0, maxBytes: 0 },
    clock: systemClock,
  };
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(MAX_TASK_MS)]);
  await using session = await context.pool.openSession(options, signal);
  const results: Result[] = [];
  for (const seed of context.seeds) {
    const startedMs = performance.now();
    const outcome = await runEpisode(task, seed, session, context);
    const milliseconds = Math.round(performance.now() - startedMs);
    results.push({ task, seed, ...outcome, milliseconds });
    const { kind, utterance, note } = outcome;
    context.onDetail(`${task} ${seed}: ${kind} (${milliseconds} ms) ${utterance} — ${note}`);
  }
  return results;
}

async function runEpisode(
  task: string,
  seed: number,
  session: BrowserSession,
  { server, onDetail, signal: stop }: Context,
): Promise<Outcome> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(MAX_EPISODE_MS)]);
  const { url, episode } = server.prepare(task, seed);
  const hasSucceeded = () => (episode.reward() ?? 0) > 0;
  let utterance = "";
  try {
    await session.goto(url, signal);
    utterance = await Promise.race([episode.utterance, sleep(UTTERANCE_TIMEOUT_MS, "", { ref: false })]);
    const plan = planSteps({ prompt: utterance, startUrl: url, outputSchema: null, now: new Date() });
    const note = await followPlan(plan, { session, reward: episode.reward, onDetail, signal });
    return { kind: hasSucceeded() ? "success" : "failure", utterance, note: `${note}; reward ${episode.reward()}` };
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    if (error instanceof PlannerRefusal) return { kind: "refused", utterance, note };
    return { kind: hasSucceeded() ? "success" : "failure", utterance, note };
  }
}

interface Attempt {
  session: BrowserSession;
  reward: () => number | null;
  onDetail(text: string): void;
  signal: AbortSignal;
}

/** Observes, decides and acts until the episode ends. There is no verifier, because the page itself reports success. */
async function followPlan(plan: Plan, { session, reward, onDetail, signal }: Attempt): Promise<string> {
  let observation = await session.observe(signal);
  let reports: readonly ActionReport[] = [];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const decision = await plan.next({
      observation,
      reports,
      stepsLeft: MAX_TURNS - turn,
      spent: 0,
      takeScreenshot: () => session.screenshot(),
      signal,
    });
    if (decision.kind === "done") return `done: ${decision.claim.answer}`;
    if (decision.kind === "give_up") return `gave up: ${decision.reason}`;
    ({ observation, reports } = await performCalls(decision.calls, {
      session,
      observation,
      secrets: new TaskSecrets(""),
      signal,
    }));
    const failure = reports.at(-1)?.failure;
    const problem = failure ? `FAILED ${failure.kind}: ${failure.message}` : "";
    onDetail(`    ${decision.why} ${JSON.stringify(decision.calls[0])} ${problem}`);
    if (reward() !== null) return `ended after ${turn + 1} turns`;
  }
  return "too many turns";
}

await runCommand({ help: HELP, readOptions, run, format: formatReport });
