import type { Clock } from "../lib/clock.ts";
import { AttemptFailure, type AttemptProblem, readProviderError } from "./provider-failure.ts";

export interface FetchLimits {
  /** How long nothing may be received, before the response starts and within it. */
  readonly silenceMs: number;
  /** How long a response may take in total. */
  readonly totalMs: number;
  /** Of one response as received, including its framing. */
  readonly maxBytes: number;
}

const MAX_ERROR_BYTES = 64 * 1024;
export const EVENT_STREAM = "text/event-stream";

/**
 * The fetch for requests to model providers: every failure is an AttemptFailure, except for the caller's own abort.
 * Redirects are not followed, because the key would be sent along.
 */
export function createGuardedFetch(limits: FetchLimits, clock: Clock): typeof fetch {
  return async (input, init = {}) => {
    const silence = new SilenceTimer(limits);
    const { signal, ...rest } = init;
    const signals = [silence.signal, ...(signal === null || signal === undefined ? [] : [signal])];
    try {
      const response = await fetch(input, { ...rest, redirect: "manual", signal: AbortSignal.any(signals) });
      silence.restart();
      if (!response.ok) throw new AttemptFailure(await readFailure(response, clock));
      const problem = findUnusable(response, new Headers(init.headers).get("accept") === EVENT_STREAM);
      if (problem !== null) {
        await response.body?.cancel();
        throw new AttemptFailure(problem);
      }
      return limitBody(response, silence, limits.maxBytes);
    } catch (error) {
      silence.end();
      signal?.throwIfAborted();
      throw asFailure(error);
    }
  };
}

/** One timer restarts whenever something is received; the other limits the total. */
class SilenceTimer {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #lastTimer: NodeJS.Timeout;

  constructor({ silenceMs, totalMs }: FetchLimits) {
    const abort = () => this.#controller.abort(new AttemptFailure({ kind: "silent" }));
    // The connection keeps the process alive, not these timers.
    this.#timer = setTimeout(abort, silenceMs).unref();
    this.#lastTimer = setTimeout(abort, totalMs).unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#lastTimer);
  }
}

async function readFailure(response: Response, clock: Clock): Promise<AttemptProblem> {
  const body = await readStart(response);
  if (response.status < 400) return { kind: "not_a_model", status: response.status };
  return readProviderError(response, body, clock.now());
}

async function readStart({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
    if (bytes >= MAX_ERROR_BYTES) break;
  }
  return text;
}

function findUnusable({ headers, status }: Response, wantsStream: boolean): AttemptProblem | null {
  const contentType = headers.get("content-type") ?? "";
  if (contentType.startsWith("text/html")) return { kind: "not_a_model", status };
  return wantsStream && contentType.startsWith("application/json") ? { kind: "not_streamed" } : null;
}

function limitBody(response: Response, silence: SilenceTimer, maxBytes: number): Response {
  const { body, status, headers } = response;
  if (body === null) {
    silence.end();
    return response;
  }
  const chunks = limitChunks(body, silence, maxBytes);
  const limited = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      silence.end();
      await chunks.return();
    },
  });
  return new Response(limited, { status, headers });
}

/** Closes the connection when the reader stops early. */
async function* limitChunks(
  body: ReadableStream<Uint8Array>,
  silence: SilenceTimer,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      silence.restart();
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new AttemptFailure({ kind: "too_long" });
      yield chunk;
    }
  } finally {
    silence.end();
  }
}

function asFailure(error: unknown): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  const code = codeOf(error);
  return new AttemptFailure(
    /HEADERS_TIMEOUT|BODY_TIMEOUT/.test(code) ? { kind: "silent" } : { kind: "unreachable", code },
  );
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const code = (first as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "no connection";
}
