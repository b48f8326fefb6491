import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Destination, RefusalReason } from "./gate.ts";

/** A response of the proxy itself, as opposed to one that it forwards. `error` is an RFC 9209 type. */
export interface ProxyResponse {
  status: number;
  error?: string;
  text: string;
  challenge?: string;
}

const REFUSALS: Record<RefusalReason, { status: number; error: string; why: string }> = {
  invalid_target: { status: 400, error: "http_request_error", why: "the request does not name a valid host" },
  host_not_allowed: { status: 403, error: "http_request_denied", why: "this host is not on the allow list" },
  port_not_allowed: {
    status: 403,
    error: "http_request_denied",
    why: "this port of the host is not on the allow list",
  },
  private_address: { status: 403, error: "destination_ip_prohibited", why: "the host resolves to a private address" },
};

export const HANDSHAKE_RESPONSE: ProxyResponse = { status: 200, text: "Hello." };

export const UNAUTHENTICATED: ProxyResponse = {
  status: 407,
  error: "http_request_denied",
  text: "This proxy requires the credentials of its browser session.",
  challenge: 'Basic realm="errand"',
};

export const TOO_MANY_CONNECTIONS: ProxyResponse = {
  status: 503,
  error: "connection_limit_reached",
  text: "Too many open connections in this browser session.",
};

export function refusalResponse({ host, port }: Destination, reason: RefusalReason): ProxyResponse {
  const { status, error, why } = REFUSALS[reason];
  return { status, error, text: `Refused (${reason}): ${host}:${port}: ${why}.` };
}

/** For a host that could not be reached, or that broke off before it responded. */
export function failureResponse({ host, port }: Destination, cause: unknown): ProxyResponse & { error: string } {
  const [status, error, why] = describeFailure(cause);
  return { status, error, text: `No response from ${host}:${port}: ${why}.` };
}

export function sendResponse(target: ServerResponse, response: ProxyResponse): void {
  const { body, headers } = formatResponse(response);
  target.writeHead(response.status, headers).end(body);
}

/** For a client that requested a tunnel. Closes the connection. */
export function sendRawResponse(socket: Socket, response: ProxyResponse): void {
  const { body, headers } = formatResponse(response);
  const lines = Object.entries({ ...headers, Connection: "close" }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`, ...lines, "", body].join("\r\n"));
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
  if (cause instanceof Error && cause.name === "TimeoutError") return [504, "dns_timeout", "the DNS lookup timed out"];
  if (code === "ENOTFOUND" || code.startsWith("EAI_")) return [502, "dns_error", "the host name does not resolve"];
  if (code === "ETIMEDOUT") return [504, "connection_timeout", "the connection timed out"];
  if (code === "EIDLE") return [504, "http_response_timeout", "it was silent for too long"];
  if (code === "ECONNREFUSED") return [502, "connection_refused", "it refused the connection"];
  if (code.startsWith("HPE_")) return [502, "http_protocol_error", "it does not speak HTTP"];
  if (code === "ECONNRESET" || code === "EPIPE") return [502, "connection_terminated", "it closed the connection"];
  return [502, "destination_unavailable", "it cannot be reached"];
}

/** Whether a response is the proxy's own: that the host was refused or did not respond. */
export function isFromProxy(headers: Readonly<Record<string, string>>): boolean {
  return headers["proxy-status"]?.startsWith("errand; error=") ?? false;
}

/** Never a real name (RFC 6761, 6.4). The proxy itself responds for it, so that a browser can authenticate there. */
const HANDSHAKE_HOST = "hello.errand.invalid";

export const HANDSHAKE_URL = `http://${HANDSHAKE_HOST}/`;

export function isHandshake(destination: Destination | null): boolean {
  return destination?.host === HANDSHAKE_HOST && destination.port === 80;
}
