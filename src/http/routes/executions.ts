import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import {
  ArtifactList,
  ArtifactPath,
  EvidenceEnvelope,
  ExecutionEnvelope,
  ExecutionPage,
} from "../../contract/execution.ts";
import {
  ExecutionEventPage,
  ExecutionEventStream,
  FollowEventsHeaders,
  ListEventsQuery,
} from "../../contract/execution-event.ts";
import {
  ApplicationPath,
  ConditionalHeaders,
  CreateExecution,
  CreateExecutionHeaders,
  ExecutionPath,
  GetExecutionQuery,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  LIST_DEFAULT_LIMIT,
  ListExecutionsQuery,
} from "../../contract/execution-request.ts";
import { type ExecutionRecord, isTerminal, toWire } from "../../executions/execution.ts";
import { CallerError } from "../../lib/errors.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { matchesTag, sendArtifact, sendEvents, toArtifactWire } from "../execution-responses.ts";
import { abortOnClose, holdUntilClosed } from "../open-response-limit.ts";
import { connectionOf, type Guards } from "../plugins/authentication.ts";
import { CONNECTION_ERRORS, errorResponses } from "../plugins/errors.ts";

const POLL_AFTER_SECONDS = 1;

const COMMON = { tags: ["Executions"], security: [{ connection: [] }, { oauth: [] }] };

