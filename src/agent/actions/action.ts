import type { Static, TSchema } from "typebox";
import type { Observation } from "../../browser/observation/observation.ts";
import type { BrowserSession, PinnedElement } from "../../browser/session/browser-session.ts";

/** read looks, local changes only the page, navigate goes elsewhere, mutate may change something on the site. */
export type EffectClass = "read" | "local" | "navigate" | "mutate";

export interface ActionContext {
  readonly session: BrowserSession;
  /** What the planner saw when it decided. */
  readonly observation: Observation;
  readonly signal: AbortSignal;
  /** The element behind the input's `ref`, checked to be what the planner believes it is; for actions with a ref. */
  readonly element: PinnedElement | null;
}

/** One thing that a planner can do. There is one file per action; none runs script of the planner's. */
export interface Action<Input extends TSchema = TSchema> {
  readonly name: string;
  /** For the model, and for the documentation. */
  readonly description: string;
  readonly input: Input;
  readonly effect: EffectClass;
  /** How long it may take; ten seconds where nothing is said. */
  readonly deadlineMs?: number;
  /** What was read, for actions that read; else null. Throws ActionFailed with what to do about it. */
  run(input: Static<Input>, context: ActionContext): Promise<unknown>;
}

/** It could not be done: the message tells the planner why, and what it may try. */
export class ActionFailed extends Error {
  readonly kind: ActionFailure;

  constructor(kind: ActionFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export type ActionFailure =
  | "invalid_input"
  | "stale"
  | "covered"
  | "disabled"
  | "not_found"
  | "no_effect"
  | "timeout"
  | "policy"
  | "dialog_open"
  | "navigation_failed";
