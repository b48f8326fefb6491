import type { Pool } from "pg";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import packageJson from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import { createQueueMetrics } from "../executions/execution-metrics.ts";
import type { Logger } from "../lib/logger.ts";
import { NO_TRACES, type Tracer } from "../lib/tracing.ts";
import { type Database, isUnavailable } from "../storage/database.ts";
import { createPoolMetrics } from "../storage/database-metrics.ts";
import { createQueueGauge } from "../storage/sql/queue.ts";
import { readBacklog } from "../storage/sql/webhook-deliveries.ts";
import { createBacklogMetrics } from "../webhooks/delivery-metrics.ts";

/** The tracer of a process, and the metrics that belong to no part of it. Parts register theirs in the default registry. */
export interface Telemetry {
  tracer: Tracer;
  registries: readonly Registry[];
}

export const NO_TELEMETRY: Telemetry = { tracer: NO_TRACES, registries: [] };

interface TelemetryOptions {
  config: Pick<Config, "otlpEndpoint" | "traceSamplePercent">;
  roles: readonly string[];
  schemaVersion: number;
  database: Database;
  pools: Record<string, Pool>;
  logger: Logger;
}

export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry & AsyncDisposable> {
  const { roles, schemaVersion, database, pools, logger } = options;
  const { version } = packageJson;
  const traces = await openTraces(options, version);
  const warnOnFailure = (message: string) => (error: unknown) => {
    // Other parts already log that the database is unavailable.
    if (!isUnavailable(error)) logger.warn({ err: error }, message);
  };
  return {
    tracer: traces ?? NO_TRACES,
    registries: [
      createProcessMetrics({ version, schemaVersion, roles }),
      createPoolMetrics(pools),
      createQueueMetrics(createQueueGauge(database), warnOnFailure("Queue metrics failed")),
      createBacklogMetrics(() => readBacklog(database), warnOnFailure("Webhook backlog metrics failed")),
    ],
    [Symbol.asyncDispose]: async () => traces?.[Symbol.asyncDispose](),
  };
}

/** Loads OpenTelemetry only if an endpoint is configured. */
async function openTraces({ config, roles, logger }: TelemetryOptions, version: string) {
  const { otlpEndpoint: endpoint, traceSamplePercent: samplePercent } = config;
  if (endpoint === null) return null;
  const { createOtlpTracer } = await import("./otlp-tracer.ts");
  const service = { "service.name": "errand", "service.version": version, "errand.roles": roles.join(",") };
  return createOtlpTracer({ endpoint, samplePercent, service, logger });
}

interface Build {
  version: string;
  schemaVersion: number;
  roles: readonly string[];
}

/** Metrics of the Node process, and the version that runs in it. */
function createProcessMetrics({ version, schemaVersion, roles }: Build): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: "errand_build_info",
    help: "Always 1. Labels: the running version, the newest migration it knows, and the roles of the process.",
    labelNames: ["version", "schema_version", "roles"],
    registers: [registry],
  });
  build.set({ version, schema_version: schemaVersion, roles: roles.join(",") }, 1);
  return registry;
}
