import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Execution } from "../../src/contract/execution.ts";
import type { ExecutionEvent } from "../../src/contract/execution-event.ts";
import { findProcess } from "../harness/cpu.ts";
import { MAIN, SERVICE_ENV, startService, startShop } from "../harness/processes.ts";
import { PROMPT } from "./bare-script.ts";

/** The real service in a temporary folder, users who are connected to it, and the demo shop. */
export interface ExecutionStage extends AsyncDisposable {
  pid: number;
  /** Of the PostgreSQL server. */
  databasePid: number;
  shopPid: number;
  shopUrl: string;
  /** One for each concurrent execution: a connection runs its executions one after the other. */
  connections: ApiConnection[];
}

interface ApiConnection {
  /** The URL of the executions. */
  base: string;
  token: string;
}

const CONNECTIONS = 4;

export const ENV: Record<string, string> = {
  ...SERVICE_ENV,
  ERRAND_CONCURRENCY: String(CONNECTIONS),
  ERRAND_DEMO: "false",
};

export async function openExecutionStage(
  signal: AbortSignal,
  onProgress: (text: string) => void,
  modelUrl: string | null = null,
  more: Record<string, string> = {},
): Promise<ExecutionStage> {
  await using disposables = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  disposables.defer(() => rm(dataDir, { recursive: true, force: true }));
  onProgress("Starting the service");
  const logFile = join(dataDir, "service.log");
  const { url: shopUrl, pid: shopPid } = disposables.use(await startShop(logFile));
  const env = {
    ...ENV,
    ERRAND_DATA_DIR: dataDir,
    ERRAND_ALLOW_HOSTS: new URL(shopUrl).host,
    ...(modelUrl !== null && { ERRAND_MODEL: "openai-compatible:scripted", ERRAND_MODEL_BASE_URL: modelUrl }),
    ...more,
  };
  const { pid, port } = disposables.use(await startService({ env, logFile, roles: "api,worker" }));
  signal.throwIfAborted();
  const errand = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, "--json"], { env, signal });
    return JSON.parse(stdout) as Record<string, string>;
  };
  const { id = "" } = await errand("app", "create", "--name", "Benchmark", "--type", "public", "--home-url", shopUrl);
  const connections: ApiConnection[] = [];
  for (let number = 1; number <= CONNECTIONS; number += 1) {
    const user = `client-${number}@example.com`;
    const { access_token: token = "" } = await errand("connect", "--application", id, "--user", user);
    connections.push({ base: `http://127.0.0.1:${port}/v1/applications/${id}/executions`, token });
  }
  const databasePid = findProcess(join(dataDir, "postgres"));
  const owned = disposables.move();
  return { pid, databasePid, shopPid, shopUrl, connections, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** One execution from the client's point of view. */
export interface ExecutionRun {
  /** From sending the request to receiving the result. */
  ms: number;
  total: string;
  phases: Phases;
  events: ExecutionEvent[];
}

/** Where the time went, according to the execution's events. Except for `requests`, measured by the service's clock. */
export interface Phases {
  /** What the client waits for before the execution is queued and after it has ended. */
  requests: number;
  /** Until a worker has claimed it. */
  queue: number;
  /** Opening the browser and the first page. */
  opening: number;
  /** From the end of the first step to the end of the last one. */
  steps: number;
  verification: number;
  /** Closing the browser and writing the result. */
  ending: number;
}

/** Creates an execution over HTTP and waits until it ends. Fails unless the result is verified. */
export async function runExecution(
  { base, token }: ApiConnection,
  shopUrl: string,
  signal: AbortSignal,
  onCreated: (id: string) => Promise<void> = async () => {},
  prompt = PROMPT,
): Promise<ExecutionRun> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ prompt, start_url: shopUrl });
  const startedMs = performance.now();
  const created = await requestJson<{ execution: Execution }>(base, { method: "POST", headers, body, signal });
  const { id } = created.execution;
  let { execution } = created;
  await onCreated(id);
  while (execution.terminal === null) {
    ({ execution } = await requestJson<{ execution: Execution }>(`${base}/${id}?wait=30`, { headers, signal }));
  }
  const ms = performance.now() - startedMs;
  const eventsUrl = `${base}/${id}/events?limit=500`;
  const { events } = await requestJson<{ events: ExecutionEvent[] }>(eventsUrl, { headers, signal });
  const { terminal, error, result } = execution;
  if (terminal.status !== "verified") {
    throw new Error(`The execution ended as ${terminal.status}: ${terminal.reason} ${error?.message ?? ""}`);
  }
  return { ms, total: result?.final_text ?? "", phases: readPhases(events, ms), events };
}

async function requestJson<Body>(url: string, init: RequestInit): Promise<Body> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}

function readPhases(events: ExecutionEvent[], ms: number): Phases {
  const steps = events.filter(({ type }) => type === "step");
  const at = (event: ExecutionEvent | undefined) => (event === undefined ? Number.NaN : Date.parse(event.at));
  const of = (type: ExecutionEvent["type"]) => at(events.find((event) => event.type === type));
  const [queued, started, first] = [of("execution.queued"), of("execution.started"), at(steps[0])];
  const [last, verified, ended] = [at(steps.at(-1)), of("verification"), of("execution.completed")];
  return {
    requests: ms - (ended - queued),
    queue: started - queued,
    opening: first - started,
    steps: last - first,
    verification: verified - last,
    ending: ended - verified,
  };
}
