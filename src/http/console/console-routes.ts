import type { ConsoleApplications } from "../../console/applications.ts";
import type { ConsoleConnections } from "../../console/connections.ts";
import type { ConsoleCredits } from "../../console/credits.ts";
import type { ConsoleExecutions } from "../../console/executions.ts";
import type { Visitors } from "../../console/visitor.ts";
import type { App, AppDependencies } from "../app.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import { addAccountRoutes } from "./account-routes.ts";
import { addAccountSessionRoutes } from "./account-session-routes.ts";
import { addApplicationRoutes } from "./application-routes.ts";
import { addArtifactRoutes } from "./artifact-routes.ts";
import { addConnectionRoutes } from "./connection-routes.ts";
import { createConsoleGuards } from "./console-guards.ts";
import { takeTurns } from "./console-turns.ts";
import { addCreditRoutes } from "./credit-routes.ts";
import { addEventRoutes } from "./event-routes.ts";
import { addExecutionRoutes } from "./execution-routes.ts";
import { addFirstErrandRoutes } from "./first-errand-routes.ts";
import { addOwnerRoutes } from "./owner-routes.ts";
import { addSetupRoutes } from "./setup-routes.ts";
import { addStatusRoutes } from "./status-routes.ts";
import { addWebhookRoutes } from "./webhook-routes.ts";

/** What the console's own interface works with. */
export interface ConsoleDependencies extends AccountDependencies {
  visitors: Visitors;
  applications: ConsoleApplications;
  connections: ConsoleConnections;
  executions: ConsoleExecutions;
  credits: ConsoleCredits;
}

/** The console's own interface: a person's cookie in place of a connection's token, and nothing but what they may see. */
export function addConsoleRoutes(scope: App, dependencies: AppDependencies): void {
  const guards = createConsoleGuards(scope, dependencies);
  takeTurns(scope, dependencies.consoleAtOnce);
  // What is here is one person's, and of this moment; a route that knows better says so.
  scope.addHook("onRequest", async (_request, reply) => {
    reply.header("cache-control", "private, no-store").header("x-content-type-options", "nosniff");
  });
  addSetupRoutes(scope, dependencies);
  addAccountRoutes(scope, dependencies, guards);
  addAccountSessionRoutes(scope, dependencies, guards);
  addOwnerRoutes(scope, dependencies, guards);
  addStatusRoutes(scope, dependencies, guards);
  addFirstErrandRoutes(scope, dependencies, guards);
  addApplicationRoutes(scope, dependencies, guards);
  addConnectionRoutes(scope, dependencies, guards);
  addWebhookRoutes(scope, dependencies, guards);
  addExecutionRoutes(scope, dependencies, guards);
  addEventRoutes(scope, dependencies, guards);
  addArtifactRoutes(scope, dependencies, guards);
  addCreditRoutes(scope, dependencies, guards);
}
