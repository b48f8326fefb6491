import type { Observation } from "../../browser/observation/observation.ts";
import type { Failure } from "../../contract/execution.ts";
import type { CostMeter } from "../../models/usage.ts";
import type { ActionCall, ActionReport } from "../actions/action.ts";
import type { Claim, Criterion, FindOutputProblems, Picture, Task } from "../grounding/claim.ts";

/** Decides what to do. It knows no site: what it knows of one stands in the observations. */
export interface Planner {
  readonly name: string;
  /** Understands the task before any page is looked at. Throws PlannerRefusal when it does not. */
  plan(task: Task, means: PlanContext): Promise<Plan>;
}

/** What a planner is given beside the task. */
export interface PlanContext {
  /** What must be true at the end, in words made from the prompt alone; empty when nobody could say. */
  readonly criteria: readonly Criterion[];
  /** Counts what its model costs. */
  readonly meter: CostMeter;
  /** What is wrong with data under the `output_schema`; empty when nothing is. */
  readonly findOutputProblems: FindOutputProblems;
  readonly signal: AbortSignal;
}

export interface Plan {
  /** Where to start when the task names no address of its own; null when there is nowhere to go. */
  readonly startUrl: string | null;
  /** What was understood, one line for each thing that will be done or found out. */
  readonly outline: readonly string[];
  /** Whether the task itself says how to sign in: then a sign-in form is work, and not a wall. */
  readonly signsIn: boolean;
  next(turn: Turn): Promise<Decision>;
  /** Takes up what the verifier objected to, so that `next` goes on from there. A plan without it has said its last word. */
  reconsider?(objection: string): void;
}

export interface Turn {
  readonly observation: Observation;
  /** On what the last decision asked for, in order; a report with a failure is the last one. */
  readonly reports: readonly ActionReport[];
  readonly stepsLeft: number;
  /** How much of its steps, time or tokens the run has used, whichever is most: 1 is all of it. */
  readonly spent: number;
  /** What is to be seen now, as a picture; null when the page cannot be drawn. */
  readonly takePicture: () => Promise<Picture | null>;
  readonly signal: AbortSignal;
}

export type Decision =
  /** Up to five; they stop at a failure, a navigation, a new tab or a dialog. `why` is for the people who follow the run. */
  | { readonly kind: "act"; readonly calls: readonly ActionCall[]; readonly why: string }
  | { readonly kind: "done"; readonly claim: Claim }
  | { readonly kind: "give_up"; readonly failure: Failure; readonly code: string; readonly reason: string };

/** The task is not understood, or is not clear enough to act on with somebody's sign-in. Nothing has been done. */
export class PlannerRefusal extends Error {}
