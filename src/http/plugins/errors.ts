import type { ErrorObject } from "ajv";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { type TUnsafe, Type } from "typebox";
import { ERROR_STATUS, ERRORS, type ErrorBody, type ErrorCode } from "../../contract/error.ts";
import { CallerError, describeError, OverloadedError } from "../../lib/errors.ts";
import { toErrorDetails } from "../../lib/schema-errors.ts";
import { OAuthError } from "../../oauth/protocol.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { errorPage } from "../pages/error-pages.ts";
import { sendPage } from "../pages/page-response.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The format of errors on this route. Default: our own JSON. */
    errors?: "oauth" | "page";
  }
}

const RETRY_SECONDS = 2;
const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["RATE_LIMITED", "UNAVAILABLE"]);

interface ErrorHandling extends Pick<AppDependencies, "isUnavailable"> {
  /** A sentence for 404s: where to find what exists. */
  notFoundAdvice: string;
}

/** The one place where errors become responses. */
export function addErrorHandling(app: App, { isUnavailable, notFoundAdvice }: ErrorHandling): void {
  app.setNotFoundHandler((request, reply) => {
    send(
      request,
      reply,
      new CallerError("NOT_FOUND", `There is nothing at ${request.method} ${pathOf(request)}. ${notFoundAdvice}`),
    );
  });

  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof OAuthError) return sendOAuth(reply, error);
    const known = toCallerError(error, request, isUnavailable);
    logFailure(request, known, error);
    return send(request, reply, known);
  });
}

function logFailure({ log }: FastifyRequest, known: CallerError<ErrorCode>, error: Error): void {
  // Without a stack: there are many of these, and logging them must be cheap.
  if (error instanceof OverloadedError) log.warn({ reason: describeError(error.cause) }, "Overloaded");
  else if (known.code === "INTERNAL" || known.code === "UNAVAILABLE") log.error({ err: error }, "Request failed");
}

function send(request: FastifyRequest, reply: FastifyReply, error: CallerError<ErrorCode>): FastifyReply {
  reply.code(ERROR_STATUS[error.code]);
  const retryAfterSeconds = error.retryAfterSeconds ?? (RETRYABLE.has(error.code) ? RETRY_SECONDS : undefined);
  if (retryAfterSeconds !== undefined) reply.header("retry-after", retryAfterSeconds);
  switch (request.routeOptions.config.errors) {
    case "oauth":
      // RFC 6749 §5.2: every error in the request is a 400. Rate limiting is not one of them.
      if (reply.statusCode < 500 && error.code !== "RATE_LIMITED") reply.code(400);
      return reply
        .header("cache-control", "no-store")
        .send({ error: oauthCode(error.code), error_description: error.message });
    case "page":
      return sendPage(reply, errorPage(error.message, request.id));
    default: {
      const body: ErrorBody = {
        error: {
          code: error.code,
          message: error.message,
          ...(error.details === undefined ? {} : { details: error.details }),
          request_id: request.id,
        },
      };
      return reply.type("application/json; charset=utf-8").send(body);
    }
  }
}

function sendOAuth(reply: FastifyReply, error: OAuthError): FastifyReply {
  if (error.code === "invalid_client") reply.header("www-authenticate", 'Basic realm="errand"');
  return reply
    .code(error.code === "invalid_client" ? 401 : 400)
    .header("cache-control", "no-store")
    .header("pragma", "no-cache")
    .send({ error: error.code, error_description: error.message });
}

/** RFC 6749 has a single code for all errors in a request, such as a wrong content type or a body that is too large. */
function oauthCode(code: ErrorCode): string {
  if (code === "INTERNAL") return "server_error";
  return code === "UNAVAILABLE" ? "temporarily_unavailable" : "invalid_request";
}

function toCallerError(
  error: FastifyError,
  { routeOptions }: FastifyRequest,
  isUnavailable: (error: unknown) => boolean,
): CallerError<ErrorCode> {
  if (error instanceof CallerError) return error.code in ERROR_STATUS ? (error as CallerError<ErrorCode>) : internal();
  if (error.validation !== undefined) return invalid(error.validation as unknown as ErrorObject[]);
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new CallerError(
        "PAYLOAD_TOO_LARGE",
        "The body is too large. The limit is 1 MiB for JSON and 64 KiB for forms.",
      );
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE": {
      // OAuth and pages take forms, everything else takes JSON.
      const accepted =
        routeOptions.config.errors === undefined ? "application/json" : "application/x-www-form-urlencoded";
      const message = `This content type is not accepted here. Send the body as Content-Type: ${accepted}.`;
      return new CallerError("UNSUPPORTED_MEDIA_TYPE", message);
    }
  }
  if (isUnavailable(error)) {
    return new CallerError("UNAVAILABLE", "The service cannot reach its database right now. Try again shortly.");
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new CallerError("INVALID_REQUEST", "The request is not valid for this URL.");
  }
  return internal();
}

function internal(): CallerError<ErrorCode> {
  return new CallerError(
    "INTERNAL",
    "Something went wrong on our side. The service's log has the details under this request id.",
  );
}

function invalid(errors: ErrorObject[]): CallerError<ErrorCode> {
  const details = toErrorDetails(errors, "body");
  const [first] = details;
  return new CallerError("INVALID_REQUEST", `The request is not valid: ${first?.path} ${first?.message}.`, { details });
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0]?.slice(0, 200) ?? "";
}

/** The error responses of a route, for OpenAPI: each status with its codes and an example of each. */
export function errorResponses(...codes: ErrorCode[]) {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => {
      const description = ofStatus.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join("\n\n");
      const examples = Object.fromEntries(ofStatus.map((code) => [code, { value: exampleOf(code) }]));
      const response = {
        description,
        ...(RETRYABLE.has(ofStatus[0] ?? "INTERNAL") ? { headers: { "retry-after": RetryAfter } } : {}),
        content: { "application/json": { schema: Type.Ref("Error"), examples } },
      };
      // Errors are thrown, so the type of their body does not matter to the handlers.
      return [status, response as unknown as TUnsafe<unknown>];
    }),
  );
}

const RetryAfter = { type: "integer", description: "Seconds to wait before the next attempt." };

function exampleOf(code: ErrorCode): ErrorBody {
  const { when, next } = ERRORS[code];
  return {
    error: { code, message: `${when} ${next}`.replaceAll("`", ""), request_id: "5c3f1a7e-8f0e-4d36-9a4b-0a6a3f6f0a55" },
  };
}

/** Errors of every route that takes a connection's token. */
export const CONNECTION_ERRORS: ErrorCode[] = [
  "UNAUTHENTICATED",
  "APPLICATION_MISMATCH",
  "RATE_LIMITED",
  "INTERNAL",
  "UNAVAILABLE",
];

/** Errors of every route that takes an application's client id and secret. */
export const APPLICATION_ERRORS: ErrorCode[] = [...CONNECTION_ERRORS, "FORBIDDEN"];

/** Errors of every route with a body. */
export const BODY_ERRORS: ErrorCode[] = ["INVALID_REQUEST", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
