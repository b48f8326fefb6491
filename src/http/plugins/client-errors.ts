import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { ERROR_STATUS, type ErrorBody, type ErrorCode } from "../../contract/error.ts";

const CODES: Record<string, [ErrorCode, string]> = {
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["REQUEST_TIMEOUT", "The request took too long to arrive."],
};

const PHRASES: Partial<Record<ErrorCode, string>> = {
  HEADERS_TOO_LARGE: "Request Header Fields Too Large",
  REQUEST_TIMEOUT: "Request Timeout",
};

/** What arrives so broken that there is no request yet: answered on the bare socket. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = CODES[error.code ?? ""] ?? ["INVALID_REQUEST", "This is not an HTTP request."];
  const requestId = randomUUID();
  const answer: ErrorBody = { error: { code, message, request_id: requestId } };
  const body = JSON.stringify(answer);
  socket.end(
    `HTTP/1.1 ${ERROR_STATUS[code]} ${PHRASES[code] ?? "Bad Request"}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  );
}
