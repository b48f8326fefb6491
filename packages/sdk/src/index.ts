export type {
  Artifact,
  Connection,
  Execution,
  ExecutionEvent,
  FailedExecution,
  Interaction,
  StepEvent,
  WebhookMessage,
} from "./api.ts";
export { Errand, type ErrandOptions } from "./errand.ts";
export {
  ApiError,
  ApplicationMismatch,
  type AuthorizationRequest,
  ConnectionFailed,
  ErrandError,
  type Evidence,
  ExecutionFailed,
  ExecutionFinished,
  ExecutionNotFinished,
  ExecutionNotFound,
  Forbidden,
  Gone,
  IdempotencyKeyReused,
  InsufficientCredits,
  InteractionEnded,
  InternalError,
  InvalidCursor,
  InvalidRequest,
  NotFound,
  OAuthError,
  OutputInvalid,
  PayloadTooLarge,
  RateLimited,
  ReauthorizationRequired,
  RequestTimedOut,
  Unauthenticated,
  Unavailable,
  WebhookVerificationFailed,
} from "./errors.ts";
export type {
  Answer,
  CompletedExecution,
  CreateOptions,
  RequestOptions,
  WaitOptions,
} from "./executions.ts";
export type { Token } from "./oauth.ts";
export type { Extracted, OutputSchema, StandardOutput } from "./output.ts";
export { type VerifyOptions, verify as verifyWebhook, type WebhookHeaders } from "./webhooks.ts";
