import { timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Histogram, Registry, register } from "prom-client";
import { CallerError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hash.ts";
import type { App } from "../app.ts";
import { isLocalRequest } from "./request-origin.ts";

export interface MetricsDependencies {
  metrics: {
    /** What else this process measures, beside what it counts in the registry that all its parts share. */
    registries: readonly Registry[];
    /** What whoever asks from elsewhere must bring; without one they are refused. */
    token: string | null;
  };
  publicUrl: string;
}

/**
 * GET /metrics, for Prometheus: this interface and whatever else the process counts, such as a worker's runs. By route,
 * never by address, so that the number of series is bounded. For this machine, or with the token.
 */
export function addMetrics(app: App, { metrics, publicUrl }: MetricsDependencies): void {
  const own = new Registry();
  const durations = new Histogram({
    name: "errand_http_request_duration_seconds",
    help: "How long requests took, by method, route and status.",
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
      "Metrics are for this machine only. To read them from elsewhere, set ERRAND_METRICS_TOKEN and send it: Authorization: Bearer <token>.",
    );
  }
  const given = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
  if (timingSafeEqual(sha256(given), sha256(token))) return;
  reply.header("www-authenticate", 'Bearer realm="errand metrics"');
  throw new CallerError("UNAUTHENTICATED", "Send the value of ERRAND_METRICS_TOKEN: Authorization: Bearer <token>.");
}
