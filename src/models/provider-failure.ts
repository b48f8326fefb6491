import type { ModelFailureKind } from "./model.ts";

/** Why one request got no response. Not for display: the provider's message may repeat the prompt or the key. */
export type AttemptProblem =
  | ProviderError
  /** No connection, with the system's code for it, such as ECONNREFUSED. */
  | { readonly kind: "unreachable"; readonly code: string }
  /** Nothing was received for longer than the timeout. */
  | { readonly kind: "silent" }
  /** The response ended early, or is not that of a model. */
  | { readonly kind: "cut" }
  | { readonly kind: "too_long" }
  /** A response, but not of a model server: a web page, a redirect. */
  | { readonly kind: "not_a_model"; readonly status: number }
  /** A stream was requested, and the response came in one piece. */
  | { readonly kind: "not_streamed" };

/** An error response of the provider. */
export interface ProviderError {
  readonly kind: "refused";
  readonly status: number;
  /** The provider's own code, such as model_not_found. */
  readonly code: string | null;
  readonly message: string;
  readonly retryAfterMs: number | null;
  /** The provider says that a retry is useless. */
  readonly isFinal: boolean;
}

/** Carries no cause, because the SDK's errors contain the whole prompt. */
export class AttemptFailure extends Error {
  readonly problem: AttemptProblem;

  constructor(problem: AttemptProblem) {
    super(`The model did not respond: ${problem.kind}.`);
    this.problem = problem;
  }
}

const MAX_CAUSES = 10;

/** Finds our AttemptFailure again, which the SDK may have wrapped. Any other error means an unreadable response. */
export function toProblem(error: unknown): AttemptProblem {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof AttemptFailure) return current.problem;
    const { statusCode } = current as { statusCode?: unknown };
    // Some providers start a stream with an error: the SDK gives it the matching status.
    if (typeof statusCode === "number" && statusCode >= 400) {
      return { kind: "refused", status: statusCode, code: null, message: "", retryAfterMs: null, isFinal: false };
    }
    current = current.cause;
  }
  return { kind: "cut" };
}

export function readProviderError({ status, headers }: Response, body: string, now: Date): ProviderError {
  return {
    kind: "refused",
    status,
    ...readMessage(body),
    retryAfterMs: readRetryAfterMs(headers, now),
    isFinal: headers.get("x-should-retry") === "false",
  };
}

/** An error in the middle of a stream, after a status of success. */
export function readStreamedError(error: unknown): ProviderError {
  const { code, message } = readMessage(typeof error === "string" ? error : toText(error));
  const status = /rate.?limit|too many requests/i.test(`${code} ${message}`) ? 429 : 503;
  return { kind: "refused", status, code, message, retryAfterMs: null, isFinal: false };
}

function toText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : (JSON.stringify(error) ?? "");
  } catch {
    return "";
  }
}

const MAX_MESSAGE_LENGTH = 600;

/** Only the message itself: some servers send the whole request back next to it. */
function readMessage(body: string): Pick<ProviderError, "code" | "message"> {
  const parsed = parse(body);
  const error = field(parsed, "error") ?? parsed;
  const message =
    [error, field(error, "message"), field(parsed, "message"), field(parsed, "detail")].find(
      (candidate) => typeof candidate === "string",
    ) ?? (parsed === undefined ? body : "");
  const code = [field(error, "code"), field(error, "type"), field(error, "status")].find(
    (candidate) => typeof candidate === "string" && /^[A-Za-z][A-Za-z_.-]{2,59}$/.test(candidate),
  );
  return { code: typeof code === "string" ? code : null, message: String(message).slice(0, MAX_MESSAGE_LENGTH) };
}

