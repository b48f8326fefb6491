import type { FastifyRequest } from "fastify";
import { parseUuid } from "../../lib/uuid.ts";
import type { App } from "../dependencies.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Additional fields for its log line. Never secrets. */
    about: { execution_id?: string; trace_id?: string } | null;
  }
}

/** One line per request. It names the route, never the URL: a query can contain an authorization code. */
export function addRequestLog(app: App): void {
  // The fields below cannot contain secrets. Redaction would double the cost of a line.
  const lines = app.log.child({}, { redact: [] });
  app.decorateRequest("about", null);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.addHook("onResponse", async (request, reply) => {
    lines.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...subjectIds(request, reply.statusCode),
      },
      "request",
    );
  });
}

/** With these statuses the id in the path is unverified text from the caller. */
const UNVERIFIED = [401, 403, 404];

/** The ids of what the request is about. */
function subjectIds(request: FastifyRequest, status: number): Record<string, string> {
  const { connection, params, about } = request as Partial<FastifyRequest>;
  const { executionId } = (params ?? {}) as { executionId?: string };
  const uuid = executionId === undefined || UNVERIFIED.includes(status) ? null : parseUuid(executionId);
  return {
    ...(connection ? { connection_id: connection.id } : {}),
    ...(uuid === null ? {} : { execution_id: uuid }),
    ...about,
  };
}
