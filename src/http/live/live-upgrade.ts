import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { CallerError } from "../../lib/caller-error.ts";

export const LIVE_PATH = "/connect/:id/live";

const LIVE_ADDRESS = /^\/connect\/[^/?#]+\/live(?:\?|$)/;
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = "13";

/**
 * Whether this request may leave HTTP for a WebSocket. On any other address the wish is ignored, as RFC 9110 §7.8
 * allows, and the request answered like one that never had it.
 */
export function mayUpgrade({ method, url, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && LIVE_ADDRESS.test(url ?? "");
}

/** Throws unless the handshake can succeed (RFC 6455 §4.2.1): a ticket must not be spent on one that cannot. */
export function checkHandshake({ headers }: IncomingMessage): void {
  if (!KEY.test(headers["sec-websocket-key"] ?? "") || headers["sec-websocket-version"] !== VERSION) {
    throw new CallerError("INVALID_REQUEST", "This is not a WebSocket handshake of version 13.");
  }
}

/** Browsers always say where a socket comes from, and nothing else keeps other sites from using a person's cookie. */
export function checkOrigin({ headers, protocol }: FastifyRequest, publicUrl: string): void {
  const from = URL.parse(headers.origin ?? "")?.origin;
  const ours = [publicUrl, `${protocol}://${headers.host}`].map((url) => URL.parse(url)?.origin);
  if (from === undefined || from === "null" || !ours.includes(from))
    throw new CallerError("INVALID_REQUEST", "This socket can be opened only from a page of this service.");
}
