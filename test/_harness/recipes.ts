import type { Errand, ErrandOutcome } from "../../src/agent/loop/errand.ts";
import type { Lesson, RecipeBody } from "../../src/recipes/recipe.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createRecipeEditStore } from "../../src/storage/sql/recipe-edits.ts";
import { createRecipeMatchStore, createRecipeRunStore } from "../../src/storage/sql/recipes.ts";
import { type Api, createApi } from "./api.ts";
import { startTestService, type TestConnection, type TestService } from "./service.ts";
import { startTestWorker } from "./worker.ts";

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

/** A prompt of this kind, and its values. */
export const PROMPT = "Order 3 of Birchbark Mug";
export const VALUES = { quantity: "3", product: "Birchbark Mug" };

/** A lesson like this order. */
export const learned = (body: Partial<RecipeBody> = {}): Lesson => ({ kind: "learned", body: { ...ORDER, ...body } });

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

export interface RecipeService extends AsyncDisposable {
  service: TestService;
  recipes: TestRecipes;
}

/** A service, and the stores of its recipes. */
export async function startRecipeService(settings: Record<string, string> = {}): Promise<RecipeService> {
  await using parts = new AsyncDisposableStack();
  const service = parts.use(await startTestService({ settings }));
  const recipes = parts.use(openRecipes(service.database.url));
  const started = parts.move();
  return { service, recipes, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

export interface RecipeRun {
  /** What the agent got. */
  errand: Errand;
  id: string;
  api: Api;
}

/** Creates one execution of this connection, which ends so. */
export async function runOnce(
  service: TestService,
  connection: TestConnection,
  outcome: ErrandOutcome,
  body: object = { prompt: PROMPT, start_url: SHOP_URL },
  settings: Record<string, string> = {},
): Promise<RecipeRun> {
  const errands: Errand[] = [];
  await using _worker = await startTestWorker(service, {
    settings,
    runErrand: async (errand) => {
      errands.push(errand);
      return outcome;
    },
  });
  const api = createApi(service.url, connection);
  const { id } = await api.created(body);
  await api.get(id, "?wait=30");
  const [errand] = errands;
  if (errand === undefined) throw new Error("nothing was run");
  return { errand, id, api };
}

/** What the events of an execution say about recipes. */
export async function readRecipeEvents(api: Api, id: string): Promise<unknown[]> {
  return (await api.events(id)).body.events.filter(({ type }) => type === "recipe").map(({ data }) => data);
}
