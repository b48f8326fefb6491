import type { App } from "../app.ts";

/** One line per request, by route and never by address: a query can hold a code. */
export function addRequestLog(app: App): void {
  // Only the fields below, none of which can hold a secret: looking for some would double the line's price.
  const lines = app.log.child({}, { redact: [] });
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
      },
      "request",
    );
  });
}
