import type { ServerOptions } from "node:http";

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
