import { sql, type Transaction } from "kysely";
import { fileRecipe, type RecipeFiling } from "../../recipes/match-recipe.ts";
import type { RecipeBody, RecipeOrigin } from "../../recipes/recipe.ts";
import type { Schema } from "./schema.ts";

export interface Place {
  applicationId: string;
  /** Null: promoted. */
  connectionId: string | null;
}

/** The key with the fewest recipes beside it, so that a lookup finds few. */
export async function pickKey(
  tx: Transaction<Schema>,
  { applicationId, connectionId }: Place,
  { keys }: RecipeFiling,
): Promise<string | null> {
  const beside =
    connectionId === null
      ? sql`connection_id is null and application_id = ${applicationId}`
      : sql`connection_id = ${connectionId}`;
  const { rows } = await sql<{ key: string }>`
    select key::text as key from unnest(${keys}::bigint[]) with ordinality as listed (key, position)
    order by (
      select count(*) from (
        select 1 from recipes where ${beside} and match_key = key and state = 'active' limit 1000
      ) as filed
    ), position
    limit 1
  `.execute(tx);
  return rows[0]?.key ?? null;
}

export interface NewVersion {
  body: RecipeBody;
  origin: RecipeOrigin;
  executionId: string | null;
}

export async function insertVersion(
  tx: Transaction<Schema>,
  { id, version }: { id: string; version: number },
  { body, origin, executionId }: NewVersion,
): Promise<void> {
  await sql`
    insert into recipe_versions (recipe_id, version, body, origin, execution_id)
    values (${id}, ${version}, ${JSON.stringify(body)}::json, ${origin}, ${executionId})
  `.execute(tx);
}

export interface LockedRecipe extends Place {
  id: string;
  version: number;
  identity: Buffer;
}

const LOCKED = sql`id, version, identity, application_id as "applicationId", connection_id as "connectionId"`;

export async function lockRecipe(tx: Transaction<Schema>, recipeId: string): Promise<LockedRecipe | null> {
  const { rows } = await sql<LockedRecipe>`select ${LOCKED} from recipes where id = ${recipeId} for update`.execute(tx);
  return rows[0] ?? null;
}

/** The one for the same errands in this place. */
export async function findAnother(
  tx: Transaction<Schema>,
  { applicationId, connectionId }: Place,
  identity: Buffer,
): Promise<LockedRecipe | null> {
  const { rows } = await sql<LockedRecipe>`
    select ${LOCKED} from recipes
    where application_id = ${applicationId} and connection_id is not distinct from ${connectionId}
      and identity = ${identity}
    for update
  `.execute(tx);
  return rows[0] ?? null;
}

/** What the run took that a recipe was learned from; nulls when a person wrote it. */
export interface LearnedFrom {
  tokens: number | null;
  durationMs: number | null;
}

/** A new recipe, or the next version of the one for the same errands in this place. Returns its id. */
export async function putRecipe(
  tx: Transaction<Schema>,
  place: Place,
  version: NewVersion,
  { tokens, durationMs }: LearnedFrom,
): Promise<string> {
  const filing = fileRecipe(place.applicationId, version.body);
  const key = await pickKey(tx, place, filing);
  const { rows } = await sql<{ id: string }>`
    insert into recipes (application_id, connection_id, match_key, identity, learned_tokens, learned_ms)
    values (${place.applicationId}, ${place.connectionId}, ${key}, ${filing.identity}, ${tokens}, ${durationMs})
    on conflict do nothing
    returning id
  `.execute(tx);
  const [added] = rows;
  if (added !== undefined) {
    await insertVersion(tx, { id: added.id, version: 1 }, version);
    return added.id;
  }
  const existing = await findAnother(tx, place, filing.identity);
  if (existing === null) throw new Error("The recipe for the same errands was deleted while another was saved");
  await raiseVersion(tx, existing, version);
  return existing.id;
}

/** The next version, which counts as reviewed. */
export async function raiseVersion(tx: Transaction<Schema>, recipe: LockedRecipe, version: NewVersion): Promise<void> {
  const filing = fileRecipe(recipe.applicationId, version.body);
  const key = await pickKey(tx, recipe, filing);
  await sql`
    update recipes
    set version = version + 1, match_key = ${key}, identity = ${filing.identity}, failures_in_row = 0, updated_at = now(),
      state = case when state = 'set_aside' then 'active' else state end
    where id = ${recipe.id}
  `.execute(tx);
  await insertVersion(tx, { id: recipe.id, version: recipe.version + 1 }, version);
}
