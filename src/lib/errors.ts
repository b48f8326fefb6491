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
 * A mistake or a limit of the caller's: `code` is stable, `message` is safe to show and says what to do next.
 * Whatever is only for the log travels in `cause`.
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

/** A line is as long as it may get: nothing was begun, and the same call can succeed a little later. */
export class OverloadedError extends CallerError<"UNAVAILABLE"> {
  constructor(where: string) {
    super("UNAVAILABLE", "The service has more to do than it can at the moment. Try again shortly.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: new Error(`the line is full: ${where}`),
    });
    this.name = "OverloadedError";
  }
}

/** What an error says. One that stands for several, such as a refused connection on two addresses, says nothing itself. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join("; ");
  return error instanceof Error ? error.message || error.name : String(error);
}
