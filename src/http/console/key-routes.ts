import { Type } from "typebox";
import { type CreatedKey, type KeyItem, type KeyList, NewKeyBody } from "../../contract/console/keys.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { type ConsoleGuards, ownerOf } from "./guards.ts";

/** The API keys of the signed-in owner. */
export function addKeyRoutes(scope: App, { ownerKeys }: AppDependencies, { requireOwner }: ConsoleGuards): void {
  scope.get(
    "/console/api/keys",
    { onRequest: requireOwner, schema: { hide: true } },
    async (request): Promise<KeyList> => ({ keys: (await ownerKeys.list(ownerOf(request).id)).map(toItem) }),
  );

  scope.post(
    "/console/api/keys",
    { onRequest: requireOwner, schema: { hide: true, body: NewKeyBody } },
    async (request, reply): Promise<CreatedKey> => {
      const { name, scope: keyScope, application_id: applicationId } = request.body;
      const { key, secret } = await ownerKeys.create(ownerOf(request).id, { name, scope: keyScope, applicationId });
      reply.code(201);
      return { key: toItem(key), secret };
    },
  );

  scope.delete(
    "/console/api/keys/:keyId",
    { onRequest: requireOwner, schema: { hide: true, params: Type.Object({ keyId: Type.String() }) } },
    async (request, reply) => {
      await ownerKeys.revoke(ownerOf(request).id, request.params.keyId);
      return reply.code(204).send();
    },
  );
}

type OwnerKey = Awaited<ReturnType<AppDependencies["ownerKeys"]["list"]>>[number];

function toItem({ id, name, scope, application, createdAt, lastUsedAt }: OwnerKey): KeyItem {
  return {
    id,
    name,
    scope,
    application,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
