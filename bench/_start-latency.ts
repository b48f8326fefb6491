import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createOperations } from "../src/app/operations.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { openDatabase } from "../src/storage/database.ts";
import { joinEmbeddedServer } from "../src/storage/embedded/server.ts";
import { startService } from "./_child.ts";

/** Refused by the built-in planner at once: it is started like any other, and no browser is opened for it. */
const PROMPT = "Ponder.";
const PAUSE_MS = 30;
const WARM_UP = 20;

/** Limits that no measurement reaches; everything else is the default, whatever this machine's environment says. */
const ENV: Record<string, string> = {
  ...Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, ""])),
  ERRAND_PORT: "0",
  ERRAND_DEMO: "false",
  ERRAND_RATE_BURST: "1000000",
};

/** By the database's clock, from the create's statement to the claim's; of the last so many. */
const UNTIL_TAKEN = `
  select extract(epoch from started.created_at - queued.created_at)::float8 * 1000 as ms
  from execution_events as queued join execution_events as started using (execution_id)
  where queued.type = 'execution.queued' and started.type = 'execution.started'
  order by execution_id desc limit $1`;

export interface StartLatencies {
  /** As a client sees it over HTTP. */
  seenMs: number[];
  /** Until a worker had taken it, which is a part of it. */
  takenMs: number[];
}

/**
 * Milliseconds from the moment a client sends a create to the moment its event stream says that the execution runs. The
 * worker is idle, in the service's own process, as `errand start` has it.
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
  const env = { ...ENV, ERRAND_DATA_DIR: dataDir };
  const { port } = disposables.use(await startService(env, join(dataDir, "service.log"), "api,worker"));
  const database = disposables.use(openDatabase({ connectionString, poolSize: 2, onError: () => {} }));
  const { applications, people, connections, credits } = createOperations(database);
  const { application } = await applications.register({
    name: "Benchmark",
    type: "public",
    redirectUris: [],
  });
  await credits.grant(application.ownerId, samples + WARM_UP);
  const person = await people.findOrCreate("client@example.com");
  const { accessToken } = await connections.connect(application.id, person.id);
  const base = `http://127.0.0.1:${port}/v1/applications/${application.id}/executions`;
  const latencies: number[] = [];
  for (let number = -WARM_UP; number < samples; number += 1) {
    signal.throwIfAborted();
    if (number === -WARM_UP) onProgress("Creating one execution after the other: warming up");
    if (number === 0) onProgress(`Creating ${samples} executions, one after the other`);
    const latencyMs = await timeStart(base, accessToken);
    if (number >= 0) latencies.push(latencyMs);
    await sleep(PAUSE_MS);
  }
  const { rows } = await database.pool.query<{ ms: number }>(UNTIL_TAKEN, [samples]);
  return { seenMs: latencies, takenMs: rows.map(({ ms }) => ms) };
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
  if (stream.body === null) throw new Error("the stream has no body");
  const decoder = new TextDecoder();
  let text = "";
  let runningMs: number | null = null;
  for await (const chunk of stream.body) {
    text += decoder.decode(chunk, { stream: true });
    if (runningMs === null && text.includes("event: execution.started")) runningMs = performance.now() - startedMs;
  }
  if (runningMs === null) throw new Error(`the stream ended before the execution ran: ${text}`);
  return runningMs;
}
