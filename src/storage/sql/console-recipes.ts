import { type RawBuilder, sql } from "kysely";
import type {
  ConsoleRecipeStore,
  DaySums,
  FoundVersion,
  ListedRecipe,
  RecipeFilter,
  RecipeScope,
  RecipeSums,
  SavableExecution,
  StoredVersion,
} from "../../console/recipe-store.ts";
import { fileRecipe } from "../../recipes/match-recipe.ts";
import type { RecipeBody, RecipeState } from "../../recipes/recipe.ts";
import type { Database } from "../database.ts";

const SUMS = sql`
  coalesce(sum(replayed), 0)::int8 as "replayed", coalesce(sum(healed), 0)::int8 as "healed",
  coalesce(sum(failed), 0)::int8 as "failed", coalesce(sum(tokens_saved), 0)::int8 as "tokensSaved",
  coalesce(sum(ms_saved), 0)::int8 as "msSaved"`;

type Row = Omit<ListedRecipe, "application" | "connection" | "sums"> &
  RecipeSums & {
    applicationId: string;
    applicationName: string;
    connectionId: string | null;
    userEmail: string | null;
  };

export function createConsoleRecipeStore({ kysely }: Pick<Database, "kysely">): ConsoleRecipeStore {
  async function select(condition: RawBuilder<unknown>, limit: number): Promise<ListedRecipe[]> {
    const { rows } = await sql<Row>`
      select recipes.id, recipes.state, recipes.version, origin, body, learned_tokens as "learnedTokens",
        learned_ms as "learnedMs", recipes.created_at as "createdAt", recipes.updated_at as "updatedAt",
        applications.id as "applicationId", applications.name as "applicationName", applications.recipes as "isOn",
        connection_id as "connectionId", users.email as "userEmail", runs.*
      from recipes
      join applications on applications.id = recipes.application_id
      join recipe_versions on recipe_id = recipes.id and recipe_versions.version = recipes.version
      left join connections on connections.id = connection_id
      left join users on users.id = connections.user_id
      cross join lateral (
        select ${SUMS}, max(last_run_at) as "lastRunAt" from recipe_days where recipe_days.recipe_id = recipes.id
      ) as runs
      where ${condition}
      order by recipes.id desc limit ${limit}
    `.execute(kysely);
    return rows.map(toListed);
  }

  async function findOne(condition: RawBuilder<unknown>): Promise<FoundVersion | null> {
    const { rows } = await sql<FoundVersion>`
      select recipes.id as "recipeId", recipe_versions.version, recipes.state, applications.recipes as "isOn", body
      from recipe_versions join recipes on recipes.id = recipe_id
      join applications on applications.id = application_id
      where ${condition} order by recipe_versions.created_at desc limit 1
    `.execute(kysely);
    return rows[0] ?? null;
  }

  return {
    list: (scope, filter, { before, limit }) =>
      select(all([inScope(scope), ...conditions(filter), before === null ? null : sql`recipes.id < ${before}`]), limit),

    async find(scope, recipeId) {
      const [recipe] = await select(all([inScope(scope), sql`recipes.id = ${recipeId}`]), 1);
      return recipe ?? null;
    },

    async sum(scope, applicationId, days) {
      const condition = all([inScope(scope), applicationId === null ? null : sql`applications.id = ${applicationId}`]);
      const from = sql`recipe_days join recipes on recipes.id = recipe_id join applications on applications.id = application_id`;
      const total = await sql<RecipeSums>`
        select ${SUMS}, max(last_run_at) as "lastRunAt" from ${from} where ${condition}
      `.execute(kysely);
      const byDay = await sql<DaySums>`
        select day::text as day, ${SUMS} from ${from}
        where ${condition} and day > (now() at time zone 'utc')::date - ${days}::int
        group by day order by day
      `.execute(kysely);
      return { total: total.rows[0] ?? NO_RUNS, days: byDay.rows };
    },

    async listVersions(recipeId) {
      const { rows } = await sql<StoredVersion>`
        select version, origin, execution_id as "executionId", created_at as "createdAt", body from recipe_versions
        where recipe_id = ${recipeId} order by version desc limit ${MAX_VERSIONS}
      `.execute(kysely);
      return rows;
    },

    // Uses the index executions_with_recipe.
    async listExecutions(recipeId, limit) {
      const { rows } = await sql<ExecutionRow>`
        select id, recipe_version as version, status, terminal_status, terminal_reason, recipe_outcome as outcome,
          recipe_values as values, created_at, completed_at
        from executions where recipe_id = ${recipeId} order by recipe_id desc, id desc limit ${limit}
      `.execute(kysely);
      return rows.map(toExecution);
    },

    async listDays(recipeId, days) {
      const { rows } = await sql<DaySums>`
        select day::text as day, replayed, healed, failed, tokens_saved as "tokensSaved", ms_saved as "msSaved"
        from recipe_days
        where recipe_id = ${recipeId} and day > (now() at time zone 'utc')::date - ${days}::int
        order by day
      `.execute(kysely);
      return rows;
    },

    async hasPlace(scope, applicationId, connectionId) {
      const { rows } = await sql`
        select 1 from applications
        where ${inScope(scope)} and applications.id = ${applicationId} and (
          ${connectionId}::uuid is null
          or exists (select 1 from connections where id = ${connectionId} and application_id = applications.id)
        )
      `.execute(kysely);
      return rows.length > 0;
    },

    findVersion: (recipeId, version) => findOne(sql`recipes.id = ${recipeId} and recipe_versions.version = ${version}`),
    findLearnedFrom: (executionId) => findOne(sql`execution_id = ${executionId}`),

    async findExecution(scope, executionId) {
      const { rows } = await sql<SavableExecution>`
        select executions.id, status = 'COMPLETED' as "isVerified", (
          select data->>'reason' from execution_events
          where execution_id = executions.id and type = 'recipe' and data->>'outcome' = 'not_learned' limit 1
        ) as "whyNotLearned"
        from executions
        join connections on connections.id = connection_id join applications on applications.id = application_id
        where ${inScope(scope)} and executions.id = ${executionId}
      `.execute(kysely);
      return rows[0] ?? null;
    },

    async findDraft(executionId) {
      const { rows } = await sql<{ applicationId: string; connectionId: string; body: RecipeBody }>`
        select application_id as "applicationId", connection_id as "connectionId", body
        from recipe_drafts join executions on executions.id = execution_id
        join connections on connections.id = connection_id
        where execution_id = ${executionId} and status = 'COMPLETED'
      `.execute(kysely);
      const [draft] = rows;
      if (draft === undefined) return null;
      const { identity } = fileRecipe(draft.applicationId, draft.body);
      const same = await sql<{ id: string; version: number; state: RecipeState }>`
        select id, version, state from recipes
        where connection_id = ${draft.connectionId} and identity = ${identity}
      `.execute(kysely);
      return { sameErrands: same.rows[0] ?? null };
    },
  };
}

