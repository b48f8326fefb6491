import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Execution } from "../../src/contract/execution.ts";
import { MAIN, SERVICE_ENV, startService } from "../harness/processes.ts";

/** The real service with one user, and without a model unless one is given. */
export interface CorpusService extends AsyncDisposable {
  run(request: ErrandRequest, signal: AbortSignal): Promise<Execution>;
}

interface ErrandRequest {
  prompt: string;
  start_url: string;
  output_schema?: Record<string, unknown>;
}

interface ServiceOptions {
  allowHosts: readonly string[];
  /** Of an OpenAI-compatible server; null for none. */
  modelUrl: string | null;
  /** Null: it is deleted at the end. */
  logFile: string | null;
}

const MAX_MINUTES = 2;
/** For closing the browser after the time limit. */
const GRACE_MS = 30_000;

export async function openService(
  { allowHosts, modelUrl, logFile: keptLog }: ServiceOptions,
  signal: AbortSignal,
): Promise<CorpusService> {
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-corpus-"));
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    ...SERVICE_ENV,
    ERRAND_DATA_DIR: dataDir,
    ERRAND_ALLOW_HOSTS: allowHosts.join(","),
    ERRAND_CONCURRENCY: "1",
    ERRAND_DEMO: "false",
    ERRAND_EXECUTION_PRICE: "0",
    ERRAND_MAX_MINUTES: String(MAX_MINUTES),
    // What one prompt teaches must not change the next one.
    ERRAND_RECIPES: "off",
    ...(modelUrl !== null && { ERRAND_MODEL: "openai-compatible:scripted", ERRAND_MODEL_BASE_URL: modelUrl }),
  };
  const logFile = keptLog ?? join(dataDir, "service.log");
  const { port } = parts.use(await startService({ env, logFile, roles: "api,worker" }));
  const errand = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, "--json"], { env, signal });
    return JSON.parse(stdout) as Record<string, string>;
  };
  // Without a home URL, as `errand run` does it: the start URL's host is the one that is allowed.
  const { id = "" } = await errand("app", "create", "--name", "Corpus", "--type", "public");
  const base = `http://127.0.0.1:${port}/v1/applications/${id}/executions`;
  let headers: Record<string, string> | null = null;
  const connect = async () => {
    const { access_token: token } = await errand("connect", "--application", id, "--user", "corpus@example.com");
    return { authorization: `Bearer ${token}`, "content-type": "application/json" };
  };
  const owned = parts.move();
  return {
    async run(request, stop) {
      headers ??= await connect();
      const limit = AbortSignal.any([stop, AbortSignal.timeout(MAX_MINUTES * 60_000 + GRACE_MS)]);
      const init = { headers, signal: limit };
      let execution = await requestExecution(base, { ...init, method: "POST", body: JSON.stringify(request) });
      while (execution.terminal === null) {
        execution = await requestExecution(`${base}/${execution.id}?wait=30`, init);
        if (execution.terminal === null) await sleep(50, undefined, { signal: limit });
      }
      // The connection takes no further executions until the user has connected again.
      if (execution.terminal.status === "reauthorization_required") headers = null;
      return execution;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function requestExecution(url: string, init: RequestInit): Promise<Execution> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${url}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { execution: Execution }).execution;
}
