import { sql, type Transaction } from "kysely";
import { fileRecipe } from "../../recipes/match-recipe.ts";
import type { RecipeBody } from "../../recipes/recipe.ts";
import type { RecipeEditStore } from "../../recipes/recipe-store.ts";
import type { Database } from "../database.ts";
import {
  findAnother,
  type LearnedFrom,
  lockRecipe,
  type Place,
  pickKey,
  putRecipe,
  raiseVersion,
} from "./recipe-rows.ts";
import type { Schema } from "./schema.ts";

const NOT_LEARNED: LearnedFrom = { tokens: null, durationMs: null };

export function createRecipeEditStore({ kysely }: Pick<Database, "kysely">): RecipeEditStore {
  return {
    save: (place, body) =>
      kysely
        .transaction()
        .execute((tx) => putRecipe(tx, place, { body, origin: "imported", executionId: null }, NOT_LEARNED)),

    saveDraft: (executionId) =>
      kysely.transaction().execute(async (tx) => {
        const draft = await takeDraft(tx, executionId);
        if (draft === null) return findOfExecution(tx, executionId);
        const { place, body, ...learned } = draft;
        const id = await putRecipe(tx, place, { body, origin: "saved", executionId }, learned);
        // The one for the same errands may have been disabled.
        await sql`update recipes set state = 'active' where id = ${id}`.execute(tx);
        return id;
      }),

    addVersion: (recipeId, basedOn, body) =>
      kysely.transaction().execute(async (tx) => {
        const recipe = await lockRecipe(tx, recipeId);
        if (recipe?.version !== basedOn) return "not newest";
        const another = await findAnother(tx, recipe, fileRecipe(recipe.applicationId, body).identity);
        if (another !== null && another.id !== recipeId) return "another has it";
        await raiseVersion(tx, recipe, { body, origin: "edited", executionId: null });
        return "added";
      }),

    async setState(recipeId, state) {
      await sql`
        update recipes set state = ${state}, failures_in_row = 0, updated_at = now() where id = ${recipeId}
      `.execute(kysely);
    },

    promote: (recipeId) =>
      kysely.transaction().execute(async (tx) => {
        const own = await lockRecipe(tx, recipeId);
        if (own === null || own.connectionId === null) return recipeId;
        const place = { applicationId: own.applicationId, connectionId: null };
        const { rows } = await sql<{ body: RecipeBody; executionId: string | null }>`
          select body, execution_id as "executionId" from recipe_versions
          where recipe_id = ${own.id} and version = ${own.version}
        `.execute(tx);
        const [current] = rows;
        if (current === undefined) throw new Error(`Recipe ${own.id} has no version ${own.version}`);
        const another = await findAnother(tx, place, own.identity);
        if (another === null) {
          const key = await pickKey(tx, place, fileRecipe(own.applicationId, current.body));
          await sql`
            update recipes set connection_id = null, match_key = ${key}, updated_at = now() where id = ${own.id}
          `.execute(tx);
          return own.id;
        }
        await sql`delete from recipes where id = ${own.id}`.execute(tx);
        await raiseVersion(tx, another, { ...current, origin: "saved" });
        return another.id;
      }),

    async delete(recipeId) {
      await sql`delete from recipes where id = ${recipeId}`.execute(kysely);
    },
  };
}

interface TakenDraft extends LearnedFrom {
  place: Place;
  body: RecipeBody;
}

/** Of several that ask at once, one gets it. The execution is locked first, as when it is deleted. */
async function takeDraft(tx: Transaction<Schema>, executionId: string): Promise<TakenDraft | null> {
  const found = await sql<{ applicationId: string; connectionId: string }>`
    select application_id as "applicationId", connection_id as "connectionId"
    from executions join connections on connections.id = connection_id
    where executions.id = ${executionId} and status = 'COMPLETED'
    for key share of executions
  `.execute(tx);
  const [place] = found.rows;
  if (place === undefined) return null;
  const { rows } = await sql<Omit<TakenDraft, "place">>`
    delete from recipe_drafts where execution_id = ${executionId} returning body, tokens, duration_ms as "durationMs"
  `.execute(tx);
  const [draft] = rows;
  return draft === undefined ? null : { ...draft, place };
}

/** The recipe that the execution became, or that it ran with. */
async function findOfExecution(tx: Transaction<Schema>, executionId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string | null }>`
    select coalesce(
      (select recipe_id from recipe_versions where execution_id = ${executionId} order by created_at desc limit 1),
      (select recipes.id from executions join recipes on recipes.id = recipe_id where executions.id = ${executionId})
    ) as id
  `.execute(tx);
  return rows[0]?.id ?? null;
}
