import { createConsoleApplications } from "./console/applications.ts";
import { createConsoleConnections } from "./console/connections.ts";
import { createConsoleCredits } from "./console/credits.ts";
import { createConsoleExecutions } from "./console/executions.ts";
import { createVisitors } from "./console/visitor.ts";
import { type ConsoleAccountOptions, createConsoleAccount } from "./console-account.ts";
import type { Credits } from "./credits/credits.ts";
import type { ConsoleDependencies } from "./http/console/console-routes.ts";
import type { Hints } from "./storage/hints.ts";
import { createConsoleApplicationStore } from "./storage/sql-console-applications.ts";
import { createConsoleConnectionStore } from "./storage/sql-console-connections.ts";
import { createConsoleCreditStore } from "./storage/sql-console-credits.ts";
import { createConsoleExecutionStore } from "./storage/sql-console-executions.ts";
import { createSignInStore } from "./storage/sql-sign-ins.ts";
import { createVisitorStore } from "./storage/sql-visitors.ts";

interface ConsoleServiceOptions extends ConsoleAccountOptions {
  hints: Hints;
  credits: Credits;
}

/** Everything behind the console. */
export function createConsoleService(options: ConsoleServiceOptions): ConsoleDependencies {
  const { database, hints, artifactFiles, executions, credits } = options;
  const deletionMeans = { database, hints, files: artifactFiles };
  const applications = createConsoleApplications({
    store: createConsoleApplicationStore(deletionMeans),
    applications: options.applications,
  });
  return {
    ...createConsoleAccount(options),
    visitors: createVisitors({ store: createVisitorStore(database) }),
    applications,
    connections: createConsoleConnections({
      store: createConsoleConnectionStore(deletionMeans),
      applications,
      signIns: createSignInStore(database, hints),
    }),
    executions: createConsoleExecutions({ store: createConsoleExecutionStore(database), executions }),
    credits: createConsoleCredits({ store: createConsoleCreditStore(database), credits }),
  };
}