const MAX_VERSIONS = 100;
const NO_RUNS: RecipeSums = { replayed: 0, healed: 0, failed: 0, tokensSaved: 0, msSaved: 0, lastRunAt: null };

function inScope(scope: RecipeScope): RawBuilder<unknown> {
  return scope === "all" ? sql`true` : sql`owner_id = ${scope.ownerId}`;
}

function conditions({ applicationId, connectionId, state, text }: RecipeFilter): (RawBuilder<unknown> | null)[] {
  return [
    applicationId === null ? null : sql`recipes.application_id = ${applicationId}`,
    connectionId === null ? null : sql`connection_id = ${connectionId}`,
    state === null ? null : sql`recipes.state = ${state}`,
    text === null ? null : sql`body->>'template' ilike ${`%${text.replace(/[\\%_]/g, "\\$&")}%`}`,
  ];
}

function all(parts: (RawBuilder<unknown> | null)[]): RawBuilder<unknown> {
  return sql.join(
    parts.filter((part) => part !== null),
    sql` and `,
  );
}

function toListed(row: Row): ListedRecipe {
  const { replayed, healed, failed, tokensSaved, msSaved, lastRunAt } = row;
  return {
    id: row.id,
    state: row.state,
    version: row.version,
    origin: row.origin,
    application: { id: row.applicationId, name: row.applicationName },
    connection: row.connectionId === null ? null : { id: row.connectionId, user_email: row.userEmail ?? "" },
    isOn: row.isOn,
    body: row.body,
    learnedTokens: row.learnedTokens,
    learnedMs: row.learnedMs,
    sums: { replayed, healed, failed, tokensSaved, msSaved, lastRunAt },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

type RecipeExecution = Awaited<ReturnType<ConsoleRecipeStore["listExecutions"]>>[number];

interface ExecutionRow {
  id: string;
  version: number;
  status: RecipeExecution["status"];
  terminal_status: string | null;
  terminal_reason: string | null;
  outcome: RecipeExecution["outcome"];
  values: Record<string, string> | null;
  created_at: Date;
  completed_at: Date | null;
}

function toExecution(row: ExecutionRow): RecipeExecution {
  const { id, version, status, outcome, terminal_status, terminal_reason } = row;
  return {
    ...{ id, version, status, outcome },
    terminal: terminal_status === null ? null : { status: terminal_status, reason: terminal_reason ?? "" },
    values: row.values ?? {},
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
