/** Uses the types of openapi-typescript with plain fetch. Compiled against the generated `api.ts`. */
import type { components, paths } from "./api.js";

declare const process: { env: Record<string, string | undefined> };

type Schemas = components["schemas"];
type ExecutionsPath = paths["/v1/applications/{applicationId}/executions"];
type CreateBody = ExecutionsPath["post"]["requestBody"]["content"]["application/json"];
type Created = ExecutionsPath["post"]["responses"][201]["content"]["application/json"];
type Page = ExecutionsPath["get"]["responses"][200]["content"]["application/json"];
type EventPage =
  paths["/v1/applications/{applicationId}/executions/{executionId}/events"]["get"]["responses"][200]["content"]["application/json"];

const { ERRAND_URL = "", APPLICATION_ID = "", TOKEN = "" } = process.env;
const base = `${ERRAND_URL}/v1/applications/${APPLICATION_ID}/executions`;

async function call<Body>(path: string, init: RequestInit = {}): Promise<Body> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const response = await fetch(base + path, { ...init, headers });
  if (response.ok) return (await response.json()) as Body;
  const { error } = (await response.json()) as Schemas["Error"];
  throw new Error(describeError(error.code));
}

/** Only compiles when the codes are enumerated. */
function describeError(code: Schemas["Error"]["error"]["code"]): string {
  const retried: (typeof code)[] = ["RATE_LIMITED", "UNAVAILABLE"];
  return retried.includes(code) ? `${code}, later` : code;
}

/** Only compiles when the union is discriminated by `status`. */
function describe(execution: Schemas["Execution"]): string {
  switch (execution.status) {
    case "QUEUED":
    case "RUNNING":
      return execution.status;
    case "COMPLETED":
      return execution.result.final_text;
    case "FAILED":
      return `${execution.terminal.status} ${execution.error.code}`;
  }
}

/** Only compiles when `data` depends on `type`. */
function describeEvent(event: Schemas["ExecutionEvent"]): string {
  switch (event.type) {
    case "step":
      return `step ${event.data.step}: ${event.data.action}`;
    case "execution.completed":
      return event.data.terminal.status;
    default:
      return event.type;
  }
}

/** Only compiles when messages are discriminated by `type`. */
export function describeMessage(message: Schemas["WebhookMessage"]): string {
  return message.type === "execution.completed" ? message.data.execution.result.final_url : message.type;
}

const body: CreateBody = { prompt: "Say hello.", metadata: { order: "A-1" } };
const { execution } = await call<Created>("", { method: "POST", body: JSON.stringify(body) });
const ended = await call<Created>(`/${execution.id}?wait=30`);
const page = await call<Page>("?status=COMPLETED");
const { events } = await call<EventPage>(`/${execution.id}/events`);
console.log(
  JSON.stringify({
    created: describe(execution),
    ended: describe(ended.execution),
    listed: page.executions.map(({ id }) => id).includes(execution.id),
    events: events.map(describeEvent),
  }),
);
