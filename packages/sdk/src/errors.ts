import type { Artifact, Execution, FailedExecution, Operations } from "./api.ts";

/** Where to send the user, and what to keep (in the user's session) until they come back. */
export interface AuthorizationRequest {
  url: string;
  state: string;
  codeVerifier: string;
  redirectUri: string;
}

/** The base class of all errors that this package throws, except the reason of an aborted signal. */
export class ErrandError extends Error {
  override readonly name: string = "ErrandError";
  /**
   * Set when the user has to connect again, if the client knows its `redirectUri`: send the user to its `url`, and keep the
   * rest for the callback.
   */
  readonly authorization: AuthorizationRequest | null;

  constructor(message: string, options: ErrorOptions & { authorization?: AuthorizationRequest | null } = {}) {
    super(message, options);
    this.authorization = options.authorization ?? null;
  }
}

/** The service could not be reached, or the connection broke. `cause` is the error of `fetch`. */
export class ConnectionFailed extends ErrandError {
  override readonly name: string = "ConnectionFailed";
}

/** The service did not respond within `timeout`. */
export class RequestTimedOut extends ConnectionFailed {
  override readonly name = "RequestTimedOut";
}

/** What the API says about a rejected request. */
export interface ErrorResponse {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly { path: string; message: string }[];
  readonly requestId: string | null;
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | null;
  readonly authorization: AuthorizationRequest | null;
}

/** The service rejected the request. `code` is stable; there is a class for each code that an application can handle. */
export class ApiError extends ErrandError {
  override readonly name: string = "ApiError";
  readonly status: number;
  readonly code: string;
  /** Each problem of the request, with its path. */
  readonly details: readonly { path: string; message: string }[];
  /** Name it when you report a problem. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(response: ErrorResponse) {
    super(response.message, { authorization: response.authorization });
    this.status = response.status;
    this.code = response.code;
    this.details = response.details;
    this.requestId = response.requestId;
    this.retryAfterSeconds = response.retryAfterSeconds;
  }
}

/** The request is wrong; `details` says where. */
export class InvalidRequest extends ApiError {
  override readonly name: string = "InvalidRequest";
}
/** `after` is not the id of an execution of this connection. */
export class InvalidCursor extends InvalidRequest {
  override readonly name = "InvalidCursor";
}
/** The access token is wrong or was revoked: the user has to connect again. */
export class Unauthenticated extends ApiError {
  override readonly name = "Unauthenticated";
}
/** The owner of the application has no credits left. */
export class InsufficientCredits extends ApiError {
  override readonly name = "InsufficientCredits";
}
export class Forbidden extends ApiError {
  override readonly name: string = "Forbidden";
}
/** The access token belongs to another application. */
export class ApplicationMismatch extends Forbidden {
  override readonly name = "ApplicationMismatch";
}
export class NotFound extends ApiError {
  override readonly name: string = "NotFound";
}
/** There is no such execution on this connection. */
export class ExecutionNotFound extends NotFound {
  override readonly name = "ExecutionNotFound";
}
/** The idempotency key was used before, for another request. */
export class IdempotencyKeyReused extends ApiError {
  override readonly name = "IdempotencyKeyReused";
}
/** The user has to sign in again before anything runs for them. See `authorization`. */
export class ReauthorizationRequired extends ApiError {
  override readonly name = "ReauthorizationRequired";
}
/** The execution has already ended. */
export class ExecutionFinished extends ApiError {
  override readonly name = "ExecutionFinished";
}
/** The execution has not ended yet. */
export class ExecutionNotFinished extends ApiError {
  override readonly name = "ExecutionNotFinished";
}
/** Somebody else answered first, or the time is over. */
export class InteractionEnded extends ApiError {
  override readonly name = "InteractionEnded";
}
/** The file was deleted by the retention period. */
export class Gone extends ApiError {
  override readonly name = "Gone";
}
export class PayloadTooLarge extends ApiError {
  override readonly name = "PayloadTooLarge";
}
/** Too many requests, even after the retries. */
export class RateLimited extends ApiError {
  override readonly name = "RateLimited";
}
/** A bug in the service. `requestId` finds it in its log. */
export class InternalError extends ApiError {
  override readonly name = "InternalError";
}
/** The service is overloaded or restarting, even after the retries. */
export class Unavailable extends ApiError {
  override readonly name = "Unavailable";
}

const BY_CODE: Readonly<Record<string, typeof ApiError>> = {
  INVALID_REQUEST: InvalidRequest,
  INVALID_CURSOR: InvalidCursor,
  UNAUTHENTICATED: Unauthenticated,
  INSUFFICIENT_CREDITS: InsufficientCredits,
  FORBIDDEN: Forbidden,
  APPLICATION_MISMATCH: ApplicationMismatch,
  NOT_FOUND: NotFound,
  EXECUTION_NOT_FOUND: ExecutionNotFound,
  IDEMPOTENCY_KEY_REUSED: IdempotencyKeyReused,
  CONNECTION_REAUTHORIZATION_REQUIRED: ReauthorizationRequired,
  EXECUTION_FINISHED: ExecutionFinished,
  EXECUTION_NOT_FINISHED: ExecutionNotFinished,
  INTERACTION_ENDED: InteractionEnded,
  GONE: Gone,
  PAYLOAD_TOO_LARGE: PayloadTooLarge,
  RATE_LIMITED: RateLimited,
  INTERNAL: InternalError,
  UNAVAILABLE: Unavailable,
};

/** For responses that are not Errand's, such as those of a proxy. */
const BY_STATUS: Readonly<Record<number, typeof ApiError>> = { 429: RateLimited, 503: Unavailable };

export function toApiError(response: ErrorResponse): ApiError {
  const Class = BY_CODE[response.code] ?? BY_STATUS[response.status] ?? ApiError;
  return new Class(response);
}

/** The codes after which the user has to connect again. */
export function needsAuthorization(code: string): boolean {
  return code === "UNAUTHENTICATED" || code === "CONNECTION_REAUTHORIZATION_REQUIRED";
}

/** An error of the OAuth endpoints, or of the redirect back to the application. `code` is one of RFC 6749. */
export class OAuthError extends ErrandError {
  override readonly name = "OAuthError";
  readonly code: string;
  readonly status: number | null;

