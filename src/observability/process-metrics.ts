import { collectDefaultMetrics, Gauge, Registry } from "prom-client";

interface Build {
  version: string;
  schemaVersion: number;
  roles: readonly string[];
}

/** What Node tells of the process, and what runs in it. */
export function createProcessMetrics({ version, schemaVersion, roles }: Build): Registry {
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
