import type { RecipeDraft, RecipeExecution } from "../contract/console/recipes.ts";
import type { RecipeBody, RecipeOrigin, RecipeState } from "../recipes/recipe.ts";

/** Whose recipes: those of one owner's applications, or all of them, for the command line. */
export type RecipeScope = { readonly ownerId: string } | "all";

/** Null matches everything. */
export interface RecipeFilter {
  applicationId: string | null;
  connectionId: string | null;
  state: RecipeState | null;
  /** Case-insensitive part of the template. */
  text: string | null;
}

export interface RunCounts {
  replayed: number;
  healed: number;
  failed: number;
  tokensSaved: number;
  msSaved: number;
}

export interface RecipeSums extends RunCounts {
  lastRunAt: Date | null;
}

export interface DaySums extends RunCounts {
  /** "2026-05-04", in UTC. */
  day: string;
}

/** A recipe in its current version. */
export interface ListedRecipe {
  id: string;
  state: RecipeState;
  version: number;
  origin: RecipeOrigin;
  application: { id: string; name: string };
  connection: { id: string; user_email: string } | null;
  /** Whether the application uses recipes. */
  isOn: boolean;
  body: RecipeBody;
  learnedTokens: number | null;
  learnedMs: number | null;
  sums: RecipeSums;
  createdAt: Date;
  updatedAt: Date;
}

export interface StoredVersion {
  version: number;
  origin: RecipeOrigin;
  executionId: string | null;
  createdAt: Date;
  body: RecipeBody;
}

export interface FoundVersion {
  recipeId: string;
  version: number;
  state: RecipeState;
  /** Whether the application uses recipes. */
  isOn: boolean;
  body: RecipeBody;
}

export interface SavableExecution {
  id: string;
  isVerified: boolean;
  /** As its event says; null when it does not. */
  whyNotLearned: string | null;
}

export interface ConsoleRecipeStore {
  /** Newest first; `before` is a recipe's id. */
  list(
    scope: RecipeScope,
    filter: RecipeFilter,
    page: { before: string | null; limit: number },
  ): Promise<ListedRecipe[]>;
  /** Null when there is none in this scope. */
  find(scope: RecipeScope, recipeId: string): Promise<ListedRecipe | null>;
  /** Of all recipes in this scope, with the last `days` days that had runs. */
  sum(scope: RecipeScope, applicationId: string | null, days: number): Promise<{ total: RecipeSums; days: DaySums[] }>;
  /** Newest first. */
  listVersions(recipeId: string): Promise<StoredVersion[]>;
  listExecutions(recipeId: string, limit: number): Promise<RecipeExecution[]>;
  listDays(recipeId: string, days: number): Promise<DaySums[]>;
  /** Whether the application is in this scope, and the connection, if there is one, belongs to it. */
  hasPlace(scope: RecipeScope, applicationId: string, connectionId: string | null): Promise<boolean>;
  findVersion(recipeId: string, version: number): Promise<FoundVersion | null>;
  /** The newest version that was learned from this execution. */
  findLearnedFrom(executionId: string): Promise<FoundVersion | null>;
  /** Null when there is none in this scope. */
  findExecution(scope: RecipeScope, executionId: string): Promise<SavableExecution | null>;
  /** Null when the execution has none. `sameErrands`: the recipe of its connection that the draft would change. */
  findDraft(executionId: string): Promise<{ sameErrands: RecipeDraft["next_version_of"] } | null>;
}
