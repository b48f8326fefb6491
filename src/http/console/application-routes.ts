import { Type } from "typebox";
import {
  ApplicationChanges,
  ConnectionQuery,
  CredentialsBody,
  DeleteApplicationBody,
  ImportSignInBody,
  NewApplicationBody,
} from "../../contract/console/applications.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { addWebhookRoutesAt } from "../routes/webhooks.ts";
import { type ConsoleGuards, ownerOf, visitorOf } from "./guards.ts";

const ApplicationPath = Type.Object({ applicationId: Type.String() });

export function addApplicationRoutes(
  scope: App,
  { console: { applications } }: Pick<AppDependencies, "console">,
  { requireOwner }: ConsoleGuards,
): void {
  const path = { hide: true, params: ApplicationPath };

  scope.get("/console/api/applications", { onRequest: requireOwner, schema: { hide: true } }, async (request) => ({
    applications: await applications.list(ownerOf(request).id),
  }));

  scope.post(
    "/console/api/applications",
    { onRequest: requireOwner, schema: { hide: true, body: NewApplicationBody } },
    async (request, reply) => {
      const made = await applications.create(ownerOf(request).id, request.body);
      return reply.code(201).send(made);
    },
  );

  scope.get("/console/api/applications/:applicationId", { onRequest: requireOwner, schema: path }, async (request) => ({
    application: await applications.get(ownerOf(request).id, request.params.applicationId),
  }));

  scope.patch(
    "/console/api/applications/:applicationId",
    { onRequest: requireOwner, schema: { ...path, body: ApplicationChanges } },
    async (request) => ({
      application: await applications.change(ownerOf(request).id, request.params.applicationId, request.body),
    }),
  );

  scope.delete(
    "/console/api/applications/:applicationId",
    { onRequest: requireOwner, schema: { ...path, body: DeleteApplicationBody } },
    async (request, reply) => {
      await applications.delete(ownerOf(request).id, request.params.applicationId, request.body.name);
      return reply.code(204).send();
    },
  );

  scope.post(
    "/console/api/applications/:applicationId/secrets",
    { onRequest: requireOwner, schema: path },
    async (request, reply) => {
      const secret = await applications.rotateSecret(ownerOf(request).id, request.params.applicationId);
      return reply.code(201).send({ client_secret: secret });
    },
  );

  scope.delete(
    "/console/api/applications/:applicationId/secrets/old",
    { onRequest: requireOwner, schema: path },
    async (request, reply) => {
      await applications.dropOldSecrets(ownerOf(request).id, request.params.applicationId);
      return reply.code(204).send();
    },
  );
}

/** As much as a saved sign-in may have. */
const STORAGE_STATE_MAX_BYTES = 8 * 1_024 * 1_024;

const ConnectionPath = Type.Object({ connectionId: Type.String() });

export function addConnectionRoutes(
  scope: App,
  { console: { connections } }: Pick<AppDependencies, "console">,
  { requireOwner, requireVisitor, limitCreates }: ConsoleGuards,
): void {
  const one = { onRequest: requireVisitor, schema: { hide: true, params: ConnectionPath } };

  scope.get(
    "/console/api/applications/:applicationId/connections",
    { onRequest: requireOwner, schema: { hide: true, params: ApplicationPath, querystring: ConnectionQuery } },
    async (request) => connections.listOfApplication(ownerOf(request).id, request.params.applicationId, request.query),
  );

  scope.get(
    "/console/api/connections",
    { onRequest: requireVisitor, schema: { hide: true, querystring: ConnectionQuery } },
    async (request) => connections.listOfUser(visitorOf(request).person.id, request.query),
  );

  scope.post("/console/api/connections/:connectionId/stop", one, async (request) => ({
    connection: await connections.stop(visitorOf(request), request.params.connectionId),
  }));

  scope.post("/console/api/connections/:connectionId/disconnect", one, async (request) => ({
    connection: await connections.disconnect(visitorOf(request), request.params.connectionId),
  }));

  scope.post(
    "/console/api/connections/:connectionId/sign-in",
    {
      onRequest: [requireVisitor, limitCreates],
      bodyLimit: STORAGE_STATE_MAX_BYTES,
      schema: { hide: true, params: ConnectionPath, body: ImportSignInBody },
    },
    async (request) => {
      const { storage_state, url = null } = request.body;
      const { connectionId } = request.params;
      return { connection: await connections.importSignIn(visitorOf(request), connectionId, storage_state, url) };
    },
  );

  scope.put(
    "/console/api/connections/:connectionId/credentials",
    {
      onRequest: [requireVisitor, limitCreates],
      schema: { hide: true, params: ConnectionPath, body: CredentialsBody },
    },
    (request) => connections.storeCredentials(visitorOf(request), request.params.connectionId, request.body),
  );

  scope.delete("/console/api/connections/:connectionId/credentials", one, async (request, reply) => {
    await connections.deleteCredentials(visitorOf(request), request.params.connectionId);
    return reply.code(204).send();
  });

  scope.delete("/console/api/connections/:connectionId", one, async (request, reply) => {
    await connections.delete(visitorOf(request), request.params.connectionId);
    return reply.code(204).send();
  });
}

/** The webhooks of an owner's applications. An application of another owner is a 404. */
export function addWebhookRoutes(
  scope: App,
  { webhooks, console: { applications } }: Pick<AppDependencies, "webhooks" | "console">,
  { requireOwner, limitCreates }: ConsoleGuards,
): void {
  addWebhookRoutesAt(scope, {
    webhooks,
    base: "/console/api/applications/:applicationId/webhooks",
    mayRead: requireOwner,
    mayChange: [requireOwner, limitCreates],
    findApplicationId(request) {
      const { applicationId } = request.params as { applicationId: string };
      return applications.requireOwned(ownerOf(request).id, applicationId);
    },
    isPublic: false,
  });
}
