import { createConsoleCredits } from "./console/credits.ts";
import { createConsoleExecutions } from "./console/executions.ts";
import { createVisitors } from "./console/visitor.ts";
import type { Credits } from "./credits/credits.ts";
import type { Executions } from "./executions/executions.ts";
import type { ConsoleDependencies } from "./http/console/console-routes.ts";
import type { Database } from "./storage/database.ts";
import { createConsoleCreditStore } from "./storage/sql-console-credits.ts";
import { createConsoleExecutionStore } from "./storage/sql-console-executions.ts";
import { createVisitorStore } from "./storage/sql-visitors.ts";

interface ConsoleServiceOptions {
  database: Database;
  executions: Executions;
  credits: Credits;
}

/** Everything behind the console. */
export function createConsoleService({ database, executions, credits }: ConsoleServiceOptions): ConsoleDependencies {
  return {
    visitors: createVisitors({ store: createVisitorStore(database) }),
    executions: createConsoleExecutions({ store: createConsoleExecutionStore(database), executions }),
    credits: createConsoleCredits({ store: createConsoleCreditStore(database), credits }),
  };
}
