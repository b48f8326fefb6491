import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { Clock } from "../lib/clock.ts";
import { lookUpAs } from "../lib/fixed-lookup.ts";
import { hostOfAddress, matchesHostPattern, parseHostPattern } from "../lib/host-pattern.ts";
import { PinnedNames, type Resolve } from "../lib/pinned-names.ts";
import { areReachable } from "../lib/reachable.ts";
import { untilAborted } from "../lib/until-aborted.ts";
import { boundLookUps } from "./bounded-look-ups.ts";
import { describeNoAnswer } from "./no-answer.ts";
import { PRIVATE_ADDRESS, refuseReceiverUrl } from "./receiver-address.ts";

export type Answer =
  | { readonly kind: "answered"; readonly status: number /** As it came. */; readonly retryAfter: string | null }
  /** `reason` is for the webhook's owner. */
  | { readonly kind: "no answer"; readonly reason: string };

/** Posts a message. Rejects only when the signal aborts. */
export type SendMessage = (message: OutgoingMessage, signal: AbortSignal) => Promise<Answer>;

interface OutgoingMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface SenderOptions {
  /** Hosts that may be at private addresses and may use http. */
  allowHosts: readonly string[];
  resolve: Resolve;
  clock: Clock;
  /** For everything: the look-up, the connection, the answer. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
/** Of the answer's body, which nobody reads: enough for a receiver to end politely. */
const MAX_BODY_BYTES = 4_096;
const BODY_PATIENCE_MS = 1_000;

/** Connects to nothing but addresses that it has looked up and checked itself, and follows no redirect. */
export function createSender({ allowHosts, resolve, clock, timeoutMs = TIMEOUT_MS }: SenderOptions): SendMessage {
  const opened = allowHosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  const names = new PinnedNames(boundLookUps(resolve), clock);

  async function findAddresses(url: string, signal: AbortSignal): Promise<string[]> {
    const refusal = refuseReceiverUrl(url, opened);
    const place = hostOfAddress(url);
    if (refusal !== null || place === null) throw new Refused(`The address ${refusal}.`);
    const addresses = await names.addressesOf(place.host, signal);
    if (!areReachable(place.host, addresses, matchesHostPattern(opened, place))) {
      throw new Refused(`The address ${PRIVATE_ADDRESS}.`);
    }
    return addresses;
  }

  return async (message, signal) => {
    const timeLimit = AbortSignal.timeout(timeoutMs);
    const limits = AbortSignal.any([signal, timeLimit]);
    try {
      const addresses = await findAddresses(message.url, limits);
      // Raced: whatever a receiver does, the attempt ends in time.
      const response = await untilAborted(post(message, addresses, limits), limits);
      return {
        kind: "answered",
        status: response.statusCode ?? 0,
        retryAfter: response.headers["retry-after"] ?? null,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refused) return { kind: "no answer", reason: error.message };
      if (timeLimit.aborted) return { kind: "no answer", reason: `There was no answer within ${timeoutMs / 1_000} s.` };
      return { kind: "no answer", reason: describeNoAnswer(error) };
    }
  };
}

class Refused extends Error {
  override readonly name = "Refused";
}

async function post(
  { url, headers, body }: OutgoingMessage,
  addresses: string[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.toLowerCase().startsWith("https:") ? requestSecure : requestPlain;
  const sent = request(url, {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    // A connection of its own, to one of the addresses that were checked.
    agent: false,
    lookup: lookUpAs(addresses),
    signal,
  });
  try {
    const response = await untilResponse(sent, body);
    await drain(response);
    return response;
  } finally {
    sent.destroy();
  }
}

function untilResponse(sent: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // For good: it may fail again while it is torn down.
    sent.on("error", reject);
    sent.on("response", resolve);
    // A 101, which is the status of an answer like any other. The socket is ours then, and is of no use.
    sent.on("upgrade", (response, socket) => {
      socket.on("error", () => {});
      socket.destroy();
      response.destroy();
      resolve(response);
    });
    sent.on("close", () => reject(Object.assign(new Error(), { code: "ECONNRESET" })));
    sent.end(body);
  });
}

/** Until the body has ended, or is more or slower than anybody needs. What it is does not matter. */
function drain(response: IncomingMessage): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, BODY_PATIENCE_MS);
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) resolve();
    });
    response.on("error", () => resolve());
    response.on("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
