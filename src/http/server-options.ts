import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, ServerOptions } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from "../contract/error.ts";

/** How long a client may take. Without these limits a slow client would hold its connection forever. */
export interface HttpTimeouts {
  /** For the request line and headers. */
  headMs: number;
  /** For the whole request, including its body. */
  requestMs: number;
  /** Without any traffic, for example when a client stops reading. Longer than any wait in the API. */
  stalledMs: number;
}

export const HTTP_TIMEOUTS: HttpTimeouts = { headMs: 10_000, requestMs: 60_000, stalledMs: 120_000 };

const MAX_CHECK_INTERVAL_MS = 2_000;

export function toServerOptions({ headMs, requestMs }: HttpTimeouts): ServerOptions {
  return {
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(MAX_CHECK_INTERVAL_MS, headMs),
  };
}

const REQUEST_ID = /^[\w.-]{1,128}$/;

/** The caller's own id if it is safe to log, otherwise a new one. */
export function chooseRequestId({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
}

const CLIENT_ERRORS: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "The request took too long to arrive."],
};

const STATUS_PHRASES: Partial<Record<ErrorCode, string>> = {
  HEADERS_TOO_LARGE: "Request Header Fields Too Large",
  REQUEST_TIMEOUT: "Request Timeout",
};

/** Responds to input that is not HTTP. There is no request yet, so the response is written to the socket. */
export function sendClientError(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = CLIENT_ERRORS[error.code ?? ""] ?? ["INVALID_REQUEST", "This is not an HTTP request."];
  const requestId = randomUUID();
  this.log.info({ request_id: requestId, status: ERROR_STATUS[code], reason: error.code }, "request");
  const content: ErrorBody = { error: { code, message, request_id: requestId } };
  const body = JSON.stringify(content);
  socket.end(
    `HTTP/1.1 ${ERROR_STATUS[code]} ${STATUS_PHRASES[code] ?? "Bad Request"}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Responds to a path that cannot be decoded. It matches no route and no hook runs, so the log line is written here. */
export function sendBrokenPath(request: FastifyRequest, reply: FastifyReply): void {
  const message = "The path is not valid: check its percent-encoding.";
  const body: ErrorBody = { error: { code: "INVALID_REQUEST", message, request_id: request.id } };
  request.log.info({ method: request.method, route: null, status: 400 }, "request");
  reply.code(400).header("x-request-id", request.id).type("application/json; charset=utf-8").send(body);
}
