import type { Observation } from "../../browser/observation/observation.ts";
import type { Failure } from "../../contract/execution.ts";
import type { CostMeter } from "../../models/usage.ts";
import type { ActionCall, ActionReport } from "../actions/action.ts";
import type { Criterion, Extraction, Fact } from "../grounding/claim.ts";

/** What is asked for. All of it comes from the caller; nothing of it from a page. */
export interface Task {
  readonly prompt: string;
  readonly startUrl: string | null;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  /** For "today", "next Friday". */
  readonly now: Date;
}

/** Decides what to do. It knows no site: what it knows of one stands in the observations. */
export interface Planner {
  readonly name: string;
  /** Understands the task before any page is looked at. Throws PlannerRefusal when it does not. */
  plan(task: Task, means: PlanContext): Promise<Plan>;
}

/** Neither the schema nor the data can be trusted to be harmless. */
export type FindOutputProblems = (
  schema: Readonly<Record<string, unknown>>,
  data: unknown,
) => Promise<readonly string[]>;

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

export interface Picture {
  readonly data: Buffer;
  readonly contentType: string;
}

export type Decision =
  /** Up to five; they stop at a failure, a navigation, a new tab or a dialog. `why` is for the people who follow the run. */
  | { readonly kind: "act"; readonly calls: readonly ActionCall[]; readonly why: string }
  | { readonly kind: "done"; readonly claim: Claim }
  | { readonly kind: "give_up"; readonly failure: Failure; readonly code: string; readonly reason: string };

/** What a planner says it has achieved, in a form that code can check. */
export interface Claim {
  /** The answer in words. Every fact it rests on stands in `facts`. */
  readonly answer: string;
  readonly facts: readonly Fact[];
  readonly extraction: Extraction | null;
  readonly conditions: readonly Condition[];
}

/** What must be so at the end for the claim to be true. */
export type Condition =
  /** The text stands on the page at this address. */
  | { readonly kind: "text"; readonly url: string; readonly text: string; readonly about: string }
  /** The field with this label holds the value, on the page at this address. */
  | {
      readonly kind: "field";
      readonly url: string;
      readonly label: string;
      readonly value: string;
      /** Whether it was submitted, so that a fresh look at the page should show it too. */
      readonly isSaved: boolean;
      readonly about: string;
    }
  /** The last tab shows this address, compared without fragment. */
  | { readonly kind: "address"; readonly url: string; readonly about: string }
  /** Known from the reports of the actions themselves: `holds` says how it came out. */
  | { readonly kind: "step"; readonly holds: boolean; readonly about: string };

/** The task is not understood, or is not clear enough to act on with somebody's sign-in. Nothing has been done. */
export class PlannerRefusal extends Error {}
