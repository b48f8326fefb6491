import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../src/storage/database.ts";
import { joinEmbeddedServer } from "../../src/storage/embedded/server.ts";
import { connectUsers } from "../harness/connected.ts";
import { SERVICE_ENV, startService } from "../harness/processes.ts";

/** Refused at once, because no step is understood: the execution starts like any other, and no browser is opened for it. */
const PROMPT = "Ponder.";
const PAUSE_MS = 30;
const WARM_UP = 20;

/** For the newest executions, by the database's clock: from the create statement to the claim statement. */
const CLAIM_DELAYS = `
  select extract(epoch from started.created_at - queued.created_at)::float8 * 1000 as ms
  from execution_events as queued join execution_events as started using (execution_id)
  where queued.type = 'execution.queued' and started.type = 'execution.started'
  order by execution_id desc limit $1`;

export interface StartLatencies {
  /** Until a client learns over HTTP that the execution is running. */
  runningMs: number[];
  /** The part of it until a worker has claimed the execution. */
  claimedMs: number[];
}

/**
 * Measures the time from sending a create until the event stream reports that the execution is running. The worker is idle
 * and in the same process as the API, as with `errand start`.
 */
export async function measureStartLatency(
  samples: number,
  signal: AbortSignal,
  onProgress: (text: string) => void,
): Promise<StartLatencies> {
  await using disposables = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  disposables.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { connectionString } = disposables.use(await joinEmbeddedServer(dataDir, onProgress));
  const env = { ...SERVICE_ENV, ERRAND_DEMO: "false", ERRAND_DATA_DIR: dataDir };
  const logFile = join(dataDir, "service.log");
  const { port } = disposables.use(await startService({ env, logFile, roles: "api,worker" }));
  const database = disposables.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
  const [client] = await connectUsers(database, 1);
  if (client === undefined) throw new Error("No user is connected.");
  const base = `http://127.0.0.1:${port}/v1/applications/${client.applicationId}/executions`;
  const runningMs: number[] = [];
  for (let number = -WARM_UP; number < samples; number += 1) {
    signal.throwIfAborted();
    if (number === -WARM_UP) onProgress("Creating executions one by one: warming up");
    if (number === 0) onProgress(`Creating ${samples} executions one by one`);
    const latencyMs = await timeStart(base, client.token);
    if (number >= 0) runningMs.push(latencyMs);
    await sleep(PAUSE_MS);
  }
  const { rows } = await database.pool.query<{ ms: number }>(CLAIM_DELAYS, [samples]);
  return { runningMs, claimedMs: rows.map(({ ms }) => ms) };
}

async function timeStart(base: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const startedMs = performance.now();
  const created = await fetch(base, { method: "POST", headers, body: JSON.stringify({ prompt: PROMPT }) });
  if (created.status !== 201) throw new Error(`${created.status} instead of 201: ${await created.text()}`);
  const { execution } = (await created.json()) as { execution: { id: string } };
  const stream = await fetch(`${base}/${execution.id}/events`, {
    headers: { ...headers, accept: "text/event-stream" },
  });
  if (stream.body === null) throw new Error("The event stream has no body.");
  const decoder = new TextDecoder();
  let text = "";
  let runningMs: number | null = null;
  for await (const chunk of stream.body) {
    text += decoder.decode(chunk, { stream: true });
    if (runningMs === null && text.includes("event: execution.started")) runningMs = performance.now() - startedMs;
  }
  if (runningMs === null) throw new Error(`The event stream ended before the execution ran: ${text}`);
  return runningMs;
}