/** Creating, reading and canceling executions, with their events and artifacts. */
export function addExecutionRoutes(app: App, dependencies: AppDependencies, guards: Guards): void {
  const { executions, openResponses, stopping } = dependencies;
  const { mayChange, mayRead } = guards;

  app.post(
    "/v1/applications/:applicationId/executions",
    {
      config: { cors: true },
      onRequest: mayChange,
      schema: {
        ...COMMON,
        operationId: "createExecution",
        summary: "Create an execution",
        description: "Queues the execution on the token's connection and responds immediately.",
        params: ApplicationPath,
        headers: CreateExecutionHeaders,
        body: CreateExecution,
        response: {
          200: Replay,
          201: ExecutionEnvelope,
          ...errorResponses(
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
        ...COMMON,
        operationId: "listExecutions",
        summary: "List executions",
        description: "The executions of the token's connection, newest first.",
        params: ApplicationPath,
        querystring: ListExecutionsQuery,
        response: { 200: ExecutionPage, ...errorResponses(...CONNECTION_ERRORS, "INVALID_REQUEST", "INVALID_CURSOR") },
      },
    },
    async (request, reply) => {
      const { limit = LIST_DEFAULT_LIMIT, after = null, status } = request.query;
      const page = await executions.list(connectionOf(request).id, { limit, after, status });
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
        ...COMMON,
        operationId: "getExecution",
        summary: "Get an execution",
        description: "With `wait`, responds as soon as the execution has ended. Supports `If-None-Match`.",
        params: ExecutionPath,
        querystring: GetExecutionQuery,
        headers: ConditionalHeaders,
        response: {
          200: ExecutionEnvelope,
          304: NotModified,
          ...errorResponses(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND"),
        },
      },
    },
    async (request, reply) => {
      const { id } = connectionOf(request);
      const { executionId } = request.params;
      const { wait = 0 } = request.query;
      if (wait > 0) holdUntilClosed(reply, openResponses.following, id);
      const execution =
        wait === 0
          ? await executions.get(id, executionId)
          : await executions.waitUntilEnded(id, executionId, wait, abortOnClose(reply, stopping));
      return sendExecution(reply, execution, request.headers["if-none-match"]);
    },
  );

  app.post(
    "/v1/applications/:applicationId/executions/:executionId/cancel",
    {
      config: { cors: true },
      onRequest: mayChange,
      schema: {
        ...COMMON,
        operationId: "cancelExecution",
        summary: "Cancel an execution",
        description: "A queued execution ends immediately. A running one is asked to stop and ends shortly after.",
        params: ExecutionPath,
        response: {
          200: ExecutionEnvelope,
          ...errorResponses(
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

  addEventRoute(app, dependencies, guards);
  addArtifactRoutes(app, dependencies, guards);
}

const Replay = Type.Object(ExecutionEnvelope.properties, {
  additionalProperties: false,
  description:
    "The original execution in its current state: the key was already used with this body (`Idempotency-Replayed: true`).",
});

const NotModified = Type.Null({ description: "The execution has not changed since `If-None-Match`." });

function sendExecution(reply: FastifyReply, execution: ExecutionRecord, knownTags?: string): FastifyReply {
  const body = JSON.stringify({ execution: toWire(execution) });
  const tag = `"${createHash("sha1").update(body).digest("base64url")}"`;
  reply.header("etag", tag).header("cache-control", "private, no-cache");
  if (!isTerminal(execution.status)) reply.header("retry-after", POLL_AFTER_SECONDS);
  if (matchesTag(knownTags, tag)) return reply.code(304).send();
  return reply.type("application/json; charset=utf-8").send(body);
}

/** W3C Trace Context. A header that was sent twice is ignored. */
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

const EventsResponse = {
  description: "One page, or the stream.",
  content: {
    "application/json": { schema: ExecutionEventPage },
    "text/event-stream": { schema: ExecutionEventStream },
  },
};

function addEventRoute(app: App, { executions, openResponses, stopping }: AppDependencies, { mayRead }: Guards): void {
  app.get(
    "/v1/applications/:applicationId/executions/:executionId/events",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        ...COMMON,
        operationId: "listExecutionEvents",
        summary: "Follow an execution's events",
        description:
          "JSON pages or, with `Accept: text/event-stream`, a stream of the events as they occur. The stream ends after the last event; `Last-Event-ID` resumes a broken one.",
        params: ExecutionPath,
        querystring: ListEventsQuery,
        headers: FollowEventsHeaders,
        response: {
          200: EventsResponse,
          ...errorResponses(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND"),
        },
      },
    },
    async (request, reply) =>
      sendEvents(request, reply, {
        executions,
        limit: openResponses.following,
        caller: connectionOf(request).id,
        connectionId: connectionOf(request).id,
        executionId: request.params.executionId,
        page: request.query,
        stopping,
      }),
  );
}

function addArtifactRoutes(
  app: App,
  { executions, artifacts, openResponses }: AppDependencies,
  { mayRead }: Guards,
): void {
  app.get(
    "/v1/applications/:applicationId/executions/:executionId/evidence",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        ...COMMON,
        operationId: "getExecutionEvidence",
        summary: "Get an execution's evidence",
        description:
          "The pages it visited, everything it changed, the verdict and its artifacts. Also for failed executions, which may have changed something before they failed.",
        params: ExecutionPath,
        response: {
          200: EvidenceEnvelope,
          ...errorResponses(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND", "EXECUTION_NOT_FINISHED"),
        },
      },
    },
    async (request, reply) => {
      const { id } = connectionOf(request);
      const { executionId } = request.params;
      const evidence = await executions.getEvidence(id, executionId);
      const records = await artifacts.list(id, executionId);
      reply.header("cache-control", "private, no-store");
      return { evidence, artifacts: records.map(toArtifactWire) };
    },
  );

  app.get(
    "/v1/applications/:applicationId/executions/:executionId/artifacts",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        ...COMMON,
        operationId: "listExecutionArtifacts",
        summary: "List an execution's artifacts",
        description: "Screenshots, page texts, requests and downloads that were kept as evidence.",
        params: ExecutionPath,
        response: {
          200: ArtifactList,
          ...errorResponses(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND"),
        },
      },
    },
    async (request, reply) => {
      const records = await artifacts.list(connectionOf(request).id, request.params.executionId);
      reply.header("cache-control", "private, no-store");
      return { artifacts: records.map(toArtifactWire) };
    },
  );

  app.get(
    "/v1/applications/:applicationId/executions/:executionId/artifacts/:artifactId",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        ...COMMON,
        operationId: "getExecutionArtifact",
        summary: "Get an artifact",
        description:
          "The content, always as an attachment, since some of it comes from other sites. Supports `If-None-Match`; the entity tag is the SHA-256.",
        params: ArtifactPath,
        headers: ConditionalHeaders,
        response: {
          200: Bytes,
          304: Type.Null({ description: "The same content as in `If-None-Match`." }),
          ...errorResponses(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND", "NOT_FOUND", "GONE"),
        },
      },
    },
    async (request, reply) => {
      const { executionId, artifactId } = request.params;
      const caller = connectionOf(request).id;
      const artifact = await artifacts.get(caller, executionId, artifactId);
      return sendArtifact(request, reply, { artifacts, artifact, limit: openResponses.downloading, caller });
    },
  );
}

const Bytes = {
  description: "The artifact.",
  content: { "application/octet-stream": { schema: Type.Unsafe({ type: "string", format: "binary" }) } },
};
