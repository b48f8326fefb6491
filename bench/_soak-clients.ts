import { setTimeout as sleep } from "node:timers/promises";
import type { LoadErrand } from "./_load-site.ts";
import type { LoadStage } from "./_load-stage.ts";
import type { Connected } from "./_seed.ts";

/** What the clients have seen so far. */
export interface SoakCounts {
  ended: number;
  /** Ended otherwise than verified. */
  failed: number;
  requests: number;
}

interface SoakOptions {
  errand: LoadErrand;
  clients: number;
  counts: SoakCounts;
  signal: AbortSignal;
}

const PAUSE_MS = 200;

/** Each client creates an execution, waits for it, reads all there is about it, and begins again, until the signal aborts. */
export async function runClients(stage: LoadStage, options: SoakOptions): Promise<void> {
  const clients = stage.connections.slice(0, options.clients).map((connection, number) => {
    const api = stage.apis[number % stage.apis.length];
    return runClient(`http://127.0.0.1:${api?.port}`, connection, stage.siteUrl, options);
  });
  await Promise.all(clients);
}

async function runClient(url: string, connected: Connected, siteUrl: string, options: SoakOptions): Promise<void> {
  const { errand, counts, signal } = options;
  const base = `${url}/v1/applications/${connected.applicationId}/executions`;
  const call = async (path: string, init: RequestInit = {}, headers: Record<string, string> = {}) => {
    counts.requests += 1;
    const answer = await fetch(base + path, {
      ...init,
      headers: { authorization: `Bearer ${connected.token}`, "content-type": "application/json", ...headers },
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (!answer.ok) throw new Error(`${answer.status} for ${path || "a create"}: ${body.toString().slice(0, 300)}`);
    return body;
  };
  const ask = async <Body>(path: string, init?: RequestInit) => JSON.parse(String(await call(path, init))) as Body;

  while (!signal.aborted) {
    const body = JSON.stringify({ prompt: errand.prompt, start_url: siteUrl });
    const { execution } = await ask<Answer>("", { method: "POST", body });
    const { id } = execution;
    // The stream ends with the execution.
    await call(`/${id}/events`, {}, { accept: "text/event-stream" });
    const ended = await ask<Answer>(`/${id}?wait=30`);
    counts.ended += 1;
    if (ended.execution.status !== "COMPLETED") counts.failed += 1;
    const { artifacts } = await ask<{ artifacts: { id: string }[] }>(`/${id}/artifacts`);
    for (const artifact of artifacts) await call(`/${id}/artifacts/${artifact.id}`);
    await call("?limit=10");
    await sleep(PAUSE_MS);
  }
}

interface Answer {
  execution: { id: string; status: string };
}
