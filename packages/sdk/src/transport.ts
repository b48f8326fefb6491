import { ConnectionFailed, type ErrorResponse, RequestTimedOut } from "./errors.ts";

export interface TransportOptions {
  baseUrl: URL;
  fetch: typeof globalThis.fetch;
  maxRetries: number;
  timeoutMs: number;
}

export interface ApiRequest {
  method?: "GET" | "POST";
  path: string;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: string | URLSearchParams;
  signal?: AbortSignal | undefined;
  /** Repeating it does no harm, even if the service has carried it out already. */
  isRepeatable: boolean;
  /** Added to the timeout: how long the service may keep the response back. */
  waitMs?: number;
  /** The body is read by the caller, as it arrives. Otherwise it is part of the attempt, with its timeout and retries. */
  isStreamed?: boolean;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** Whoever is told to wait longer gets the error, and decides. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Sends requests, and repeats those that failed for a passing reason. */
export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** Repeats on 429, 502, 503, 504 and network failures; what must not be carried out twice only on 429. */
  async send(request: ApiRequest): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt >= this.options.maxRetries;
      const outcome = await this.#try(request).catch((error: unknown) => {
        if (isLast || !request.isRepeatable || !(error instanceof ConnectionFailed)) throw error;
        return null;
      });
      if (outcome !== null && (isLast || !isWorthRepeating(outcome.status, request.isRepeatable))) return outcome;
      const retryAfterMs = outcome === null ? null : readRetryAfterMs(outcome.headers);
      if (outcome !== null && (retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) return outcome;
      await pause(delayMs(attempt, retryAfterMs), request.signal);
    }
  }

  async #try(request: ApiRequest): Promise<Response> {
    const { method = "GET", path, query = {}, headers = {}, body, signal, waitMs = 0, isStreamed = false } = request;
    const { baseUrl, fetch, timeoutMs } = this.options;
    signal?.throwIfAborted();
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs + waitMs);
    try {
      const response = await fetch(buildUrl(baseUrl, path, query), {
        method,
        headers,
        // Redirects of the service itself do not exist: following one would send the token elsewhere.
        redirect: "error",
        signal: eitherOf(timeout.signal, signal),
        ...(body === undefined ? {} : { body }),
      });
      if (isStreamed && response.ok) return response;
      return new Response(await response.arrayBuffer(), response);
    } catch (cause) {
      signal?.throwIfAborted();
      if (timeout.signal.aborted) {
        throw new RequestTimedOut(`${baseUrl.origin} did not respond within ${(timeoutMs + waitMs) / 1_000} s.`, {
          cause,
        });
      }
      throw new ConnectionFailed(`Could not reach ${baseUrl.origin}: ${describeCause(cause)}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

export function buildUrl(base: URL, path: string, query: Record<string, string | number | undefined> = {}): URL {
  const url = new URL(base.href.replace(/\/$/, "") + path);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url;
}

export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    throw new ConnectionFailed(
      `Expected JSON, but got ${response.headers.get("content-type") ?? "something else"} (status ${response.status}). Is baseUrl the URL of an Errand service?`,
    );
  }
}

/** What a rejected request is about, also if a proxy answered instead of the service. */
export async function readErrorResponse(response: Response): Promise<Omit<ErrorResponse, "authorization">> {
  const body = await readJson(response).catch(() => null);
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const retryAfterMs = readRetryAfterMs(response.headers);
  return {
    status: response.status,
    code: typeof error["code"] === "string" ? error["code"] : `HTTP_${response.status}`,
    message: typeof error["message"] === "string" ? error["message"] : `The service responded with ${response.status}.`,
    details: Array.isArray(error["details"]) ? error["details"] : [],
    requestId: typeof error["request_id"] === "string" ? error["request_id"] : response.headers.get("x-request-id"),
    retryAfterSeconds: retryAfterMs === null ? null : retryAfterMs / 1_000,
  };
}

export function eitherOf(one: AbortSignal, another: AbortSignal | undefined): AbortSignal {
  return another === undefined ? one : AbortSignal.any([one, another]);
}

/** Resolves after this time; rejects when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Grows with each attempt. Random, so that clients that failed together do not come back together. */
export function delayMs(attempt: number, retryAfterMs: number | null): number {
  if (retryAfterMs !== null) return retryAfterMs + Math.random() * FIRST_DELAY_MS;
  return Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (0.5 + Math.random() / 2);
}

function isWorthRepeating(status: number, isRepeatable: boolean): boolean {
  return status === 429 || (isRepeatable && (status === 502 || status === 503 || status === 504));
}

/** Seconds or a date (RFC 9110 §10.2.3); null if there is none. */
function readRetryAfterMs(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(ms, 0);
}

/** `fetch` only says "fetch failed"; its cause has the reason. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
