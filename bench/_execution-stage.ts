import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { SETTINGS } from "../src/config/settings.ts";

/** The real service with the demo shop in a temporary folder, and somebody connected who may ask it for errands. */
export interface ExecutionStage extends AsyncDisposable {
  pid: number;
  shopUrl: string;
  /** One for each execution that is to run at the same time: a connection runs one after the other. */
  connections: ApiConnection[];
}

export interface ApiConnection {
  /** Where executions are created. */
  base: string;
  token: string;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
/** What `bin/errand` runs once everything is installed, as it is when a benchmark runs. */
const MAIN = join(import.meta.dirname, "../src/main.ts");
const CONNECTIONS = 4;

/** Limits that no measurement reaches; everything else is the default, whatever this machine's environment says. */
export const ENV: Record<string, string> = {
  ...Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, ""])),
  ERRAND_PORT: "0",
  ERRAND_CONCURRENCY: String(CONNECTIONS),
  ERRAND_CREATES_PER_MINUTE: "10000000",
  ERRAND_READS_PER_MINUTE: "10000000",
  ERRAND_RATE_BURST: "1000000",
};

export async function setExecutionStage(
  signal: AbortSignal,
  onProgress: (text: string) => void,
): Promise<ExecutionStage> {
  await using disposables = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  disposables.defer(() => rm(dataDir, { recursive: true, force: true }));
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...ENV, ERRAND_DATA_DIR: dataDir };
  onProgress("Starting the service");
  const { child, url, shopUrl } = await startService(env, join(dataDir, "service.log"), signal);
  disposables.defer(() => stop(child));
  const errand = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, "--json"], { env, signal });
    return JSON.parse(stdout) as Record<string, string>;
  };
  const { id = "" } = await errand("app", "create", "--name", "Benchmark", "--type", "public", "--home-url", shopUrl);
  const connections: ApiConnection[] = [];
  for (let number = 1; number <= CONNECTIONS; number += 1) {
    const user = `client-${number}@example.com`;
    const { access_token: token = "" } = await errand("connect", "--application", id, "--user", user);
    connections.push({ base: `${url}/v1/applications/${id}/executions`, token });
  }
  const owned = disposables.move();
  return { pid: child.pid ?? 0, shopUrl, connections, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function startService(env: Record<string, string>, logFile: string, signal: AbortSignal) {
  const log = openSync(logFile, "a");
  // In a group of its own: Ctrl-C is for the benchmark, which then ends the service in order.
  const child = spawn(process.execPath, [MAIN, "start", "--json"], {
    env,
    stdio: ["ignore", "pipe", log],
    detached: true,
  });
  closeSync(log);
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
    const { url, demo_url: shopUrl } = JSON.parse(await readLine(child, limit)) as { url: string; demo_url: string };
    return { child, url, shopUrl };
  } catch (error) {
    await stop(child);
    throw new Error(`The service did not start.\n${(await readFile(logFile, "utf8")).slice(-2_000)}`, { cause: error });
  }
}

async function readLine(child: ChildProcess, signal: AbortSignal): Promise<string> {
  if (child.stdout === null) throw new Error("the service has no standard output");
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`it ended with exit code ${code}`);
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(child.stdout, "data", { signal }), ended]);
  return String(line);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  const patience = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(patience);
}
