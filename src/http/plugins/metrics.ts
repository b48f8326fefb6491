import { timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Histogram, Registry, register } from "prom-client";
import { CallerError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hash.ts";
import type { App, HealthDependencies } from "../dependencies.ts";
import { isLocalRequest } from "./request-origin.ts";

/**
 * GET /metrics, for Prometheus: HTTP requests and all other metrics of the process. Requests are labeled by route, not by
 * URL, so that the number of series is bounded. Callers on this machine need no token.
 */
export function addMetrics(app: App, { metrics, publicUrl }: Pick<HealthDependencies, "metrics" | "publicUrl">): void {
  const own = new Registry();
  const durations = new Histogram({
    name: "errand_http_request_duration_seconds",
    help: "Request duration by method, route and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [own],
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
  });
  app.get("/metrics", { schema: { hide: true } }, async (request, reply) => {
    if (!isLocalRequest(request, publicUrl)) requireToken(request, reply, metrics.token);
    const all = Registry.merge([own, register, ...metrics.registries]);
    return reply.type(all.contentType).send(await all.metrics());
  });
}

function requireToken(request: FastifyRequest, reply: FastifyReply, token: string | null): void {
  if (token === null) {
    throw new CallerError(
      "FORBIDDEN",
      "Metrics are available on this machine only. To read them from elsewhere, set ERRAND_METRICS_TOKEN and send it: Authorization: Bearer <token>.",
    );
  }
  const given = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
  if (timingSafeEqual(sha256(given), sha256(token))) return;
  reply.header("www-authenticate", 'Bearer realm="errand metrics"');
  throw new CallerError("UNAUTHENTICATED", "Send the value of ERRAND_METRICS_TOKEN: Authorization: Bearer <token>.");
}
