export type { Execution, Interaction } from "./api.ts";
export { Errand, type ErrandOptions } from "./errand.ts";
export {
  ApiError,
  ApplicationMismatch,
  type Artifact,
  type AuthorizationRequest,
  ConnectionFailed,
  ErrandError,
  type Evidence,
  ExecutionFailed,
  ExecutionFinished,
  ExecutionNotFinished,
  ExecutionNotFound,
  type FailedExecution,
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
export type { ExecutionEvent } from "./events.ts";
export type {
  Answer,
  CompletedExecution,
  CreateOptions,
  RequestOptions,
  StepEvent,
  WaitOptions,
} from "./executions.ts";
export type { Token } from "./oauth.ts";
export type { Extracted, OutputSchema, StandardOutput } from "./output.ts";
export { type VerifyOptions, verify as verifyWebhook, type WebhookHeaders, type WebhookMessage } from "./webhooks.ts";
