import type { FastifyReply, HTTPMethods } from "fastify";
import { CallerError } from "../../lib/errors.ts";
import type { App } from "../dependencies.ts";

const METHODS: HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];

interface KnownPath {
  methods: Set<string>;
  cors: boolean;
}

/** Call this before adding routes, and the function it returns after. */
export function trackRoutes(app: App): (scope: App) => void {
  const paths = new Map<string, KnownPath>();
  app.addHook("onRoute", ({ url, method, config }) => {
    const path = paths.get(url) ?? { methods: new Set(), cors: false };
    for (const name of [method].flat()) path.methods.add(name);
    path.cors ||= config?.cors === true;
    paths.set(url, path);
  });
  return (scope) => {
    for (const [url, path] of [...paths]) addMethodNotAllowed(scope, url, path);
  };
}

/** A known path with the wrong method is 405 with Allow, not 404. OPTIONS is a preflight where CORS is enabled. */
function addMethodNotAllowed(scope: App, url: string, { methods, cors }: KnownPath): void {
  const missing = METHODS.filter((method) => !methods.has(method));
  const allow = [...methods, ...(cors ? ["OPTIONS"] : [])].join(", ");
  scope.route({
    method: missing,
    url,
    config: { cors },
    schema: { hide: true },
    // Before the body is read: it does not matter.
    async onRequest(request, reply) {
      if (cors && request.method === "OPTIONS") return sendPreflight(reply, allow);
      reply.header("allow", allow);
      throw new CallerError("METHOD_NOT_ALLOWED", `${request.method} is not allowed here. Use ${allow}.`);
    },
    handler: () => {},
  });
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether pages of any origin may call this route, without cookies. */
    cors?: boolean;
  }
}

const EXPOSED_HEADERS =
  "etag, idempotency-replayed, location, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id";
const DAY_SECONDS = 86_400;

/** Public applications run in browsers. They authenticate with the bearer token; cookies are neither sent nor read. */
export function addCors(app: App): void {
  app.addHook("onRequest", async (request, reply) => {
    if (request.routeOptions.config.cors !== true) return;
    reply.header("access-control-allow-origin", "*").header("access-control-expose-headers", EXPOSED_HEADERS);
  });
}

function sendPreflight(reply: FastifyReply, methods: string): FastifyReply {
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
