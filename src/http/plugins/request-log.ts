import type { FastifyRequest } from "fastify";
import { parseUuid } from "../../lib/uuid.ts";
import type { App } from "../app.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What its line in the log says beside the rest; nothing that could be secret. */
    about: { execution_id?: string; trace_id?: string } | null;
  }
}

/** One line per request, by route and never by address: a query can hold a code. */
export function addRequestLog(app: App): void {
  // Only the fields below, none of which can hold a secret: looking for some would double the line's price.
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
        ...subjectOf(request, reply.statusCode),
      },
      "request",
    );
  });
}

/** Where nobody was let in, or there was nothing of theirs: an id in the path is then any text of theirs. */
const UNAUTHORIZED = [401, 403, 404];

/** The ids it is about. */
function subjectOf(request: FastifyRequest, status: number): Record<string, string> {
  const { connection, params, about } = request as Partial<FastifyRequest>;
  const { executionId } = (params ?? {}) as { executionId?: string };
  const uuid = executionId === undefined || UNAUTHORIZED.includes(status) ? null : parseUuid(executionId);
  return {
    ...(connection ? { connection_id: connection.id } : {}),
    ...(uuid === null ? {} : { execution_id: uuid }),
    ...about,
  };
}
