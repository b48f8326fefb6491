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
