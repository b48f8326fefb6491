import { sql, type Transaction } from "kysely";
import { createBatcher } from "../../lib/batcher.ts";
import { fileRecipe } from "../../recipes/match-recipe.ts";
import type {
  HeldRun,
  NewLesson,
  RecipeCandidate,
  RecipeMatchStore,
  RecipeRunStore,
  RecipeSurroundings,
  UsableRecipe,
} from "../../recipes/recipe-store.ts";
import { type Database, LOOKUP_BATCHES, prepared } from "../database.ts";
import { insertVersion, pickKey } from "./recipe-rows.ts";
import type { Schema } from "./schema.ts";

const FIND_SURROUNDINGS = `
  select applications.id as "applicationId", home_url as "homeUrl", applications.recipes as "isOn",
    exists (select 1 from recipes where recipes.connection_id = connections.id and recipes.state = 'active')
    or exists (
      select 1 from recipes
      where recipes.application_id = applications.id and recipes.connection_id is null and recipes.state = 'active'
    ) as "hasRecipes"
  from unnest($1::uuid[]) with ordinality as asked (id, position)
  left join (connections join applications on applications.id = connections.application_id) on connections.id = asked.id
  order by position`;

// The indexes recipes_match_own and recipes_match_promoted.
const LIST_CANDIDATES = `
  select found.id, found.version, found.connection_id is null as "isPromoted", body->>'template' as template,
    body->'variables' as variables
  from (
    select id, version, connection_id from recipes
    where connection_id = $1 and match_key = any($3::bigint[]) and state = 'active'
    union all
    select id, version, connection_id from recipes
    where application_id = $2 and connection_id is null and match_key = any($3::bigint[]) and state = 'active'
    limit $4
  ) as found join recipe_versions on recipe_id = found.id and recipe_versions.version = found.version`;

const FIND_USABLE = `
  select recipes.id, recipes.version, recipes.state, body, applications.recipes as "isOn"
  from recipes join recipe_versions on recipe_id = recipes.id and recipe_versions.version = recipes.version
  join applications on applications.id = application_id
  where recipes.id = $2 and (
    connection_id = $1
    or (connection_id is null and application_id = (select application_id from connections where id = $1))
  )`;

export function createRecipeMatchStore({ pool }: Pick<Database, "pool">): RecipeMatchStore {
  const findAll = prepared(pool, "recipe-surroundings", FIND_SURROUNDINGS);
  const listCandidates = prepared(pool, "recipe-candidates", LIST_CANDIDATES);
  const findUsable = prepared(pool, "recipe-usable", FIND_USABLE);
  // Every create asks for them: concurrent ones share a round trip.
  const find = createBatcher<string, RecipeSurroundings | { applicationId: null }>({
    load: (connectionIds) => findAll([connectionIds]),
    ...LOOKUP_BATCHES,
  });
  return {
    async findSurroundings(connectionId) {
      const found = await find(connectionId);
      return found.applicationId === null ? null : found;
    },

    listCandidates: ({ connectionId, applicationId, keys, limit }) =>
      listCandidates<RecipeCandidate & { id: string }>([connectionId, applicationId, keys, limit]),

    async findUsable(connectionId, recipeId) {
      const [row] = await findUsable<UsableRecipe & { id: string }>([connectionId, recipeId]);
      return row ?? null;
    },
  };
}

const MAX_OWN_RECIPES = 1_000;
/** The end of a run waits for these statements. */
const RUN_TIMEOUT_MS = 2_000;

// A failure of an older version says nothing about the current one.
const NOTE_OUTCOME = `
  with execution as (
    update executions set recipe_outcome = $3
    where id = $1 and fence = $2 and status = 'RUNNING' and recipe_id is not null
    returning recipe_id, recipe_version
  ), last as (
    select recipe_outcome from executions
    where recipe_id = (select recipe_id from execution) and recipe_version = (select recipe_version from execution)
      and recipe_outcome is not null and id <> $1
      and created_at > (select updated_at from recipes where id = (select recipe_id from execution))
    order by recipe_id desc, id desc limit 4
  ), recipe as (
    update recipes
    set failures_in_row = case when $3 <> 'failed' then 0 when $5 then recipes.failures_in_row else recipes.failures_in_row + 1 end,
      state = case when $3 = 'failed' and recipes.state = 'active' and case
          when $5 then (select count(*) = 4 and bool_and(recipe_outcome = 'failed') from last)
          else recipes.failures_in_row >= 1
        end then 'set_aside' else recipes.state end
    from execution join recipes as before on before.id = recipe_id
    where recipes.id = execution.recipe_id and recipes.version = execution.recipe_version
    returning before.state = 'active' and recipes.state = 'set_aside' as "isSetAside"
  ), day as (
    insert into recipe_days (recipe_id, day, replayed, healed, failed, tokens_saved, ms_saved, last_run_at)
    select recipes.id, (now() at time zone 'utc')::date, ($3 = 'replayed')::int, ($3 = 'healed')::int, ($3 = 'failed')::int,
      case when $3 = 'replayed' then coalesce(learned_tokens, 0) else 0 end,
      case when $3 = 'replayed' then greatest(learned_ms - $4::bigint, 0) else 0 end, now()
    from execution join recipes on recipes.id = execution.recipe_id
    on conflict (recipe_id, day) do update
    set replayed = recipe_days.replayed + excluded.replayed, healed = recipe_days.healed + excluded.healed,
      failed = recipe_days.failed + excluded.failed, tokens_saved = recipe_days.tokens_saved + excluded.tokens_saved,
      ms_saved = recipe_days.ms_saved + excluded.ms_saved, last_run_at = excluded.last_run_at
  )
  select "isSetAside" from recipe`;

