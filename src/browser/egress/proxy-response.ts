import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Destination, RefusalReason } from "./gate.ts";

/** What the proxy says itself, as opposed to what it passes on. `error` is a type of RFC 9209. */
export interface ProxyResponse {
  status: number;
  error?: string;
  text: string;
  challenge?: string;
}

const REFUSALS: Record<RefusalReason, { status: number; error: string; why: string }> = {
  invalid_target: { status: 400, error: "http_request_error", why: "the request names no host that could be visited" },
  host_not_allowed: { status: 403, error: "http_request_denied", why: "this host is not allowed for this run" },
  port_not_allowed: { status: 403, error: "http_request_denied", why: "this port of the host is not allowed" },
  private_address: { status: 403, error: "destination_ip_prohibited", why: "the host is at a private address" },
};

export const HANDSHAKE_RESPONSE: ProxyResponse = { status: 200, text: "Hello." };

export const UNAUTHENTICATED: ProxyResponse = {
  status: 407,
  error: "http_request_denied",
  text: "This proxy belongs to one run and wants its credentials.",
  challenge: 'Basic realm="errand"',
};

export const TOO_MANY_CONNECTIONS: ProxyResponse = {
  status: 503,
  error: "connection_limit_reached",
  text: "Too many connections are open in this run.",
};

export function refusalResponse({ host, port }: Destination, reason: RefusalReason): ProxyResponse {
  const { status, error, why } = REFUSALS[reason];
  return { status, error, text: `Refused (${reason}): ${host}:${port}: ${why}.` };
}

/** What to say when the host could not be reached or broke off before it answered. */
export function failureResponse({ host, port }: Destination, cause: unknown): ProxyResponse & { error: string } {
  const [status, error, why] = describeFailure(cause);
  return { status, error, text: `No answer from ${host}:${port}: ${why}.` };
}

export function sendResponse(response: ServerResponse, answer: ProxyResponse): void {
  const { body, headers } = formatResponse(answer);
  response.writeHead(answer.status, headers).end(body);
}

/** To a client that asked for a tunnel; the connection ends with it. */
export function sendRawResponse(socket: Socket, answer: ProxyResponse): void {
  const { body, headers } = formatResponse(answer);
  const lines = Object.entries({ ...headers, Connection: "close" }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`, ...lines, "", body].join("\r\n"));
}

function formatResponse({ error, text, challenge }: ProxyResponse) {
  const body = `${text}\n`;
  const headers = {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(body)),
    "Cache-Control": "no-store",
    "Proxy-Status": error === undefined ? "errand" : `errand; error=${error}`,
    ...(challenge === undefined ? {} : { "Proxy-Authenticate": challenge }),
  };
  return { body, headers };
}

function describeFailure(cause: unknown): [status: number, error: string, why: string] {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (cause instanceof Error && cause.name === "TimeoutError") return [504, "dns_timeout", "its name was not resolved"];
  if (code === "ENOTFOUND" || code.startsWith("EAI_")) return [502, "dns_error", "its name has no address"];
  if (code === "ETIMEDOUT") return [504, "connection_timeout", "no connection in time"];
  if (code === "EIDLE") return [504, "http_response_timeout", "it stayed silent for too long"];
  if (code === "ECONNREFUSED") return [502, "connection_refused", "it refuses connections"];
  if (code.startsWith("HPE_")) return [502, "http_protocol_error", "it does not speak HTTP"];
  if (code === "ECONNRESET" || code === "EPIPE") return [502, "connection_terminated", "it broke off"];
  return [502, "destination_unavailable", "it cannot be reached"];
}

/** RFC 6761, 6.4: never a real name. The proxy answers for it, so that a browser can show its credentials there. */
const HANDSHAKE_HOST = "hello.errand.invalid";

export const HANDSHAKE_URL = `http://${HANDSHAKE_HOST}/`;

export function isHandshake(destination: Destination | null): boolean {
  return destination?.host === HANDSHAKE_HOST && destination.port === 80;
}
