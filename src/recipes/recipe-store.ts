import type { Recipe, RecipeBody } from "./recipe.ts";
import type { Variables } from "./template.ts";

/** Where a create request may find recipes. */
export interface RecipeSurroundings {
  readonly applicationId: string;
  readonly homeUrl: string | null;
  /** Whether the application uses recipes. */
  readonly isOn: boolean;
  /** Whether the connection has an active recipe, its own or a promoted one. */
  readonly hasRecipes: boolean;
}

/** An active recipe that a prompt may match. */
export interface RecipeCandidate {
  readonly id: string;
  readonly version: number;
  readonly isPromoted: boolean;
  readonly template: string;
  readonly variables: Variables;
}

export interface UsableRecipe extends Pick<Recipe, "id" | "state" | "version" | "body"> {
  /** Whether the application uses recipes. */
  readonly isOn: boolean;
}

/** What create requests read. */
export interface RecipeMatchStore {
  /** Null when there is no such connection. */
  findSurroundings(connectionId: string): Promise<RecipeSurroundings | null>;
  /** Active recipes of the connection and promoted ones of its application that are filed under one of the keys. */
  listCandidates(query: {
    connectionId: string;
    applicationId: string;
    keys: readonly string[];
    limit: number;
  }): Promise<RecipeCandidate[]>;
  /** The recipe in its current version, in any state, if the connection may use it: its own, or a promoted one. */
  findUsable(connectionId: string, recipeId: string): Promise<UsableRecipe | null>;
}

/** A run that holds the lease of its execution. */
export interface HeldRun {
  readonly executionId: string;
  readonly fence: number;
}

interface NewDraft {
  readonly body: RecipeBody;
  /** What the run took. */
  readonly tokens: number;
  readonly durationMs: number;
}

export interface NewLesson extends NewDraft {
  /** The recipe that a model has healed in this run; null when there was none. */
  readonly healed: { readonly id: string; readonly version: number } | null;
}

/** What a run does to recipes. Every call changes nothing when the lease is lost. */
export interface RecipeRunStore {
  /**
   * Stores what a verified run teaches: a new recipe of its connection, or the next version of its own recipe that it has
   * healed. A promoted recipe stays as its owner has read it: then the connection gets its own. Null when the connection has
   * such a recipe already, or as many as it may have.
   */
  learn(run: HeldRun, lesson: NewLesson): Promise<{ id: string; version: number } | null>;
  /**
   * Keeps what a verified run teaches with its execution, so that a person can save it later. Until then it is not used, and
   * it is deleted with the execution.
   */
  keepDraft(run: HeldRun, draft: NewDraft): Promise<void>;
  /**
   * Records how the recipe of an execution went. A second failure in a row of the same version sets it aside; failures that
   * may be the fault of a value only when the last five runs have failed, since it was last changed or enabled.
   */
  noteOutcome(
    run: HeldRun,
    outcome: { kind: "replayed" | "healed" | "failed"; usesValue: boolean; durationMs: number },
  ): Promise<{ isSetAside: boolean }>;
}

/** What a person does to recipes. */
export interface RecipeEditStore {
  /** Returns its id. If there is one for the same errands, that gets it as its next version. */
  save(place: { applicationId: string; connectionId: string | null }, body: RecipeBody): Promise<string>;
  /**
   * Makes the draft of a verified execution an active recipe of its connection. If the connection has one for the same errands,
   * that gets it as its next version. Returns the recipe's id; of an execution that became a recipe already or ran with one,
   * that one's; null when there is neither. Called twice, it saves once.
   */
  saveDraft(executionId: string): Promise<string | null>;
  addVersion(recipeId: string, basedOn: number, body: RecipeBody): Promise<"added" | "not newest" | "another has it">;
  /** `active` also forgives earlier failures. */
  setState(recipeId: string, state: "active" | "disabled"): Promise<void>;
  /**
   * Makes a connection's recipe one of the whole application. If there is a promoted one for the same errands, that gets it
   * as its next version. Returns the promoted recipe's id.
   */
  promote(recipeId: string): Promise<string>;
  delete(recipeId: string): Promise<void>;
}