const KEEP_DRAFT = `
  insert into recipe_drafts (execution_id, body, tokens, duration_ms)
  select id, $3::json, $4::bigint, $5::bigint from executions where id = $1 and fence = $2 and status = 'RUNNING'`;

export function createRecipeRunStore({ kysely, pool }: Pick<Database, "kysely" | "pool">): RecipeRunStore {
  const keepDraft = prepared(pool, "recipe-draft", KEEP_DRAFT, RUN_TIMEOUT_MS);
  const noteOutcome = prepared(pool, "recipe-outcome", NOTE_OUTCOME, RUN_TIMEOUT_MS);
  return {
    learn: (run, lesson) =>
      kysely.transaction().execute(async (tx) => {
        await sql.raw(`set local statement_timeout = ${RUN_TIMEOUT_MS}`).execute(tx);
        const place = await findPlace(tx, run);
        if (place === null) return null;
        const { healed } = lesson;
        const isOwn = healed !== null && (await isOwnedBy(tx, healed.id, place.connectionId));
        return isOwn ? addHealed(tx, run, healed, lesson, place) : insertLesson(tx, run, lesson, place);
      }),

    async keepDraft({ executionId, fence }, { body, tokens, durationMs }) {
      await keepDraft([executionId, fence, JSON.stringify(body), tokens, Math.round(durationMs)]);
    },

    async noteOutcome({ executionId, fence }, { kind, usesValue, durationMs }) {
      const values = [executionId, fence, kind, Math.round(durationMs), usesValue];
      const [row] = await noteOutcome<{ isSetAside: boolean }>(values);
      return { isSetAside: row?.isSetAside ?? false };
    },
  };
}

interface OwnPlace {
  applicationId: string;
  connectionId: string;
}

/** Null when the lease is lost. The lock does not disturb heartbeats. */
async function findPlace(tx: Transaction<Schema>, { executionId, fence }: HeldRun): Promise<OwnPlace | null> {
  const { rows } = await sql<OwnPlace>`
    select connections.id as "connectionId", application_id as "applicationId"
    from executions join connections on connections.id = connection_id
    where executions.id = ${executionId} and fence = ${fence} and status = 'RUNNING'
    for key share of executions
  `.execute(tx);
  return rows[0] ?? null;
}

async function isOwnedBy(tx: Transaction<Schema>, recipeId: string, connectionId: string): Promise<boolean> {
  const own = sql`select 1 from recipes where id = ${recipeId} and connection_id = ${connectionId}`;
  const { rows } = await own.execute(tx);
  return rows.length > 0;
}

async function addHealed(
  tx: Transaction<Schema>,
  { executionId }: HeldRun,
  healed: { id: string; version: number },
  { body }: NewLesson,
  place: OwnPlace,
): Promise<{ id: string; version: number } | null> {
  const filing = fileRecipe(place.applicationId, body);
  const key = await pickKey(tx, place, filing);
  // Another run may have healed it first, or a person may have disabled it.
  const { rows } = await sql<{ id: string; version: number }>`
    update recipes
    set version = version + 1, match_key = ${key}, identity = ${filing.identity}, failures_in_row = 0, updated_at = now()
    where id = ${healed.id} and version = ${healed.version} and state = 'active' and not exists (
      select 1 from recipes as another
      where another.connection_id = ${place.connectionId} and another.identity = ${filing.identity}
        and another.id <> ${healed.id}
    )
    returning id, version
  `.execute(tx);
  const [added] = rows;
  if (added === undefined) return null;
  await insertVersion(tx, added, { body, origin: "healed", executionId });
  return added;
}

async function insertLesson(
  tx: Transaction<Schema>,
  { executionId }: HeldRun,
  { body, tokens, durationMs, healed }: NewLesson,
  place: OwnPlace,
): Promise<{ id: string; version: number } | null> {
  const filing = fileRecipe(place.applicationId, body);
  const key = await pickKey(tx, place, filing);
  const { rows } = await sql<{ id: string; version: number }>`
    insert into recipes (application_id, connection_id, match_key, identity, learned_tokens, learned_ms)
    select ${place.applicationId}, ${place.connectionId}, ${key}, ${filing.identity}::bytea, ${tokens}, ${Math.round(durationMs)}
    where (select count(*) from recipes where connection_id = ${place.connectionId}) < ${MAX_OWN_RECIPES}
      and (${healed !== null} or not exists (
        select 1 from recipes
        where application_id = ${place.applicationId} and connection_id is null and identity = ${filing.identity}
          and state = 'active'
      ))
    on conflict (connection_id, identity) where connection_id is not null do nothing
    returning id, version
  `.execute(tx);
  const [added] = rows;
  if (added === undefined) return null;
  await insertVersion(tx, added, { body, origin: healed === null ? "learned" : "healed", executionId });
  return added;
}
