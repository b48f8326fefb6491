import type { RecipeBody } from "../../src/recipes/recipe.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createRecipeEditStore, createRecipeMatchStore, createRecipeRunStore } from "../../src/storage/sql/recipes.ts";

export const SHOP_URL = "https://shop.example/";

export const ORDER: RecipeBody = {
  template: "Order <quantity> of <product>",
  start_url: SHOP_URL,
  output_schema: null,
  variables: { quantity: { kind: "number" }, product: { kind: "text", max_words: 4 } },
  steps: [
    { fill: { target: "Search", value: "<product>", submit: true } },
    { fill: { target: "Quantity", value: "<quantity>" } },
    { click: "Order" },
    { expect: { text: "Thank you" } },
  ],
  writes: ["POST /orders"],
};

/** The stores of recipes with their own connections. */
export function openRecipes(databaseUrl: string) {
  const database = openDatabase({ connectionString: databaseUrl, poolSize: 4, onError: () => {} });
  const edits = createRecipeEditStore(database);
  return {
    database,
    matches: createRecipeMatchStore(database),
    runs: createRecipeRunStore(database),
    edits,
    /** Saves one; promoted without a connection. */
    async save(place: { applicationId: string; connectionId?: string | null }, body: Partial<RecipeBody> = {}) {
      const { applicationId, connectionId = null } = place;
      return edits.save({ applicationId, connectionId }, { ...ORDER, ...body });
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

export type TestRecipes = ReturnType<typeof openRecipes>;
