import { type Static, Type } from "typebox";

/** Every error code with its status. OAuth endpoints use the codes of RFC 6749 instead. */
export const ERROR_STATUS = {
  INVALID_REQUEST: 400,
  INVALID_CURSOR: 400,
  UNAUTHENTICATED: 401,
  INSUFFICIENT_CREDITS: 402,
  APPLICATION_MISMATCH: 403,
  FORBIDDEN: 403,
  EXECUTION_NOT_FOUND: 404,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  IDEMPOTENCY_KEY_REUSED: 409,
  CONNECTION_REAUTHORIZATION_REQUIRED: 409,
  EXECUTION_FINISHED: 409,
  EXECUTION_NOT_FINISHED: 409,
  INTERACTION_ENDED: 409,
  ALREADY_CLAIMED: 409,
  SECRET_JUST_ROTATED: 409,
  GONE: 410,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

/** The examples hold for every status: the codes of each are in its description. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: "Stable. Use this to handle errors.", examples: ["ERROR_CODE"] }),
      message: Type.String({
        description: "For developers: what went wrong and what to do next.",
        examples: ["What went wrong and what to do next."],
      }),
      details: Type.Optional(
        Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
          description: "Each error in the request.",
          examples: [[{ path: "/prompt", message: "must not be blank" }]],
        }),
      ),
      request_id: Type.String({
        description: "Also in the `X-Request-Id` header.",
        examples: ["5c3f1a7e-8f0e-4d36-9a4b-0a6a3f6f0a55"],
      }),
    }),
  },
  { $id: "Error", title: "Error" },
);
export type ErrorBody = Static<typeof ErrorBody>;
