import type { Pool } from "pg";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import packageJson from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import { createQueueMetrics } from "../executions/queue.ts";
import type { Logger } from "../lib/logger.ts";
import { NO_TRACES, type Tracer } from "../lib/tracing.ts";
import { type Database, isUnavailable } from "../storage/database.ts";
import { createPoolMetrics } from "../storage/database-metrics.ts";
import { createQueueGauge } from "../storage/sql/queue.ts";
import { readBacklog } from "../storage/sql/webhook-deliveries.ts";
import { createBacklogMetrics } from "../webhooks/delivery-metrics.ts";

/** What a process tells of itself: where its traces begin, and what it measures beside what its parts count. */
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
  const warnThat = (message: string) => (error: unknown) => {
    // That the database is away is said elsewhere, by whoever needs it more.
    if (!isUnavailable(error)) logger.warn({ err: error }, message);
  };
  return {
    tracer: traces ?? NO_TRACES,
    registries: [
      createProcessMetrics({ version, schemaVersion, roles }),
      createPoolMetrics(pools),
      createQueueMetrics(createQueueGauge(database), warnThat("the queue could not be counted")),
      createBacklogMetrics(() => readBacklog(database), warnThat("what waits for webhooks could not be counted")),
    ],
    [Symbol.asyncDispose]: async () => traces?.[Symbol.asyncDispose](),
  };
}

/** Nothing of OpenTelemetry is loaded unless there is somewhere for traces to go. */
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

/** What Node tells of the process, and what runs in it. */
function createProcessMetrics({ version, schemaVersion, roles }: Build): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const build = new Gauge({
    name: "errand_build_info",
    help: "Always 1: the version that runs, the newest migration it knows, and the roles of the process.",
    labelNames: ["version", "schema_version", "roles"],
    registers: [registry],
  });
  build.set({ version, schema_version: schemaVersion, roles: roles.join(",") }, 1);
  return registry;
}