function field(value: unknown, name: string): unknown {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === "object" && first !== null ? (first as Record<string, unknown>)[name] : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** How long the provider asks to wait; null when it does not say. */
function readRetryAfterMs(headers: Headers, now: Date): number | null {
  const milliseconds = readNumber(headers.get("retry-after-ms"));
  if (milliseconds !== null) return milliseconds;
  const given = headers.get("retry-after");
  const seconds = readNumber(given);
  if (seconds !== null) return seconds * 1_000;
  const at = Date.parse(given ?? "");
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}

function readNumber(text: string | null): number | null {
  return text !== null && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null;
}

/** Providers use 429 for an empty account too, but waiting does not fill it. */
export function isOutOfCredit({ status, code, message }: ProviderError): boolean {
  return status === 402 || (status === 429 && /insufficient.?quota|billing|credit balance/i.test(`${code} ${message}`));
}

const PROMPT_TOO_LONG =
  /too long|too large|context.{0,3}(length|window|size)|too many (input )?tokens|exceeds? .{0,40}tokens/i;

export function isPromptTooLong({ status, message, code }: ProviderError): boolean {
  return status === 413 || PROMPT_TOO_LONG.test(message) || code === "context_length_exceeded";
}

/** How messages refer to the model and its settings. */
interface ModelNames {
  /** Such as anthropic:claude. */
  readonly model: string;
  /** Null for the provider's own URL. */
  readonly baseUrl: string | null;
  /** The setting that names the model; those for its key and URL start with it. */
  readonly setting: string;
  readonly silenceMs: number;
}

export interface Explanation {
  readonly kind: ModelFailureKind;
  /** What happened and what to do. Of the provider's response it contains only the code. */
  readonly message: string;
}

export function explainProblem(problem: AttemptProblem, names: ModelNames): Explanation {
  const { model, baseUrl, setting, silenceMs } = names;
  const server = baseUrl === null ? `the provider of ${model}` : `the model server at ${baseUrl}`;
  const advice = baseUrl === null ? "Check the network." : `Check ${setting}_BASE_URL and that the server is running.`;
  switch (problem.kind) {
    case "refused":
      return explainProviderError(problem, names);
    case "unreachable":
      return { kind: "unreachable", message: `There is no connection to ${server} (${problem.code}). ${advice}` };
    case "silent":
      return {
        kind: "timed_out",
        message:
          `${model} did not respond in time: nothing was received for ${Math.round(silenceMs / 1_000)} s, or the response took too long. ` +
          "Raise ERRAND_MODEL_TIMEOUT_SECONDS, or choose a faster model.",
      };
    case "cut":
      return {
        kind: "unreachable",
        message: `The responses of ${server} break off or do not come from a model. ${advice}`,
      };
    case "not_a_model":
      return {
        kind: "unreachable",
        message:
          `The URL of ${model} does not belong to a model server (status ${problem.status}). ` +
          `Set ${setting}_BASE_URL to the URL of the model's API; it usually ends in /v1. Redirects are not followed.`,
      };
    case "too_long":
    case "not_streamed":
      return { kind: "unusable", message: `The responses of ${model} cannot be read. Choose another in ${setting}.` };
  }
}

function explainProviderError(error: ProviderError, { model, setting }: ModelNames): Explanation {
  const { status, code, retryAfterMs } = error;
  const detail = code === null ? `status ${status}` : `status ${status}, ${code}`;
  if (isOutOfCredit(error)) {
    return {
      kind: "rate_limited",
      message: `The account for ${model} has no credit left (${detail}). Add credit at the provider.`,
    };
  }
  if (status === 401 || status === 403) {
    return {
      kind: "unauthorized",
      message: `The key for ${model} is not accepted (${detail}). Set ${setting}_API_KEY to a key that may use this model.`,
    };
  }
  if (status === 429) {
    const wait = retryAfterMs === null ? "" : ` and asks to wait ${Math.ceil(retryAfterMs / 1_000)} s`;
    return {
      kind: "rate_limited",
      message: `The provider of ${model} limits the rate of requests${wait} (${detail}). Raise the limit there, or lower ERRAND_CONCURRENCY.`,
    };
  }
  if (status === 408) {
    return { kind: "timed_out", message: `${model} took too long for its provider (${detail}). Try again later.` };
  }
  if (status >= 500) {
    return {
      kind: "overloaded",
      message: `The provider of ${model} is overloaded or failing (${detail}). Try again later.`,
    };
  }
  if (isPromptTooLong(error)) {
    return {
      kind: "rejected",
      message: `The prompt is too long for ${model} (${detail}). Choose a model with a larger context in ${setting}.`,
    };
  }
  const advice =
    status === 404 || code === "model_not_found"
      ? `Check the model's name in ${setting}, and ${setting}_BASE_URL if it is set; it usually ends in /v1.`
      : `Run errand doctor to see why, or choose another model in ${setting}.`;
  return { kind: "rejected", message: `The provider of ${model} rejects the request (${detail}). ${advice}` };
}
