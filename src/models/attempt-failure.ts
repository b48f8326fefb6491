/** Why one request gave no answer. Nothing in it is meant to be shown: the provider's words may repeat the prompt or the key. */
export type AttemptProblem =
  | ProviderError
  /** No connection, by the system's code for it, such as ECONNREFUSED. */
  | { readonly kind: "unreachable"; readonly code: string }
  /** Nothing came for longer than we wait. */
  | { readonly kind: "silent" }
  /** The answer broke off, or is no answer of a model. */
  | { readonly kind: "cut" }
  | { readonly kind: "too_long" }
  /** An answer, but not of a model server: a web page, a redirect. */
  | { readonly kind: "not_a_model"; readonly status: number }
  /** It was asked to stream and answered in one piece. */
  | { readonly kind: "not_streamed" };

export interface ProviderError {
  readonly kind: "refused";
  readonly status: number;
  /** The provider's own code for it, such as model_not_found. */
  readonly code: string | null;
  readonly words: string;
  readonly retryAfterMs: number | null;
  /** The provider itself says that trying again is of no use. */
  readonly isFinal: boolean;
}

/** The SDK may wrap it: `problemOf` finds it again. It carries no cause, since the SDK's errors hold the whole prompt. */
export class AttemptFailure extends Error {
  readonly problem: AttemptProblem;

  constructor(problem: AttemptProblem) {
    super(`the model did not answer: ${problem.kind}`);
    this.problem = problem;
  }
}

const MAX_CAUSES = 10;

/** What went wrong. An error that is not ours comes from the SDK, which could make nothing of the answer. */
export function toProblem(error: unknown): AttemptProblem {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof AttemptFailure) return current.problem;
    const { statusCode } = current as { statusCode?: unknown };
    if (typeof statusCode === "number" && statusCode >= 400) return toProviderError(statusCode);
    current = current.cause;
  }
  return { kind: "cut" };
}

/** Some providers begin a stream with an error: the SDK gives it the status that it stands for. */
function toProviderError(status: number): ProviderError {
  return { kind: "refused", status, code: null, words: "", retryAfterMs: null, isFinal: false };
}

const MAX_WORDS_LENGTH = 600;

export function readProviderError({ status, headers }: Response, body: string, now: Date): ProviderError {
  return {
    kind: "refused",
    status,
    ...readWords(body),
    retryAfterMs: readRetryAfterMs(headers, now),
    isFinal: headers.get("x-should-retry") === "false",
  };
}

/** An error that came in the middle of a stream, after a status that promised success. */
export function readStreamedError(error: unknown): ProviderError {
  const { code, words } = readWords(typeof error === "string" ? error : toText(error));
  const says = `${code} ${words}`;
  const status = /rate.?limit|too many requests/i.test(says) ? 429 : 503;
  return { kind: "refused", status, code, words, retryAfterMs: null, isFinal: false };
}

function toText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : (JSON.stringify(error) ?? "");
  } catch {
    return "";
  }
}

/** Only the message itself: some servers send the whole request back beside it. */
function readWords(body: string): Pick<ProviderError, "code" | "words"> {
  const parsed = parse(body);
  const error = field(parsed, "error") ?? parsed;
  const message =
    [error, field(error, "message"), field(parsed, "message"), field(parsed, "detail")].find(
      (candidate) => typeof candidate === "string",
    ) ?? (parsed === undefined ? body : "");
  const code = [field(error, "code"), field(error, "type"), field(error, "status")].find(
    (candidate) => typeof candidate === "string" && /^[A-Za-z][A-Za-z_.-]{2,59}$/.test(candidate),
  );
  return { code: typeof code === "string" ? code : null, words: String(message).slice(0, MAX_WORDS_LENGTH) };
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

/** How long the provider wants us to wait; null when it does not say. */
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
