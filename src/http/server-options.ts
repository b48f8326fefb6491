import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, ServerOptions } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from "../contract/error.ts";

/** How long a client may take, so that a slow one holds a connection but not for ever. */
export interface HttpTimeouts {
  /** For the head of a request. */
  headMs: number;
  /** For the whole request, its body included. */
  requestMs: number;
  /** Nothing arrives and nothing leaves, such as with a client that has stopped reading; longer than any wait of ours. */
  stalledMs: number;
}

export const HTTP_TIMEOUTS: HttpTimeouts = { headMs: 20_000, requestMs: 60_000, stalledMs: 120_000 };

const MAX_CHECK_EVERY_MS = 5_000;

export function toServerOptions({ headMs, requestMs }: HttpTimeouts): ServerOptions {
  return {
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(MAX_CHECK_EVERY_MS, headMs),
  };
}

const REQUEST_ID = /^[\w.-]{1,128}$/;

/** The caller's own, if it can stand in a log, else one that nobody else has. */
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

/** What arrives so broken that there is no request yet: answered on the bare socket. */
export function sendClientError(this: FastifyInstance, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = CLIENT_ERRORS[error.code ?? ""] ?? ["INVALID_REQUEST", "This is not an HTTP request."];
  const requestId = randomUUID();
  this.log.info({ request_id: requestId, status: ERROR_STATUS[code], reason: error.code }, "request");
  const answer: ErrorBody = { error: { code, message, request_id: requestId } };
  const body = JSON.stringify(answer);
  socket.end(
    `HTTP/1.1 ${ERROR_STATUS[code]} ${STATUS_PHRASES[code] ?? "Bad Request"}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** A path that cannot be decoded belongs to no route, so no hook has run: the log line is written here as well. */
export function sendBrokenPath(request: FastifyRequest, reply: FastifyReply): void {
  const message = "The path is not valid: check its percent-encoding.";
  const body: ErrorBody = { error: { code: "INVALID_REQUEST", message, request_id: request.id } };
  request.log.info({ method: request.method, route: null, status: 400 }, "request");
  reply.code(400).header("x-request-id", request.id).type("application/json; charset=utf-8").send(body);
}
