/**
 * Counts the files and functions of src that three stories run through, on the real service with a real browser:
 * creating an execution, one click of the model planner up to its next request, and verifying a result.
 * `node scripts/measure-stories.ts [--files]`; with --files it also lists every file.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { SETTINGS } from "../src/config/settings.ts";
import { ShownTurn } from "../test/_harness/model-script.ts";
import { type ModelReply, type ModelServer, startModelServer } from "../test/_harness/model-server.ts";
import { agreeingWithEverything, readTrial } from "../test/_harness/scripted-judge.ts";

/** Function names by file, for everything that ran at least once. */
type Coverage = Map<string, string[]>;

interface Coverer {
  /** What ran since the last call. */
  take(): Promise<Coverage>;
}

const ROOT = join(import.meta.dirname, "..");
const MAIN = join(ROOT, "src/main.ts");
const PRICE = /€\d+\.\d\d/;

async function main(): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-stories-"));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  const model = resources.use(await startModelServer(() => ({ status: 500 })));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    ...Object.fromEntries(Object.values(SETTINGS).map(({ env: name }) => [name, ""])),
    ERRAND_PORT: "0",
    ERRAND_DATA_DIR: dataDir,
    ERRAND_MODEL: "openai-compatible:scripted",
    ERRAND_MODEL_BASE_URL: model.url,
    ERRAND_MODEL_API_KEY: "none",
  };

  console.log("Starting the service …");
  const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", MAIN, "start", "--json"], { env });
  resources.defer(() => stop(child));
  const inspectorUrl = findLine(child.stderr, /ws:\/\/\S+/);
  const started = await findLine(child.stdout, /^\{.*\}$/);
  const { url, demo_url: shopUrl } = JSON.parse(started) as { url: string; demo_url: string };
  const coverer = await startCoverage(await inspectorUrl);

  const errand = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, "--json"], { env });
    return JSON.parse(stdout) as Record<string, string>;
  };
  const { id = "" } = await errand("app", "create", "--name", "Stories", "--type", "public", "--home-url", shopUrl);
  const { access_token: token = "" } = await errand("connect", "--application", id, "--user", "reader@example.com");

  const request = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/json" } : {}) };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await fetch(`${url}/v1/applications/${id}/executions${path}`, init);
    return ((await response.json()) as { execution: { id: string; status: string } }).execution;
  };
  const stories = await runStories(model, coverer, request);
  for (const [name, coverage] of Object.entries(stories)) print(name, coverage);
}

type Request = (method: string, path: string, body?: object) => Promise<{ id: string; status: string }>;

async function runStories(model: ModelServer, coverer: Coverer, request: Request): Promise<Record<string, Coverage>> {
  const stories: Record<string, Coverage> = {};
  const prompt = "What does the Brindle Kettle cost?";
  let execution: { id: string; status: string } | null = null;
  const ended = Promise.withResolvers<{ status: string }>();
  const turns: ((turn: ShownTurn) => Promise<ModelReply>)[] = [
    async (turn) => {
      // The connection is busy with its first execution, so the second one is created and not claimed.
      await coverer.take();
      const second = await request("POST", "", { prompt });
      stories["create"] = await coverer.take();
      await request("POST", `/${second.id}/cancel`);
      return { calls: [turn.fill('searchbox "Search all products"', "kettle", { submit: true })] };
    },
    async (turn) => {
      await coverer.take();
      return { calls: [turn.click('link "Brindle Kettle"')] };
    },
    async (turn) => {
      stories["click"] = await coverer.take();
      ended.resolve(request("GET", `/${execution?.id}?wait=30`));
      const price = PRICE.exec(turn.page)?.[0] ?? "";
      await coverer.take();
      const input = { answer: `It costs ${price}.`, facts: [{ about: "price", value: price, quote: price }] };
      return { calls: [{ name: "done", input }] };
    },
  ];
  let next = 0;
  model.answer = (asked) => {
    if (asked.toolNames.includes("ready")) return { calls: [{ name: "ready", input: {} }] };
    if (asked.toolNames.includes("list_criteria")) {
      return { calls: [{ name: "list_criteria", input: { criteria: ["The answer names the price."] } }] };
    }
    if (asked.toolNames.includes("give_verdict")) {
      return { calls: [{ name: "give_verdict", input: agreeingWithEverything(readTrial(asked)) }] };
    }
    const turn = turns[next];
    next += 1;
    return turn?.(new ShownTurn(asked)) ?? { status: 500 };
  };

  execution = await request("POST", "", { prompt });
  const outcome = await ended.promise;
  stories["verify"] = await coverer.take();
  if (outcome.status !== "COMPLETED") throw new Error(`The execution ended as ${outcome.status}.`);
  return stories;
}

/** Drives the profiler of another Node process over its inspector. */
async function startCoverage(inspectorUrl: string): Promise<Coverer> {
  const socket = new WebSocket(inspectorUrl);
  await once(socket, "open");
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (message.id !== undefined) waiting.get(message.id)?.(message.result);
  });
  let last = 0;
  const send = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await send("Profiler.enable");
  await send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return { take: async () => readCoverage(await send("Profiler.takePreciseCoverage")) };
}

interface ScriptCoverage {
  url: string;
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
}

function readCoverage(taken: unknown): Coverage {
  const coverage: Coverage = new Map();
  for (const { url, functions } of (taken as { result: ScriptCoverage[] }).result) {
    if (!url.startsWith("file:") || !fileURLToPath(url).startsWith(join(ROOT, "src/"))) continue;
    // A function that starts at 0 is the module itself.
    const ran = functions.filter(({ ranges: [range] }) => (range?.count ?? 0) > 0 && range?.startOffset !== 0);
    if (ran.length > 0)
      coverage.set(
        fileURLToPath(url).slice(ROOT.length + 1),
        ran.map(({ functionName }) => functionName),
      );
  }
  return coverage;
}

function print(name: string, coverage: Coverage): void {
  const functions = [...coverage.values()].reduce((sum, names) => sum + names.length, 0);
  console.log(`\n${name}: ${coverage.size} files, ${functions} functions`);
  const folders = Map.groupBy(coverage.keys(), (path) => path.split("/").slice(1, -1).join("/"));
  for (const [folder, paths] of [...folders].sort()) console.log(`  ${String(paths.length).padStart(3)}  ${folder}`);
  if (!process.argv.includes("--files")) return;
  for (const [path, names] of [...coverage].sort()) console.log(`  ${path}: ${names.filter(Boolean).join(", ")}`);
}

async function findLine(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  for await (const line of createInterface({ input: stream })) {
    const match = pattern.exec(line)?.[0];
    if (match === undefined) continue;
    stream.resume();
    return match;
  }
  throw new Error("The service ended before it was ready.");
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

await main();
