import { collectDefaultMetrics, Histogram, Registry, register } from "prom-client";
import type { App } from "../app.ts";

/**
 * GET /metrics, for Prometheus: this interface and whatever else the process counts, such as a worker's runs. By route,
 * never by address, so that the number of series is bounded.
 */
export function addMetrics(app: App): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: "errand_http_request_duration_seconds",
    help: "How long requests took, by method, route and status.",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
  });
  app.get("/metrics", { schema: { hide: true } }, async (_request, reply) => {
    return reply.type(registry.contentType).send(await Registry.merge([registry, register]).metrics());
  });
}
