import { Type } from "typebox";
import { ConnectionQuery } from "../../contract/console/applications.ts";
import type { App, AppDependencies } from "../app.ts";
import { ApplicationPath } from "./application-routes.ts";
import { type ConsoleGuards, ownerOf, visitorOf } from "./console-guards.ts";

const ConnectionPath = Type.Object({ connectionId: Type.String() });

export function addConnectionRoutes(
  scope: App,
  { console: { connections } }: Pick<AppDependencies, "console">,
  { isOwner, isVisitor }: ConsoleGuards,
): void {
  const one = { onRequest: isVisitor, schema: { hide: true, params: ConnectionPath } };

  scope.get(
    "/console/api/applications/:applicationId/connections",
    { onRequest: isOwner, schema: { hide: true, params: ApplicationPath, querystring: ConnectionQuery } },
    async (request) => connections.listOfApplication(ownerOf(request).id, request.params.applicationId, request.query),
  );

  scope.get(
    "/console/api/connections",
    { onRequest: isVisitor, schema: { hide: true, querystring: ConnectionQuery } },
    async (request) => connections.listOfUser(visitorOf(request).person.id, request.query),
  );

  scope.post("/console/api/connections/:connectionId/require-sign-in", one, async (request) => ({
    connection: await connections.requireSignIn(visitorOf(request), request.params.connectionId),
  }));

  scope.delete("/console/api/connections/:connectionId/token", one, async (request, reply) => {
    await connections.deleteToken(visitorOf(request), request.params.connectionId);
    return reply.code(204).send();
  });

  scope.delete("/console/api/connections/:connectionId/sign-in", one, async (request, reply) => {
    await connections.deleteSignIn(visitorOf(request), request.params.connectionId);
    return reply.code(204).send();
  });

  scope.delete("/console/api/connections/:connectionId", one, async (request, reply) => {
    await connections.delete(visitorOf(request), request.params.connectionId);
    return reply.code(204).send();
  });
}
