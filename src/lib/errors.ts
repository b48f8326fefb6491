export interface ErrorDetail {
  path: string;
  message: string;
}

interface CallerErrorOptions {
  details?: ErrorDetail[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/**
 * The caller made a mistake or hit a limit. `code` is stable; `message` is safe to show and says what to do next.
 * Details for the log go into `cause`.
 */
export class CallerError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, message: string, options: CallerErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "CallerError";
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

const RETRY_AFTER_SECONDS = 2;

/** A queue in this process is full. Nothing was started; the same call may succeed a moment later. */
export class OverloadedError extends CallerError<"UNAVAILABLE"> {
  constructor(queue: string) {
    super("UNAVAILABLE", "The service is overloaded. Try again in a few seconds.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: new Error(`queue full: ${queue}`),
    });
    this.name = "OverloadedError";
  }
}

/** The message of an error. An AggregateError, such as a connection refused on two addresses, has no message itself. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join("; ");
  return error instanceof Error ? error.message || error.name : String(error);
}
