import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import {
  ApplicationPath,
  CreateExecution,
  CreateExecutionHeaders,
  ExecutionEnvelope,
  ExecutionPage,
  ExecutionPath,
  GetExecutionQuery,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  LIST_DEFAULT_LIMIT,
  ListExecutionsQuery,
} from "../../contract/execution.ts";
import { type ExecutionRecord, toWire } from "../../executions/execution-record.ts";
import { isTerminal } from "../../executions/execution-state.ts";
import { CallerError } from "../../lib/caller-error.ts";
import type { App, AppDependencies } from "../app.ts";
import { matchesTag } from "../entity-tag.ts";
import { holdPlace } from "../hold-place.ts";
import { type ConnectionGuards, connectionOf } from "../plugins/bearer.ts";
import { untilGone } from "../until-gone.ts";
import { CONNECTION_ERRORS, errorAnswers } from "./error-answers.ts";

const POLL_AFTER_SECONDS = 1;

export function addExecutionRoutes(
  app: App,
  { executions, places, stopping }: AppDependencies,
  { mayChange, mayRead }: ConnectionGuards,
): void {
  const common = { tags: ["Executions"], security: [{ connection: [] }] };

  app.post(
    "/v1/applications/:applicationId/executions",
    {
      config: { cors: true },
      onRequest: mayChange,
      schema: {
        ...common,
        operationId: "createExecution",
        summary: "Create an execution",
        description: "Queues the errand on the token's connection and answers at once.",
        params: ApplicationPath,
        headers: CreateExecutionHeaders,
        body: CreateExecution,
        response: {
          200: Replay,
          201: ExecutionEnvelope,
          ...errorAnswers(
            ...CONNECTION_ERRORS,
            "INVALID_REQUEST",
            "PAYLOAD_TOO_LARGE",
            "UNSUPPORTED_MEDIA_TYPE",
            "IDEMPOTENCY_KEY_REUSED",
            "CONNECTION_REAUTHORIZATION_REQUIRED",
            "INSUFFICIENT_CREDITS",
          ),
        },
      },
    },
    async (request, reply) => {
      const { execution, replayed, traceId } = await executions.create(
        connectionOf(request).id,
        request.body,
        readIdempotencyKey(request),
        readTraceparent(request),
      );
      request.about = { execution_id: execution.id, ...(traceId === null ? {} : { trace_id: traceId }) };
      if (replayed) reply.header("idempotency-replayed", "true");
      reply
        .code(replayed ? 200 : 201)
        .header("location", `/v1/applications/${connectionOf(request).applicationId}/executions/${execution.id}`);
      return sendExecution(reply, execution);
    },
  );

  app.get(
    "/v1/applications/:applicationId/executions",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        ...common,
        operationId: "listExecutions",
        summary: "List executions",
        description: "The executions of the token's connection, newest first.",
        params: ApplicationPath,
        querystring: ListExecutionsQuery,
        response: { 200: ExecutionPage, ...errorAnswers(...CONNECTION_ERRORS, "INVALID_REQUEST", "INVALID_CURSOR") },
      },
    },
    async (request, reply) => {
      const { limit = LIST_DEFAULT_LIMIT, after } = request.query;
      const page = await executions.list(connectionOf(request).id, { limit, after: after ?? null });
      reply.header("cache-control", "private, no-store");
      return { executions: page.executions.map(toWire), has_more: page.hasMore };
    },
  );

  app.get(
    "/v1/applications/:applicationId/executions/:executionId",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        ...common,
        operationId: "getExecution",
        summary: "Get an execution",
        description: "With `wait`, answers as soon as the execution has ended. Honours `If-None-Match`.",
        params: ExecutionPath,
        querystring: GetExecutionQuery,
        response: {
          200: ExecutionEnvelope,
          304: NotModified,
          ...errorAnswers(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND"),
        },
      },
    },
    async (request, reply) => {
      const { id } = connectionOf(request);
      const { executionId } = request.params;
      const { wait = 0 } = request.query;
      if (wait > 0) holdPlace(reply, places.following, id);
      const execution =
        wait === 0
          ? await executions.get(id, executionId)
          : await executions.waitUntilEnded(id, executionId, wait, untilGone(reply, stopping));
      return sendExecution(reply, execution, request.headers["if-none-match"]);
    },
  );

  app.post(
    "/v1/applications/:applicationId/executions/:executionId/cancel",
    {
      config: { cors: true },
      onRequest: mayChange,
      schema: {
        ...common,
        operationId: "cancelExecution",
        summary: "Cancel an execution",
        description: "A queued execution ends at once; a running one is asked to stop and ends shortly after.",
        params: ExecutionPath,
        response: {
          200: ExecutionEnvelope,
          ...errorAnswers(
            ...CONNECTION_ERRORS,
            "INVALID_REQUEST",
            "EXECUTION_NOT_FOUND",
            "EXECUTION_FINISHED",
            "UNSUPPORTED_MEDIA_TYPE",
            "PAYLOAD_TOO_LARGE",
          ),
        },
      },
    },
    async (request, reply) =>
      sendExecution(reply, await executions.cancel(connectionOf(request).id, request.params.executionId)),
  );
}

const Replay = Type.Object(ExecutionEnvelope.properties, {
  additionalProperties: false,
  description:
    "The original execution, as it is now: the key was used before with this body (`Idempotency-Replayed: true`).",
});

const NotModified = Type.Null({ description: "Nothing has changed." });

function sendExecution(reply: FastifyReply, execution: ExecutionRecord, knownTags?: string): FastifyReply {
  const body = JSON.stringify({ execution: toWire(execution) });
  const tag = `"${createHash("sha1").update(body).digest("base64url")}"`;
  reply.header("etag", tag).header("cache-control", "private, no-cache");
  if (!isTerminal(execution.status)) reply.header("retry-after", POLL_AFTER_SECONDS);
  if (matchesTag(knownTags, tag)) return reply.code(304).send();
  return reply.type("application/json; charset=utf-8").send(body);
}

/** W3C Trace Context: one that is sent twice says nothing. */
function readTraceparent({ headers }: FastifyRequest): string | null {
  const { traceparent } = headers;
  return typeof traceparent === "string" ? traceparent : null;
}

function readIdempotencyKey(request: FastifyRequest): string | null {
  const keys = request.raw.headersDistinct["idempotency-key"];
  if (keys === undefined) return null;
  const [key = ""] = keys;
  if (keys.length > 1 || key.length < 1 || key.length > IDEMPOTENCY_KEY_MAX_LENGTH) {
    const message = `must be sent once, with 1 to ${IDEMPOTENCY_KEY_MAX_LENGTH} characters`;
    throw new CallerError("INVALID_REQUEST", `The header Idempotency-Key ${message}.`, {
      details: [{ path: "Idempotency-Key", message }],
    });
  }
  return key;
}
