import type { Values, Variables } from "./template.ts";

/**
 * A recipe is what a verified run did, as steps with variables. The next errand of the same kind runs it without a model.
 * docs/recipes.md explains it.
 */
export interface RecipeBody {
  /** The prompt, with a slot for each variable: "Order <quantity> of <product>". */
  readonly template: string;
  readonly start_url: string | null;
  readonly output_schema: Readonly<Record<string, unknown>> | null;
  readonly variables: Variables;
  /** As in a file of steps (src/agent/steps/step.ts), with slots in texts. Checked whenever they are read. */
  readonly steps: readonly object[];
  /** What a run sends to the site, in order: "POST /cart/items", with ids as ":id". */
  readonly writes: readonly string[];
}

/** How a recipe came to its newest version. */
export type RecipeOrigin = "learned" | "healed" | "saved" | "edited" | "imported";

/** set_aside: it failed several times in a row, and a person should look at it. Only active recipes are used. */
export type RecipeState = "active" | "disabled" | "set_aside";

export interface Recipe {
  readonly id: string;
  readonly applicationId: string;
  /** The connection that it was learned on, and that alone may use it; null when it is promoted to the whole application. */
  readonly connectionId: string | null;
  readonly state: RecipeState;
  readonly version: number;
  readonly body: RecipeBody;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A recipe to be run, with the values for its slots. */
export interface RecipeUse {
  readonly id: string;
  readonly version: number;
  readonly body: RecipeBody;
  readonly values: Values;
}

/** What a verified run teaches. */
export type Lesson =
  | { readonly kind: "learned"; readonly body: RecipeBody }
  /** `reason`: a sentence for people. */
  | { readonly kind: "not_learned"; readonly reason: string };

/**
 * How a run with a recipe went. replayed: to its end without a model. healed: a model took over. failed: it could not be
 * followed to its end, or the verifier did not agree. `step` is the one that could not be done; null when all were done.
 * `usesValue`: that step has a value of the prompt in it, which may be wrong where the recipe is right.
 */
export type RecipeOutcome =
  | { readonly kind: "replayed" }
  | { readonly kind: "healed"; readonly step: string | null; readonly reason: string }
  | { readonly kind: "failed"; readonly step: string | null; readonly reason: string; readonly usesValue?: boolean };
