import type { FastifyRequest } from "fastify";
import type { ConsoleApplications } from "../../console/applications.ts";
import type { ConsoleConnections } from "../../console/connections.ts";
import type { ConsoleCredits } from "../../console/credits.ts";
import type { ConsoleExecutions } from "../../console/executions.ts";
import type { FirstErrands } from "../../console/first-errand.ts";
import type { InstallationStatus, Owners, Setup } from "../../console/installation.ts";
import type { Visitors } from "../../console/visitor.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import type { App, AppDependencies } from "../app.ts";
import { addAccountRoutes, addAccountSessionRoutes, addSetupRoutes } from "./account-routes.ts";
import { addApplicationRoutes, addConnectionRoutes, addWebhookRoutes } from "./application-routes.ts";
import { addArtifactRoutes, addEventRoutes, addExecutionRoutes, addFirstErrandRoutes } from "./execution-routes.ts";
import { createConsoleGuards } from "./guards.ts";
import { addCreditRoutes, addOwnerRoutes, addStatusRoutes } from "./owner-routes.ts";

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
  limitConcurrency(scope, dependencies.consoleAtOnce);
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

const MAX_WAITING = 200;

/**
 * Lists and sums take longer than anything an application asks for: so many at a time leave the database to the others.
 * A turn ends with the answer's first byte, so that streams and downloads hold none.
 */
function limitConcurrency(scope: App, atOnce: number): void {
  const turns = createSemaphore(atOnce, MAX_WAITING);
  const ends = new WeakMap<FastifyRequest, () => void>();
  scope.addHook("preHandler", async (request, reply) => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    ends.set(request, end);
    reply.raw.once("close", end);
    const { promise: begun, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const hold = () => {
      begin();
      return over;
    };
    turns.take(hold).catch(refuse);
    await begun;
  });
  scope.addHook("onSend", async (request) => ends.get(request)?.());
}

/** What the console needs for people and for the installation itself. */
export interface AccountDependencies {
  setup: Setup;
  owners: Owners;
  status: InstallationStatus;
  firstErrands: FirstErrands;
  executionPrice: number;
  /** What the build has made of web/. */
  folder: string;
}