  constructor(code: string, description: string, status: number | null = null) {
    super(description);
    this.code = code;
    this.status = status;
  }
}

/** The message is not from Errand, was changed, or is too old. Respond with 400. */
export class WebhookVerificationFailed extends ErrandError {
  override readonly name = "WebhookVerificationFailed";
}

export type Evidence = Operations["getExecutionEvidence"]["response"]["evidence"];

interface FailureDetails {
  evidence: Evidence | null;
  artifacts: readonly Artifact[];
  authorization: AuthorizationRequest | null;
}

/** The execution ended without a verified result. Nothing was charged. */
export class ExecutionFailed extends ErrandError {
  override readonly name = "ExecutionFailed";
  /** Why it failed: `terminal.status` is one of a fixed list, `terminal.reason` a sentence. */
  readonly terminal: FailedExecution["terminal"];
  readonly error: FailedExecution["error"];
  // Private, so that an error that is printed does not fill the screen.
  readonly #execution: FailedExecution;
  readonly #details: FailureDetails;

  constructor(execution: FailedExecution, details: FailureDetails) {
    super(execution.error.message, { authorization: details.authorization });
    this.terminal = execution.terminal;
    this.error = execution.error;
    this.#execution = execution;
    this.#details = details;
  }

  get execution(): FailedExecution {
    return this.#execution;
  }

  /** What it visited and changed before it failed; null if that could not be read. */
  get evidence(): Evidence | null {
    return this.#details.evidence;
  }

  /** Screenshots and other files. */
  get artifacts(): readonly Artifact[] {
    return this.#details.artifacts;
  }
}

/** The result fits the JSON Schema, but not the schema that was passed as `output`, which may ask for more. */
export class OutputInvalid extends ErrandError {
  override readonly name = "OutputInvalid";
  readonly execution: Execution;
  readonly issues: readonly { message: string; path: string }[];

  constructor(execution: Execution, issues: readonly { message: string; path: string }[]) {
    super(
      `The result does not fit the output schema: ${issues.map(({ path, message }) => `${path || "/"}: ${message}`).join("; ")}`,
    );
    this.execution = execution;
    this.issues = issues;
  }
}
