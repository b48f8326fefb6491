import type { ConsoleApplications } from "../../console/applications.ts";
import type { ConsoleConnections } from "../../console/connections.ts";
import type { ConsoleCredits } from "../../console/credits.ts";
import type { ConsoleExecutions } from "../../console/executions.ts";
import type { Visitors } from "../../console/visitor.ts";
import type { App, AppDependencies } from "../app.ts";
import { addApplicationRoutes } from "./application-routes.ts";
import { addArtifactRoutes } from "./artifact-routes.ts";
import { addConnectionRoutes } from "./connection-routes.ts";
import { createConsoleGuards } from "./console-guards.ts";
import { addCreditRoutes } from "./credit-routes.ts";
import { addEventRoutes } from "./event-routes.ts";
import { addExecutionRoutes } from "./execution-routes.ts";

/** What the console's own interface works with. */
export interface ConsoleDependencies {
  visitors: Visitors;
  applications: ConsoleApplications;
  connections: ConsoleConnections;
  executions: ConsoleExecutions;
  credits: ConsoleCredits;
}

/** The console's own interface: a person's cookie in place of a connection's token, and nothing but what they may see. */
export function addConsoleRoutes(scope: App, dependencies: AppDependencies): void {
  const { people, publicUrl, console } = dependencies;
  const guards = createConsoleGuards(scope, { people, visitors: console.visitors, publicUrl });
  // What is here is one person's, and of this moment; a route that knows better says so.
  scope.addHook("onRequest", async (_request, reply) => {
    reply.header("cache-control", "private, no-store");
  });
  addApplicationRoutes(scope, dependencies, guards);
  addConnectionRoutes(scope, dependencies, guards);
  addExecutionRoutes(scope, dependencies, guards);
  addEventRoutes(scope, dependencies, guards);
  addArtifactRoutes(scope, dependencies, guards);
  addCreditRoutes(scope, dependencies, guards);
}
