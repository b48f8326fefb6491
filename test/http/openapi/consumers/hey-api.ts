/** Uses the client that @hey-api/openapi-ts generates. */
import { createClient, createConfig } from "./client/client/index.js";
import {
  createExecution,
  type ExecutionEvent,
  getExecution,
  listExecutionEvents,
  listExecutions,
} from "./client/index.js";

declare const process: { env: Record<string, string | undefined> };

const { ERRAND_URL = "", APPLICATION_ID: applicationId = "", TOKEN = "" } = process.env;
const BEARER = [{ scheme: "bearer", type: "http" }] as const;
const client = createClient(createConfig({ baseUrl: ERRAND_URL, auth: TOKEN }));

const created = await createExecution({ client, path: { applicationId }, body: { prompt: "Say hello." } });
if (created.data === undefined) throw new Error(created.error.error.code);
const { execution } = created.data;
const path = { applicationId, executionId: execution.id };

const got = await getExecution({ client, path, query: { wait: 30 } });
const ended = got.data?.execution;
const text = ended?.status === "COMPLETED" ? ended.result.final_text : ended?.status;

const page = await listExecutions({ client, path: { applicationId }, query: { status: "COMPLETED" } });
const refused = await getExecution({ client, path: { applicationId, executionId: "unknown" } });

const events = await listExecutionEvents({ client, path });
const actions = events.data?.events.flatMap((event) => (event.type === "step" ? [event.data.action] : []));

const url = "/v1/applications/{applicationId}/executions/{executionId}/events";
const headers = { accept: "text/event-stream" };
const { stream } = await client.sse.get<ExecutionEvent>({ url, path, headers, auth: TOKEN, security: BEARER });
const streamed: string[] = [];
for await (const event of stream) streamed.push((event as ExecutionEvent).type);

console.log(
  JSON.stringify({
    created: execution.status,
    ended: text,
    listed: page.data?.executions.some(({ id }) => id === execution.id),
    refused: refused.error?.error.code,
    actions,
    streamed,
  }),
);
