import { Type } from "typebox";

interface ErrorExplanation {
  status: number;
  /** When it is sent. */
  when: string;
  /** What a caller should do. */
  next: string;
}

/**
 * Every error code of the API with its status: the source of `error.code` in OpenAPI and of docs/errors.md. OAuth endpoints
 * use the codes of RFC 6749 instead.
 */
export const ERRORS = {
  INVALID_REQUEST: {
    status: 400,
    when: "A field, a header, a query parameter or the JSON itself is not valid.",
    next: "Fix what `details` lists. Sending the same request again gives the same error.",
  },
  INVALID_CURSOR: {
    status: 400,
    when: "`after` is not the id of an entry in this list.",
    next: "Pass the id of the last entry of the previous page, or start again without `after`.",
  },
  UNAUTHENTICATED: {
    status: 401,
    when: "There are no credentials, or they are unknown or were revoked.",
    next: "Send the right credentials. If a connection's token was revoked, send the user through the authorization link again.",
  },
  INSUFFICIENT_CREDITS: {
    status: 402,
    when: "The application's owner has fewer credits than an execution costs.",
    next: "The owner needs more credits. The same request with the same `Idempotency-Key` works after that.",
  },
  APPLICATION_MISMATCH: {
    status: 403,
    when: "The credentials belong to another application than the one in the path.",
    next: "Use the id of the application that the credentials were issued for.",
  },
  FORBIDDEN: {
    status: 403,
    when: "The credentials are valid but do not allow this.",
    next: "Use credentials with the necessary scope. The message names it.",
  },
  EXECUTION_NOT_FOUND: {
    status: 404,
    when: "The connection has no execution with this id. It may belong to another connection, or it was deleted.",
    next: "Use the token of the connection that the execution was created with.",
  },
  NOT_FOUND: {
    status: 404,
    when: "There is nothing at this path, or nothing with this id that you may see.",
    next: "Check the path and the ids.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: "The path exists, but not with this method.",
    next: "Use a method from the `Allow` header.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    when: "The request took too long to arrive.",
    next: "Send it again over a better connection.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    when: "The `Idempotency-Key` was already used on this connection with a different body.",
    next: "Use a new key for a new request, or the original body for a retry.",
  },
  CONNECTION_REAUTHORIZATION_REQUIRED: {
    status: 409,
    when: "The user has to sign in or consent again before anything runs for them.",
    next: "Send the user through the authorization link, then create the execution again.",
  },
  EXECUTION_FINISHED: {
    status: 409,
    when: "The execution has already ended, so that it can neither be canceled nor watched.",
    next: "Get the execution to see how it ended.",
  },
  EXECUTION_NOT_FINISHED: {
    status: 409,
    when: "The evidence was requested before the execution ended.",
    next: "Wait until the execution has ended. Its events show its progress.",
  },
  INTERACTION_ENDED: {
    status: 409,
    when: "Somebody else was faster, the time was up, or the execution has ended.",
    next: "Get the interaction or the execution to see what was decided.",
  },
  ALREADY_CLAIMED: {
    status: 409,
    when: "The installation already has its first owner.",
    next: "Sign in with that account.",
  },
  RECIPE_CHANGED: {
    status: 409,
    when: "The recipe has a newer version than the one that was changed.",
    next: "Load the newest version and make the changes again.",
  },
  RECIPE_EXISTS: {
    status: 409,
    when: "There is a recipe with this template, start URL and output schema already.",
    next: "Change that one, or delete it first.",
  },
  RECIPE_NOT_POSSIBLE: {
    status: 409,
    when: "The execution cannot be saved as a recipe: it was not verified, or its run cannot be repeated without a model.",
    next: "The message says why. A recipe can also be written by hand and imported.",
  },
  SECRET_JUST_ROTATED: {
    status: 409,
    when: "The webhook's previous secret is still valid, and another rotation would end it at once.",
    next: "Wait until it has expired, or rotate with `force=true`.",
  },
  GONE: {
    status: 410,
    when: "The content was deleted, for example because its retention period is over.",
    next: "It cannot be recovered.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    when: "The body exceeds 1 MiB, or 64 KiB for a form.",
    next: "Send a smaller body.",
  },
  URI_TOO_LONG: { status: 414, when: "The URL is too long.", next: "Send a shorter one." },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    when: "The body has another content type than the one that is accepted here.",
    next: "Send the content type that the message names.",
  },
  RATE_LIMITED: {
    status: 429,
    when: "There were too many requests, open streams or queued executions.",
    next: "Wait for the seconds in `Retry-After`, then send the same request again.",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    when: "The request's headers are too large.",
    next: "Send fewer or shorter headers.",
  },
  INTERNAL: {
    status: 500,
    when: "There is a bug in Errand.",
    next: "Report it with the `request_id`: the service's log has the details. A create can be repeated safely with its `Idempotency-Key`.",
  },
  UNAVAILABLE: {
    status: 503,
    when: "The service is overloaded, or cannot reach its database.",
    next: "Wait for the seconds in `Retry-After`, then send the same request again.",
  },
} as const satisfies Record<string, ErrorExplanation>;
export type ErrorCode = keyof typeof ERRORS;

export const ERROR_STATUS = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status])) as {
  readonly [Code in ErrorCode]: (typeof ERRORS)[Code]["status"];
};

const EXAMPLE: ErrorBody = {
  error: {
    code: "INVALID_REQUEST",
    message: "The request is not valid: prompt must not be blank.",
    details: [{ path: "prompt", message: "must not be blank" }],
    request_id: "5c3f1a7e-8f0e-4d36-9a4b-0a6a3f6f0a55",
  },
};

export interface ErrorBody {
  error: {
    code: ErrorCode;
    message: string;
    details?: { path: string; message: string }[];
    request_id: string;
  };
}

const ErrorCode = Type.Unsafe<ErrorCode>({
  type: "string",
  enum: Object.keys(ERRORS),
  description: `Stable. Use this to handle errors.\n\n${Object.entries(ERRORS)
    .map(([code, { when, next }]) => `- \`${code}\`: ${when} ${next}`)
    .join("\n")}`,
});

export const ErrorBody = Type.Unsafe<ErrorBody>(
  Type.Object(
    {
      error: Type.Object({
        code: ErrorCode,
        message: Type.String({ description: "For developers: what went wrong and what to do next." }),
        details: Type.Optional(
          Type.Array(
            Type.Object({
              path: Type.String({ description: "The field, header or parameter." }),
              message: Type.String({ description: "What is wrong with it." }),
            }),
            { description: "Each error in the request." },
          ),
        ),
        request_id: Type.String({ description: "Also in the `X-Request-Id` header. The service's log has it." }),
      }),
    },
    { $id: "Error", title: "Error", examples: [EXAMPLE] },
  ),
);
