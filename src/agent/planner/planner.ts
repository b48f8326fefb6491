import type { Observation } from "../../browser/observation/observation.ts";
import type { ExecutionErrorCode, Failure } from "../../contract/execution-error.ts";
import type { CostMeter } from "../../models/usage.ts";
import type { ActionCall, ActionReport } from "../actions/action.ts";
import type { Claim, Criterion, FindOutputProblems, Screenshot, Task } from "../grounding/claim.ts";

/** Decides what to do. It has no knowledge of particular sites, only observations. */
export interface Planner {
  readonly name: string;
  /** Whether it asks a model, and so may find a way where steps do not. */
  readonly asksModel?: boolean;
  /** Interprets the task before any page is opened. Throws PlannerRefusal when it cannot. */
  plan(task: Task, context: PlanContext): Promise<Plan>;
}

/** What a planner gets besides the task. */
export interface PlanContext {
  /** Counts what its model spends. */
  readonly meter: CostMeter;
  readonly findOutputProblems: FindOutputProblems;
  readonly signal: AbortSignal;
}

export interface Plan {
  /** Where to start. Null: at the task's `startUrl`, if it has one. */
  readonly startUrl: string | null;
  /** How the task was understood: one line for each thing to do or to find out. */
  readonly outline: readonly string[];
  /** Whether the task itself names every action: then it asks for all that they send. */
  readonly isExplicit?: boolean;
  /** The steps that are followed; absent when a model decides. */
  readonly steps?: readonly object[] | undefined;
  /** Whether the task itself says how to sign in: then a sign-in form is no obstacle. */
  readonly signsIn: boolean;
  /** Called before the first turn with what must be true at the end, derived from the prompt alone. */
  setCriteria?(criteria: readonly Criterion[]): void;
  next(turn: Turn): Promise<Decision>;
  /** Before the first turn: others began the task, and this is what they did and why they stopped. */
  takeOver?(report: string): void;
  /** Takes the verifier's objection into account; `next` continues from there. Plans without it get no second chance. */
  reconsider?: ((objection: string) => void) | undefined;
}

export interface Turn {
  readonly observation: Observation;
  /** On the calls of the last decision, in order. Only the last report can have a failure. */
  readonly reports: readonly ActionReport[];
  readonly stepsLeft: number;
  /** The share of its steps, time or tokens that the run has used, whichever is largest: 1 is all of it. */
  readonly spent: number;
  /** Asks the user, and waits. The answer is null when nobody gave one. Absent when nobody can be asked. */
  readonly askPerson?: (question: Question) => Promise<string | null>;
  /** Null when the page cannot be rendered. */
  readonly takeScreenshot: () => Promise<Screenshot | null>;
  readonly signal: AbortSignal;
}

/** What neither the task nor the site says. */
export interface Question {
  readonly question: string;
  /** Empty when any text is fine. */
  readonly options: readonly string[];
  /** For a one-time code: the planner gets a placeholder for the answer. */
  readonly isSecret: boolean;
}

export type Decision =
  /** Up to five calls. They stop at a failure, a navigation, a new tab or a dialog. `why` is shown to people. */
  | { readonly kind: "act"; readonly calls: readonly ActionCall[]; readonly why: string }
  | { readonly kind: "done"; readonly claim: Claim }
  | { readonly kind: "give_up"; readonly failure: Failure; readonly code: ExecutionErrorCode; readonly reason: string };

/** The planner does not understand the task, or it is too vague to act on as a user. Nothing has been done. */
export class PlannerRefusal extends Error {}
