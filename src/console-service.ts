import { createVisitors } from "./console/visitor.ts";
import type { ConsoleDependencies } from "./http/console/console-routes.ts";
import type { Database } from "./storage/database.ts";
import { createVisitorStore } from "./storage/sql-visitors.ts";

interface ConsoleServiceOptions {
  database: Database;
}

/** Everything behind the console. */
export function createConsoleService({ database }: ConsoleServiceOptions): ConsoleDependencies {
  return { visitors: createVisitors({ store: createVisitorStore(database) }) };
}
