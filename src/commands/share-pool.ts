import type { Config } from "../config/config.ts";
import type { Role } from "./start-banner.ts";

interface PoolSizes {
  main: number;
  /** Null when the main one is the worker's, or there is no worker. */
  worker: number | null;
}

/**
 * A process with both roles gives its runs database connections of their own: however many requests wait for the others,
 * a run keeps its lease and writes down what it did.
 */
export function sharePool(
  { databasePoolSize, concurrency }: Pick<Config, "databasePoolSize" | "concurrency">,
  roles: readonly Role[],
): PoolSizes {
  if (roles.length < 2) return { main: databasePoolSize, worker: null };
  const worker = Math.min(concurrency + 1, Math.floor(databasePoolSize / 2));
  return { main: databasePoolSize - worker, worker };
}
