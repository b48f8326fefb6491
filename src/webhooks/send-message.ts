import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { Clock } from "../lib/clock.ts";
import { hostOfUrl, matchesHostPattern, parseHostPattern } from "../lib/hosts.ts";
import { createFixedLookup, PinnedResolver, type Resolve } from "../lib/name-resolution.ts";
import { areReachable } from "../lib/network-address.ts";
import { abortable } from "../lib/waiting.ts";
import { findReceiverUrlProblem, PRIVATE_ADDRESS_PROBLEM } from "./receiver-url.ts";

export type SendResult =
  | { readonly kind: "responded"; readonly status: number /** The raw header. */; readonly retryAfter: string | null }
  /** `reason` is for the webhook's owner. */
  | { readonly kind: "no response"; readonly reason: string };

/** Posts a message. Rejects only when the signal aborts. */
export type SendMessage = (message: OutgoingMessage, signal: AbortSignal) => Promise<SendResult>;

interface OutgoingMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface SenderOptions {
  /** Hosts that may have private addresses and may use http. */
  allowHosts: readonly string[];
  resolve: Resolve;
  clock: Clock;
  /** For the lookup, the connection and the response together. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
/** The response body is discarded; reading this much lets most receivers finish sending it. */
const MAX_BODY_BYTES = 4_096;
const BODY_TIMEOUT_MS = 1_000;

/** Connects only to addresses that it has looked up and checked itself, and follows no redirects. */
export function createSender({ allowHosts, resolve, clock, timeoutMs = TIMEOUT_MS }: SenderOptions): SendMessage {
  const allowedPrivate = allowHosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  const resolver = new PinnedResolver(limitLookups(resolve), clock);

  async function findAddresses(url: string, signal: AbortSignal): Promise<string[]> {
    const problem = findReceiverUrlProblem(url, allowedPrivate);
    const host = hostOfUrl(url);
    if (problem !== null || host === null) throw new ReceiverRejected(`The webhook's URL ${problem}.`);
    const addresses = await resolver.addressesOf(host.host, signal);
    if (!areReachable(host.host, addresses, matchesHostPattern(allowedPrivate, host))) {
      throw new ReceiverRejected(`The webhook's URL ${PRIVATE_ADDRESS_PROBLEM}.`);
    }
    return addresses;
  }

  return async (message, signal) => {
    const timeLimit = AbortSignal.timeout(timeoutMs);
    const limits = AbortSignal.any([signal, timeLimit]);
    try {
      const addresses = await findAddresses(message.url, limits);
      // Raced, so that the attempt ends in time whatever the receiver does.
      const response = await abortable(post(message, addresses, limits), limits);
      return {
        kind: "responded",
        status: response.statusCode ?? 0,
        retryAfter: response.headers["retry-after"] ?? null,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ReceiverRejected) return { kind: "no response", reason: error.message };
      if (timeLimit.aborted) return { kind: "no response", reason: `No response within ${timeoutMs / 1_000} s.` };
      return { kind: "no response", reason: describeSendError(error) };
    }
  };
}

class ReceiverRejected extends Error {
  override readonly name = "ReceiverRejected";
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
    // A new connection to one of the checked addresses.
    agent: false,
    lookup: createFixedLookup(addresses),
    signal,
  });
  try {
    const response = await waitForResponse(sent, body);
    await drain(response);
    return response;
  } finally {
    sent.destroy();
  }
}

function waitForResponse(sent: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Never removed: the request may fail again while it is torn down.
    sent.on("error", reject);
    sent.on("response", resolve);
    // A 101 counts as a response with that status. The socket is handed to us and not needed.
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

/** Discards the body until it ends, is too large or takes too long. */
function drain(response: IncomingMessage): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, BODY_TIMEOUT_MS);
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

const MESSAGES_BY_CODE: Record<string, string> = {
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The receiver closed the connection before it responded.",
  EPIPE: "The receiver closed the connection before it responded.",
  ENOTFOUND: "The host name was not found.",
  EAI_AGAIN: "The host name could not be looked up.",
  ENETUNREACH: "The host cannot be reached.",
  EHOSTUNREACH: "The host cannot be reached.",
  ETIMEDOUT: "The connection to the host timed out.",
  HPE_HEADER_OVERFLOW: "The response headers are too large.",
};

/** A message that reveals nothing about this machine or its network. */
function describeSendError(error: unknown): string {
  const code = errorCodeOf(error);
  const known = MESSAGES_BY_CODE[code];
  if (known !== undefined) return known;
  if (code.startsWith("HPE_")) return "The response is not valid HTTP.";
  if (/CERT|SIGNATURE|ALTNAME/.test(code)) return `The host's TLS certificate is not valid (${code}).`;
  if (/SSL|TLS|^EPROTO$/.test(code)) return "The TLS handshake with the host failed.";
  return code === "" ? "The connection failed." : `The connection failed (${code}).`;
}

/** With several addresses there is one error each: the last one represents all. */
function errorCodeOf(error: unknown): string {
  if (error instanceof AggregateError) return errorCodeOf(error.errors.at(-1));
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

interface LookupLimits {
  /** Each lookup holds one of the process's few pool threads for as long as the system's resolver takes. */
  maxConcurrent?: number;
  failureCacheMs?: number;
}

const MAX_FAILURES = 1_000;

/** Wraps a resolver for untrusted names: few lookups at a time, one per name, and failures are cached for a while. */
export function limitLookups(resolve: Resolve, limits: LookupLimits = {}): Resolve {
  const { maxConcurrent = 2, failureCacheMs = 10_000 } = limits;
  const inProgress = new Map<string, Promise<string[]>>();
  const failures = new Map<string, { error: unknown; untilMs: number }>();
  const waiting = new Set<() => void>();
  let running = 0;

  async function waitForFreeSlot(signal: AbortSignal): Promise<void> {
    const { promise, resolve: wake } = Promise.withResolvers<void>();
    waiting.add(wake);
    try {
      await abortable(promise, signal);
    } finally {
      waiting.delete(wake);
    }
  }

  /** Counts until the lookup has ended, even when nobody waits for it any more. */
  async function lookUp(name: string): Promise<string[]> {
    running += 1;
    try {
      return await resolve(name, new AbortController().signal);
    } catch (error) {
      if (failures.size >= MAX_FAILURES) failures.clear();
      failures.set(name, { error, untilMs: performance.now() + failureCacheMs });
      throw error;
    } finally {
      running -= 1;
      for (const wake of waiting) wake();
    }
  }

  function start(name: string): Promise<string[]> {
    const addresses = lookUp(name).finally(() => inProgress.delete(name));
    inProgress.set(name, addresses);
    return addresses;
  }

  return async (name, signal) => {
    const failure = failures.get(name);
    if (failure !== undefined && failure.untilMs > performance.now()) throw failure.error;
    while (running >= maxConcurrent && !inProgress.has(name)) await waitForFreeSlot(signal);
    return abortable(inProgress.get(name) ?? start(name), signal);
  };
}
