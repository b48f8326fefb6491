import { type Static, Type } from "typebox";

/**
 * Recipes of the signed-in owner's applications: what verified runs did, as steps with variables. Only owners see them; the
 * recipe of another owner's application is a 404. What a recipe is: docs/recipes.md.
 *
 * GET /console/api/recipes (`RecipeQuery`) → `RecipeList`, newest first
 * GET /console/api/recipes/savings (`application_id`) → `RecipeSavings`
 * GET /console/api/recipes/:id → `RecipeResponse`
 * POST /console/api/recipes/check (`RecipeTextBody`) → `RecipeCheck`; saves nothing
 * POST /console/api/recipes (`ImportRecipeBody`) → 201 `RecipeResponse`
 * PATCH /console/api/recipes/:id (`RecipeChanges`) → `RecipeResponse`
 * POST /console/api/recipes/:id/versions (`NewVersionBody`) → 201 `RecipeResponse`; 409 if there is a newer version already
 * POST /console/api/recipes/:id/promote → `RecipeResponse`
 * DELETE /console/api/recipes/:id → 204
 * POST /console/api/executions/:id/recipe → `RecipeResponse`: saves what a verified run did. One that has a recipe already keeps
 * it; 409 if there is nothing to save
 *
 * "Run with other values" is POST /console/api/executions with `recipe` and `variables`.
 */
const closed = { additionalProperties: false };
const Yaml = Type.String({ maxLength: 200_000 });
const Id = Type.String({ maxLength: 36 });

/** set_aside: it failed several times in a row and is not used until somebody enables it again. */
export type RecipeState = "active" | "disabled" | "set_aside";
export type RecipeOrigin = "learned" | "healed" | "saved" | "edited" | "imported";
export type VariableKind = "text" | "number" | "date" | "email" | "choice";
/** Where recipes are turned off: then nothing runs with one, whatever its state is. Null: they are on. */
export type RecipesOff = "installation" | "application" | null;
/** replayed: to the end without a model. healed: a model took over. failed: neither. */
export type RecipeOutcomeKind = "replayed" | "healed" | "failed";

