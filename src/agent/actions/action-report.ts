import type { SessionEvents } from "../../browser/session/browser-session.ts";
import type { ActionFailure } from "./action.ts";

/** What a planner asks for. The input is checked against the action's schema before anything happens. */
export interface ActionCall {
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What an action did: not whether it ran, but what is different now. */
export interface ActionReport {
  readonly call: ActionCall;
  readonly failure: { readonly kind: ActionFailure; readonly message: string } | null;
  /** What an action that reads has read. */
  readonly data: unknown;
  readonly urlBefore: string;
  readonly urlAfter: string;
  /** Lines of the page that came and went, in the form in which observations are written. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly events: SessionEvents;
}
