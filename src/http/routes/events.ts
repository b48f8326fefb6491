import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { ExecutionPath } from "../../contract/execution.ts";
import {
  EVENTS_DEFAULT_LIMIT,
  type ExecutionEvent,
  ExecutionEventPage,
  ListEventsQuery,
} from "../../contract/execution-event.ts";
import { CallerError } from "../../lib/caller-error.ts";
import type { App, AppDependencies } from "../app.ts";
import { type ConnectionGuards, connectionOf } from "../plugins/bearer.ts";
import { CONNECTION_ERRORS, errorAnswers } from "./error-answers.ts";
import { untilGone } from "./executions.ts";

const HEARTBEAT_MS = 15_000;

export function addEventRoutes(
  app: App,
  { executions, stopping }: AppDependencies,
  { mayRead }: ConnectionGuards,
): void {
  app.get(
    "/v1/applications/:applicationId/executions/:executionId/events",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        tags: ["Executions"],
        security: [{ connection: [] }],
        operationId: "listExecutionEvents",
        summary: "Follow an execution's events",
        description:
          "JSON pages, or, with `Accept: text/event-stream`, the events as they come: the stream ends after the last one, and `Last-Event-ID` continues a broken one.",
        params: ExecutionPath,
        querystring: ListEventsQuery,
        response: {
          200: ExecutionEventPage,
          ...errorAnswers(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND"),
        },
      },
    },
    async (request, reply) => {
      const { id } = connectionOf(request);
      const { executionId } = request.params;
      const { after = 0, limit = EVENTS_DEFAULT_LIMIT } = request.query;
      reply.header("cache-control", "private, no-store").header("vary", "accept");
      if (!acceptsStream(request.headers.accept)) {
        const page = await executions.listEvents(id, executionId, { after, limit });
        return { events: page.events, has_more: page.hasMore };
      }
      const seen = readLastEventId(request.headers["last-event-id"]) ?? after;
      // Looked up before the first byte, so that an unknown execution is still a 404.
      await executions.get(id, executionId);
      const events = executions.followEvents(id, executionId, seen, untilGone(reply, stopping));
      return sendStream(reply, Readable.from(withHeartbeats(events)));
    },
  );
}

function sendStream(reply: FastifyReply, stream: Readable): FastifyReply {
  return reply.type("text/event-stream; charset=utf-8").header("x-accel-buffering", "no").send(stream);
}

function acceptsStream(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes("text/event-stream") ?? false;
}

function readLastEventId(header: string | string[] | undefined): number | null {
  if (header === undefined) return null;
  if (typeof header !== "string" || !/^\d{1,9}$/.test(header)) {
    throw new CallerError("INVALID_REQUEST", "The header Last-Event-ID must be the id of an event.", {
      details: [{ path: "Last-Event-ID", message: "must be the id of an event" }],
    });
  }
  return Number(header);
}

/** A comment now and then keeps proxies from closing a quiet stream. */
async function* withHeartbeats(batches: AsyncGenerator<ExecutionEvent[]>): AsyncGenerator<string> {
  yield ": connected\n\n";
  let next = batches.next();
  try {
    for (;;) {
      const quiet = Promise.withResolvers<null>();
      const timer = setTimeout(() => quiet.resolve(null), HEARTBEAT_MS);
      const batch = await Promise.race([next, quiet.promise]);
      clearTimeout(timer);
      if (batch === null) {
        yield ": still here\n\n";
      } else if (batch.done) {
        return;
      } else {
        yield batch.value.map(format).join("");
        next = batches.next();
      }
    }
  } finally {
    await batches.return(undefined);
  }
}

function format({ id, type, at, data }: ExecutionEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, at, data })}\n\n`;
}
