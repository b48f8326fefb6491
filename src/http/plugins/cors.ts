import type { FastifyReply } from "fastify";
import type { App } from "../app.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether a page of any origin may call this route, without credentials. */
    cors?: boolean;
  }
}

const EXPOSED = "etag, idempotency-replayed, location, retry-after, www-authenticate, x-request-id";
const DAY_SECONDS = 86_400;

/** Public applications live in browsers. The bearer token is what authorizes: cookies are neither sent nor read. */
export function addCors(app: App): void {
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.cors !== true) return;
    reply.header("access-control-allow-origin", "*").header("access-control-expose-headers", EXPOSED);
  });
}

export function answerPreflight(reply: FastifyReply, methods: string): FastifyReply {
  return reply
    .code(204)
    .header("access-control-allow-methods", methods)
    .header(
      "access-control-allow-headers",
      "authorization, content-type, idempotency-key, if-none-match, last-event-id, x-request-id",
    )
    .header("access-control-max-age", DAY_SECONDS)
    .send();
}