export const RecipeQuery = Type.Object(
  {
    application_id: Type.Optional(Id),
    connection_id: Type.Optional(Id),
    state: Type.Optional(Type.Union([Type.Literal("active"), Type.Literal("disabled"), Type.Literal("set_aside")])),
    /** Text in the template, case-insensitive. */
    text: Type.Optional(Type.String({ maxLength: 200 })),
    after: Type.Optional(Id),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  closed,
);
export type RecipeQuery = Static<typeof RecipeQuery>;

export const RecipeSavingsQuery = Type.Object({ application_id: Type.Optional(Id) }, closed);

export interface RecipeList {
  recipes: RecipeItem[];
  has_more: boolean;
  /** Whether this installation uses recipes (ERRAND_RECIPES). */
  is_on: boolean;
}

export interface RecipeItem {
  id: string;
  state: RecipeState;
  turned_off: RecipesOff;
  /** 1, 2, 3, … */
  version: number;
  /** How its newest version came to be. */
  origin: RecipeOrigin;
  /** The prompt with a slot for each variable: "Order <quantity> of <product>". */
  template: string;
  start_url: string | null;
  application: { id: string; name: string };
  /** The connection that alone may use it. Null: it is promoted, and all connections of the application use it. */
  connection: { id: string; user_email: string } | null;
  statistics: RecipeStatistics;
  created_at: string;
  updated_at: string;
}

/** Since it was learned. Runs count on after their executions were deleted. */
export interface RecipeStatistics {
  runs: number;
  /** Each run is one of these. Replayed and healed runs were verified. */
  replayed: number;
  healed: number;
  failed: number;
  /** Of replayed runs, compared with the run that it was learned from. */
  tokens_saved: number;
  seconds_saved: number;
  last_run_at: string | null;
}

/** A day with runs, in UTC: "2026-05-04". Days without runs are left out. */
export interface RecipeDay extends Omit<RecipeStatistics, "last_run_at"> {
  day: string;
}

/** All recipes of the owner, or of one application. */
export interface RecipeSavings {
  total: RecipeStatistics;
  /** The last 90 days, oldest first. */
  days: RecipeDay[];
}

export interface RecipeResponse {
  recipe: ConsoleRecipe;
}

export interface ConsoleRecipe extends RecipeItem, RecipeContent {
  /** What the run that it was learned from took. Null for a recipe that was written by hand. */
  learned_from: { tokens: number; seconds: number } | null;
  /** Newest first, the current one included. */
  versions: RecipeVersion[];
  /** The last 20, newest first. */
  executions: RecipeExecution[];
  /** The last 90 days, oldest first. */
  days: RecipeDay[];
}

/** What a recipe does. */
export interface RecipeContent {
  template: string;
  start_url: string | null;
  variables: { name: string; kind: VariableKind; max_words: number | null }[];
  /** In words, one sentence each, with the slots of variables: "Enter <quantity> into the field “Quantity”". */
  steps: string[];
  /** What a run sends to the site, in order: "POST /cart/items". */
  writes: string[];
  output_schema: Record<string, unknown> | null;
  /** As a file that can be edited, exported and imported. */
  yaml: string;
}

export interface RecipeVersion extends RecipeContent {
  version: number;
  origin: RecipeOrigin;
  /** The run that it comes from. Null when a person wrote it, or when the execution was deleted. */
  execution_id: string | null;
  created_at: string;
}

export interface RecipeExecution {
  id: string;
  version: number;
  status: "QUEUED" | "RUNNING" | "COMPLETED" | "FAILED";
  terminal: { status: string; reason: string } | null;
  /** Null while it has not ended, or when the run did not get as far as the recipe. */
  outcome: RecipeOutcomeKind | null;
  values: Record<string, string>;
  created_at: string;
  completed_at: string | null;
}

/** For an editor: send it while one types. */
export const RecipeTextBody = Type.Object({ yaml: Yaml }, closed);
export type RecipeTextBody = Static<typeof RecipeTextBody>;

/** `problem` is a sentence that names the place; `line` is from 1, when it is known. Null when the text is a valid recipe. */
export interface RecipeCheck {
  content: RecipeContent | null;
  problem: { message: string; line: number | null } | null;
}

/**
 * With a connection it is for that one, else for all connections of the application. If there is a recipe with the same
 * template, start URL and output schema, that gets it as its next version.
 */
export const ImportRecipeBody = Type.Object(
  { application_id: Id, connection_id: Type.Optional(Type.Union([Id, Type.Null()])), yaml: Yaml },
  closed,
);
export type ImportRecipeBody = Static<typeof ImportRecipeBody>;

/** `active` also uses a recipe again that was set aside. */
export const RecipeChanges = Type.Object(
  { state: Type.Union([Type.Literal("active"), Type.Literal("disabled")]) },
  closed,
);
export type RecipeChanges = Static<typeof RecipeChanges>;

/** `version` is the one that was edited. */
export const NewVersionBody = Type.Object({ yaml: Yaml, version: Type.Integer({ minimum: 1 }) }, closed);
export type NewVersionBody = Static<typeof NewVersionBody>;

/** On an execution: the recipe that it ran with, or that was learned from it. For "Run with other values". */
export interface ExecutionRecipe {
  id: string;
  version: number;
  /** learned: it was learned from this execution. Null: the run has not ended, or did not get as far as the recipe. */
  outcome: RecipeOutcomeKind | "learned" | null;
  state: RecipeState;
  turned_off: RecipesOff;
  template: string;
  variables: RecipeContent["variables"];
  values: Record<string, string>;
}

/** On a verified execution that became no recipe, because learning was off or there was one for the same errands. */
export interface RecipeDraft {
  /** The user's recipe for the same errands, which gets it as its next version. Null: it becomes a new one. */
  next_version_of: { id: string; version: number; state: RecipeState } | null;
}
