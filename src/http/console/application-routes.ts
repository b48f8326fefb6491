import { Type } from "typebox";
import { ApplicationChanges, DeleteApplicationBody, NewApplicationBody } from "../../contract/console/applications.ts";
import type { App, AppDependencies } from "../app.ts";
import { type ConsoleGuards, ownerOf } from "./console-guards.ts";

export const ApplicationPath = Type.Object({ applicationId: Type.String() });

export function addApplicationRoutes(
  scope: App,
  { console: { applications } }: Pick<AppDependencies, "console">,
  { isOwner }: ConsoleGuards,
): void {
  const path = { hide: true, params: ApplicationPath };

  scope.get("/console/api/applications", { onRequest: isOwner, schema: { hide: true } }, async (request) => ({
    applications: await applications.list(ownerOf(request).id),
  }));

  scope.post(
    "/console/api/applications",
    { onRequest: isOwner, schema: { hide: true, body: NewApplicationBody } },
    async (request, reply) => {
      const made = await applications.create(ownerOf(request).id, request.body);
      return reply.code(201).send(made);
    },
  );

  scope.get("/console/api/applications/:applicationId", { onRequest: isOwner, schema: path }, async (request) => ({
    application: await applications.get(ownerOf(request).id, request.params.applicationId),
  }));

  scope.patch(
    "/console/api/applications/:applicationId",
    { onRequest: isOwner, schema: { ...path, body: ApplicationChanges } },
    async (request) => ({
      application: await applications.change(ownerOf(request).id, request.params.applicationId, request.body),
    }),
  );

  scope.delete(
    "/console/api/applications/:applicationId",
    { onRequest: isOwner, schema: { ...path, body: DeleteApplicationBody } },
    async (request, reply) => {
      await applications.delete(ownerOf(request).id, request.params.applicationId, request.body.name);
      return reply.code(204).send();
    },
  );

  scope.post(
    "/console/api/applications/:applicationId/secrets",
    { onRequest: isOwner, schema: path },
    async (request, reply) => {
      const secret = await applications.rotateSecret(ownerOf(request).id, request.params.applicationId);
      return reply.code(201).send({ client_secret: secret });
    },
  );

  scope.delete(
    "/console/api/applications/:applicationId/secrets/old",
    { onRequest: isOwner, schema: path },
    async (request, reply) => {
      await applications.dropOldSecrets(ownerOf(request).id, request.params.applicationId);
      return reply.code(204).send();
    },
  );
}
