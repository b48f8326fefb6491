import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import type { TestConnection, TestService } from "./service.ts";

type Header = [name: string, value: string];

/** A raw request: nothing is corrected, so it can be as invalid as a client can make it. */
export interface RawRequest {
  method?: string;
  target: string;
  headers?: Header[];
  body?: string | Buffer;
}

export interface RawAnswer {
  status: number;
  /** Names in lowercase; repeated headers are joined. */
  headers: Map<string, string>;
  body: string;
}

/** Sends one request on its own connection and reads until the service closes it. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawAnswer> {
  const socket = await openSocket(url);
  socket.write(formatRequest(request, [["connection", "close"]]));
  return parseAnswer(await readToEnd(socket));
}

export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(socket.off("error", reject))).once("error", reject);
  });
}

/** The bytes of a request. Header values are latin-1, as in HTTP. */
export function formatRequest({ method = "GET", target, headers = [], body }: RawRequest, more: Header[] = []): Buffer {
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body as string);
  const all: Header[] = [["host", "errand.test"], ...headers, ...more];
  const isFramed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  if (body !== undefined && !isFramed) all.push(["content-length", String(bytes.length)]);
  const head = [`${method} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), "", ""].join(
    "\r\n",
  );
  return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}

/** Everything the service sends until it closes. It may close while we are still writing, as long as it has responded. */
export function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    socket
      .on("data", (chunk) => chunks.push(chunk))
      .once("error", (error) => (chunks.length > 0 ? resolve(Buffer.concat(chunks)) : reject(error)))
      .once("close", () => resolve(Buffer.concat(chunks)));
  });
}

export function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
  }
  return { status: Number(statusLine.split(" ")[1]), headers, body: bytes.subarray(end + 4).toString("utf8") };
}

export interface Refusal {
  status: number;
  code: string;
  /** The paths in `details`, each once; none means that the response has no details. */
  details?: string[];
  /** The whole `WWW-Authenticate` header; undefined means that there must be none. */
  challenge?: string;
  /** The methods in `Allow`; undefined means that there must be none. */
  allow?: string[];
}

/** Fails unless the response is exactly this error: status, code, body, headers. */
export function expectRefusal(answer: RawAnswer, { status, code, details, challenge, allow }: Refusal): void {
  expect(answer.status, answer.body).toBe(status);
  const body = JSON.parse(answer.body);
  expect(body).toEqual({
    error: {
      code,
      message: expect.stringMatching(/^\S.+\.$/s),
      request_id: answer.headers.get("x-request-id"),
      ...(details === undefined ? {} : { details: expect.any(Array) }),
    },
  });
  expect(body.error.request_id).toMatch(/^[\w.-]{1,128}$/);
  const found: { path: string; message: string }[] = body.error.details ?? [];
  for (const detail of found) expect(detail).toEqual({ path: detail.path, message: expect.stringMatching(/./) });
  expect([...new Set(found.map(({ path }) => path))]).toEqual(details ?? []);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("www-authenticate")).toBe(challenge);
  expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(allow?.toSorted());
}

/** Everything that a request could have left behind. */
export async function takeStock({ database }: TestService): Promise<Record<string, unknown>> {
  const [counts] = await database.query(`select
    (select count(*) from executions) as executions,
    (select count(*) from execution_events) as events,
    (select count(*) from credit_entries) as entries,
    (select array_agg(balance order by id) from owners) as balances,
    (select array_agg(status || ' ' || updated_at order by id) from executions) as states,
    (select array_agg(idempotency_key order by id) from executions where idempotency_key is not null) as keys`);
  return counts ?? {};
}

/** Fails when there was an internal error: bad input must never cause one. */
export function expectNothingBroke({ log }: TestService): void {
  const suspicious = /"level":"(error|fatal)"|INTERNAL|"status":5\d\d|^(?!\{)/;
  expect(log.filter((line) => suspicious.test(line))).toEqual([]);
}

export interface Endpoint {
  name: "create" | "list" | "get" | "cancel" | "events" | "artifacts" | "artifact";
  method: "GET" | "POST";
  template: string;
}

const EXECUTIONS = "/v1/applications/{applicationId}/executions";

export const ENDPOINTS: Endpoint[] = [
  { name: "create", method: "POST", template: EXECUTIONS },
  { name: "list", method: "GET", template: EXECUTIONS },
  { name: "get", method: "GET", template: `${EXECUTIONS}/{executionId}` },
  { name: "cancel", method: "POST", template: `${EXECUTIONS}/{executionId}/cancel` },
  { name: "events", method: "GET", template: `${EXECUTIONS}/{executionId}/events` },
  { name: "artifacts", method: "GET", template: `${EXECUTIONS}/{executionId}/artifacts` },
  { name: "artifact", method: "GET", template: `${EXECUTIONS}/{executionId}/artifacts/{artifactId}` },
];
const ARTIFACT_ID = "01890000-0000-4000-8000-000000000000";

/** A valid request to an endpoint, for a test to break. */
export function requestTo(
  { name, method, template }: Endpoint,
  ids: { applicationId: string; executionId: string },
  headers: Header[],
): RawRequest {
  const target = template
    .replace("{applicationId}", ids.applicationId)
    .replace("{executionId}", ids.executionId)
    .replace("{artifactId}", ARTIFACT_ID);
  if (name !== "create") return { method, target, headers };
  return { method, target, headers: [JSON_TYPE, ...headers], body: JSON.stringify({ prompt: "Say hello." }) };
}

export const JSON_TYPE: Header = ["content-type", "application/json"];

export function bearer({ token }: Pick<TestConnection, "token">): Header {
  return ["authorization", `Bearer ${token}`];
}
