import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ActionReport } from "../src/agent/actions/action.ts";
import { performCalls } from "../src/agent/actions/perform-calls.ts";
import { makePlan } from "../src/agent/planner/builtin/builtin-planner.ts";
import { type Plan, PlannerRefusal } from "../src/agent/planner/planner.ts";
import { createBrowserPool } from "../src/browser/pool/browser-pool.ts";
import { locateBrowser } from "../src/browser/pool/locate-browser.ts";
import type { BrowserSession } from "../src/browser/session/browser-session.ts";
import { readEnvironment } from "../src/config/env.ts";
import { systemClock } from "../src/lib/clock.ts";
import { createLogger } from "../src/lib/logger.ts";
import { type Outcome, printOutcomes, type Result } from "./_miniwob-report.ts";
import { type MiniwobServer, serveMiniwob } from "./_miniwob-server.ts";

const USAGE =
  "node bench/miniwob.ts FOLDER [--tasks a,b] [--seeds 1-5] [--json] [--verbose]   (FOLDER holds miniwob/, core/, common/)";
const MAX_TURNS = 150;
const MAX_EPISODE_MS = 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tasks: { type: "string" },
    seeds: { type: "string", default: "1-5" },
    planner: { type: "string", default: "builtin" },
    json: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
if (values.help) {
  console.log(USAGE);
  process.exit();
}
if (folder === undefined || values.planner !== "builtin") throw new Error(USAGE);

const { ERRAND_BROWSER_PATH: chosen, PATH: searchPath = "" } = readEnvironment();
const located = await locateBrowser({ explicitPath: chosen ?? null, searchPath });
if (located === null) throw new Error("no browser was found: scripts/bootstrap --browser installs one");
await using server = await serveMiniwob(folder);
await using pool = await createBrowserPool({
  executablePath: located.path,
  warm: 1,
  logger: createLogger("silent", process.stderr),
});
const results: Result[] = [];
for (const task of await listTasks(folder, values.tasks)) results.push(...(await runTask(task, server)));
printOutcomes(results, { json: values.json });

async function listTasks(root: string, chosenTasks: string | undefined): Promise<string[]> {
  if (chosenTasks !== undefined) return chosenTasks.split(",");
  const files = await readdir(join(root, "miniwob"));
  return files.filter((file) => file.endsWith(".html")).map((file) => file.slice(0, -".html".length));
}

function readSeeds(text: string): number[] {
  const [first = 1, last = first] = text.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

async function runTask(task: string, { host }: MiniwobServer): Promise<Result[]> {
  const signal = AbortSignal.timeout(15 * 60_000);
  const options = {
    allowedHosts: [host],
    privateHosts: [host],
    access: "all" as const,
    downloads: { maxFiles: 0, maxBytes: 0 },
    clock: systemClock,
  };
  await using session = await pool.openSession(options, signal);
  const taken: Result[] = [];
  for (const seed of readSeeds(values.seeds)) {
    const startedAt = performance.now();
    const outcome = await runEpisode(task, seed, session);
    const result = { task, seed, ...outcome, milliseconds: Math.round(performance.now() - startedAt) };
    taken.push(result);
    if (values.verbose)
      console.error(`${task} ${seed}: ${result.kind} (${result.milliseconds} ms) ${result.utterance} — ${result.note}`);
  }
  return taken;
}

async function runEpisode(task: string, seed: number, session: BrowserSession): Promise<Outcome> {
  const signal = AbortSignal.timeout(MAX_EPISODE_MS);
  const { url, episode } = server.prepare(task, seed);
  let utterance = "";
  try {
    await session.goto(url, signal);
    utterance = await Promise.race([episode.utterance, sleep(10_000, "", { ref: false })]);
    const note = await follow(
      makePlan({ prompt: utterance, startUrl: url, outputSchema: null, now: new Date() }),
      session,
      episode.reward,
      signal,
    );
    const isWon = (episode.reward() ?? 0) > 0;
    return { kind: isWon ? "success" : "failure", utterance, note: `${note}; reward ${episode.reward()}` };
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    if (error instanceof PlannerRefusal) return { kind: "refused", utterance, note };
    return { kind: (episode.reward() ?? 0) > 0 ? "success" : "failure", utterance, note };
  }
}

/** Observe, decide, act until the episode has ended: without a verifier, for the page itself is the judge. */
async function follow(
  plan: Plan,
  session: BrowserSession,
  reward: () => number | null,
  signal: AbortSignal,
): Promise<string> {
  let observation = await session.observe(signal);
  let reports: readonly ActionReport[] = [];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const decision = await plan.next({
      observation,
      reports,
      stepsLeft: MAX_TURNS - turn,
      spent: 0,
      takePicture: () => session.screenshot(),
      signal,
    });
    if (decision.kind === "done") return `done: ${decision.claim.answer}`;
    if (decision.kind === "give_up") return `gave up: ${decision.reason}`;
    ({ observation, reports } = await performCalls(decision.calls, { session, observation, signal }));
    const failure = reports.at(-1)?.failure;
    if (values.verbose)
      console.error(
        `    ${decision.why} ${JSON.stringify(decision.calls[0])} ${failure ? `FAILED ${failure.kind}: ${failure.message}` : ""}`,
      );
    if (reward() !== null) return `ended after ${turn + 1} turns`;
  }
  return "too many turns";
}
