import type { Execution, ExecutionEvent } from "../src/contract/execution.ts";
import { PROMPT } from "./_execution-errand.ts";
import type { ApiConnection } from "./_execution-stage.ts";

/** One execution as its client sees it. */
export interface ExecutionRun {
  /** From sending the request to having the result. */
  ms: number;
  total: string;
  phases: Phases;
}

/** Where its time went, by the events that it wrote itself. All but the first and the last are times of the service. */
export interface Phases {
  /** What the client waits for before the execution is queued and after it has ended. */
  requests: number;
  /** Until a worker has it. */
  queue: number;
  /** A browser of its own, and the first page in it. */
  opening: number;
  /** From the end of the first step to the end of the last one. */
  steps: number;
  verification: number;
  /** Closing the browser and writing the end. */
  ending: number;
}

/** Creates one over HTTP and waits for its end. Anything but a verified result is an error. */
export async function runExecution(
  { base, token }: ApiConnection,
  shopUrl: string,
  signal: AbortSignal,
): Promise<ExecutionRun> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ prompt: PROMPT, start_url: shopUrl });
  const startedMs = performance.now();
  const created = await ask<{ execution: Execution }>(base, { method: "POST", headers, body, signal });
  const { id } = created.execution;
  let { execution } = created;
  while (execution.terminal === null) {
    ({ execution } = await ask<{ execution: Execution }>(`${base}/${id}?wait=30`, { headers, signal }));
  }
  const ms = performance.now() - startedMs;
  const { events } = await ask<{ events: ExecutionEvent[] }>(`${base}/${id}/events?limit=500`, { headers, signal });
  const { terminal, error, result } = execution;
  if (terminal.status !== "verified") {
    throw new Error(`The execution ended ${terminal.status}: ${terminal.reason} ${error?.message ?? ""}`);
  }
  return { ms, total: result?.final_text ?? "", phases: readPhases(events, ms) };
}

async function ask<Answer>(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
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
