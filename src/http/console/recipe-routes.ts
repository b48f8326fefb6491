import { Type } from "typebox";
import {
  ImportRecipeBody,
  NewVersionBody,
  RecipeChanges,
  RecipeQuery,
  type RecipeResponse,
  RecipeSavingsQuery,
  RecipeTextBody,
} from "../../contract/console/recipes.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { type ConsoleGuards, ownerOf } from "./guards.ts";

const RecipePath = Type.Object({ recipeId: Type.String() });
const ExecutionPath = Type.Object({ executionId: Type.String() });

/** The recipes of the signed-in owner's applications. */
export function addRecipeRoutes(
  scope: App,
  { console: { recipes } }: Pick<AppDependencies, "console">,
  { requireOwner, limitCreates }: ConsoleGuards,
): void {
  const one = { onRequest: requireOwner, schema: { hide: true, params: RecipePath } };
  const ownedBy = (request: Parameters<typeof ownerOf>[0]) => ({ ownerId: ownerOf(request).id });

  scope.get(
    "/console/api/recipes",
    { onRequest: requireOwner, schema: { hide: true, querystring: RecipeQuery } },
    async (request) => recipes.list(ownedBy(request), request.query),
  );

  scope.get(
    "/console/api/recipes/savings",
    { onRequest: requireOwner, schema: { hide: true, querystring: RecipeSavingsQuery } },
    async (request) => recipes.sum(ownedBy(request), request.query.application_id),
  );

  scope.post(
    "/console/api/recipes/check",
    { onRequest: requireOwner, schema: { hide: true, body: RecipeTextBody } },
    async (request) => recipes.check(request.body.yaml),
  );

  scope.post(
    "/console/api/recipes",
    { onRequest: [requireOwner, limitCreates], schema: { hide: true, body: ImportRecipeBody } },
    async (request, reply): Promise<RecipeResponse> => {
      const recipe = await recipes.import(ownedBy(request), request.body);
      reply.code(201);
      return { recipe };
    },
  );

  scope.get(
    "/console/api/recipes/:recipeId",
    one,
    async (request): Promise<RecipeResponse> => ({
      recipe: await recipes.get(ownedBy(request), request.params.recipeId),
    }),
  );

  scope.patch(
    "/console/api/recipes/:recipeId",
    { onRequest: requireOwner, schema: { ...one.schema, body: RecipeChanges } },
    async (request): Promise<RecipeResponse> => ({
      recipe: await recipes.change(ownedBy(request), request.params.recipeId, request.body),
    }),
  );

  scope.post(
    "/console/api/recipes/:recipeId/versions",
    { onRequest: [requireOwner, limitCreates], schema: { ...one.schema, body: NewVersionBody } },
    async (request, reply): Promise<RecipeResponse> => {
      const recipe = await recipes.addVersion(ownedBy(request), request.params.recipeId, request.body);
      reply.code(201);
      return { recipe };
    },
  );

  scope.post(
    "/console/api/recipes/:recipeId/promote",
    one,
    async (request): Promise<RecipeResponse> => ({
      recipe: await recipes.promote(ownedBy(request), request.params.recipeId),
    }),
  );

  scope.delete("/console/api/recipes/:recipeId", one, async (request, reply) => {
    await recipes.delete(ownedBy(request), request.params.recipeId);
    return reply.code(204).send();
  });

  scope.post(
    "/console/api/executions/:executionId/recipe",
    { onRequest: [requireOwner, limitCreates], schema: { hide: true, params: ExecutionPath } },
    async (request): Promise<RecipeResponse> => ({
      recipe: await recipes.saveFrom(ownedBy(request), request.params.executionId),
    }),
  );
}
