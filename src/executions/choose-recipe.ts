import type { CreateExecution } from "../contract/execution-request.ts";
import type { ErrorDetail } from "../lib/errors.ts";
import { parseUuid } from "../lib/uuid.ts";
import { findNamedRecipe, matchRecipe } from "../recipes/match-recipe.ts";
import type { RecipeMatchStore } from "../recipes/recipe-store.ts";
import { namesRecipe } from "./create-request.ts";
import type { NewExecution } from "./execution-store.ts";

export type RecipeChoice =
  | ({ readonly kind: "chosen" } & Pick<NewExecution, "recipe" | "startUrl" | "outputSchema">)
  | { readonly kind: "refused"; readonly details: ErrorDetail[] };

/** Which recipe a checked request runs with. One that it names also says where to start and what to extract. */
export async function chooseRecipe(
  store: RecipeMatchStore | null,
  connectionId: string,
  body: CreateExecution,
): Promise<RecipeChoice> {
  const { prompt, start_url: startUrl = null, output_schema: outputSchema = null } = body;
  const request = { prompt, startUrl, outputSchema };
  if (namesRecipe(body)) return chooseNamed(store, connectionId, request, body);
  if (body.recipe === "off") return { kind: "chosen", recipe: "off", startUrl, outputSchema };
  const match = store === null ? null : await matchRecipe(store, connectionId, request);
  return { kind: "chosen", recipe: match, startUrl, outputSchema };
}

async function chooseNamed(
  store: RecipeMatchStore | null,
  connectionId: string,
  request: Pick<NewExecution, "prompt" | "startUrl" | "outputSchema">,
  { recipe, variables = null }: CreateExecution,
): Promise<RecipeChoice> {
  if (store === null) {
    return {
      kind: "refused",
      details: [{ path: "recipe", message: "cannot be used: recipes are turned off for this installation" }],
    };
  }
  const recipeId = parseUuid(recipe ?? "") ?? "";
  const named = await findNamedRecipe(store, connectionId, { ...request, recipeId, variables });
  if (named.kind === "refused") return named;
  const { start_url: startUrl, output_schema: outputSchema } = named.body;
  return { kind: "chosen", recipe: named.recipe, startUrl, outputSchema: outputSchema && { ...outputSchema } };
}
