import type { FastifyRequest } from "fastify";
import { createSemaphore } from "../../lib/semaphore.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { addAccountRoutes, addSetupRoutes } from "./account-routes.ts";
import { addApplicationRoutes, addConnectionRoutes, addWebhookRoutes } from "./application-routes.ts";
import { addExecutionRoutes } from "./execution-routes.ts";
import { createConsoleGuards } from "./guards.ts";
import { addKeyRoutes } from "./key-routes.ts";
import { addMcpClientRoutes } from "./mcp-client-routes.ts";
import { addCreditRoutes, addOwnerRoutes, addStatusRoutes } from "./owner-routes.ts";
import { addRecipeRoutes } from "./recipe-routes.ts";

/** The console's API. It authenticates with the person's session cookie and shows only what that person may see. */
export function addConsoleRoutes(scope: App, dependencies: AppDependencies): void {
  const guards = createConsoleGuards(scope, dependencies);
  limitConcurrency(scope, dependencies.maxConsoleRequests);
  // The default: everything here is private and current. A route may set other headers.
  scope.addHook("onRequest", async (_request, reply) => {
    reply.header("cache-control", "private, no-store").header("x-content-type-options", "nosniff");
  });
  addSetupRoutes(scope, dependencies);
  addAccountRoutes(scope, dependencies, guards);
  addOwnerRoutes(scope, dependencies, guards);
  addStatusRoutes(scope, dependencies, guards);
  addApplicationRoutes(scope, dependencies, guards);
  addConnectionRoutes(scope, dependencies, guards);
  addWebhookRoutes(scope, dependencies, guards);
  addExecutionRoutes(scope, dependencies, guards);
  addCreditRoutes(scope, dependencies, guards);
  addKeyRoutes(scope, dependencies, guards);
  addMcpClientRoutes(scope, dependencies, guards);
  addRecipeRoutes(scope, dependencies, guards);
}

const MAX_WAITING = 200;

/**
 * The console's lists and sums take longer than API requests: this limit leaves database connections for the API. A
 * request counts until the first byte of its response, so streams and downloads do not hold the limit.
 */
function limitConcurrency(scope: App, maxRequests: number): void {
  const semaphore = createSemaphore(maxRequests, MAX_WAITING);
  const releases = new WeakMap<FastifyRequest, () => void>();
  scope.addHook("preHandler", async (request, reply) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    releases.set(request, release);
    reply.raw.once("close", release);
    const { promise: acquired, resolve: acquire, reject } = Promise.withResolvers<void>();
    const hold = () => {
      acquire();
      return released;
    };
    semaphore.take(hold).catch(reject);
    await acquired;
  });
  scope.addHook("onSend", async (request) => releases.get(request)?.());
}
