import { type Static, type TSchema, Type } from "typebox";
import type { Observation } from "../../browser/observation/observation.ts";
import { type PinnedElement, StaleElement } from "../../browser/observation/pin-element.ts";
import {
  type BrowserSession,
  NavigationFailed,
  PolicyRefusal,
  type SessionEvents,
} from "../../browser/session/browser-session.ts";

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

type ActionFailure =
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

/** What every action on one element is told: which one, and what the planner believes that it is. */
export const elementInput = {
  ref: Type.String({
    minLength: 1,
    maxLength: 40,
    description: "The ref of the element in the newest observation, such as e12.",
  }),
  label: Type.String({
    maxLength: 1000,
    description: "The name of that element as you read it. If the element is called otherwise, nothing is done.",
  }),
};

/** For actions that can do without an element. */
export const optionalElementInput = {
  ref: Type.Optional(elementInput.ref),
  label: Type.Optional(elementInput.label),
};

/** What went wrong, as a planner is told it. Null: not of a kind that an action can end in, so it goes on up. */
export function toActionFailure(error: unknown): { kind: ActionFailure; message: string } | null {
  if (error instanceof ActionFailed) return { kind: error.kind, message: error.message };
  if (error instanceof StaleElement) return { kind: "stale", message: error.message };
  if (error instanceof PolicyRefusal) return { kind: "policy", message: error.message };
  if (error instanceof NavigationFailed) return { kind: "navigation_failed", message: error.message };
  if (isTimeout(error)) return { kind: "timeout", message: "The page did not let it be done in time." };
  if (isGone(error)) return { kind: "stale", message: "The element went away while it was being used. Look again." };
  if (isFromBrowser(error))
    return { kind: "no_effect", message: `The page did not let it be done: ${firstLine(error)}` };
  return null;
}

/** Playwright is loaded late, and its error classes with it, so errors are told apart by what they say. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** The element, its frame, its page or its script context is no more: what an action on it was about to do is moot. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && GONE.test(error.message);
}

/** It comes from the browser library, so it is about the page and no mistake of ours. */
export function isFromBrowser(error: unknown): error is Error {
  return error instanceof Error && FROM_BROWSER.test(error.message);
}

/** Without the call log, which repeats what was typed, secrets included. */
function firstLine(error: Error): string {
  const [line = ""] = error.message.split("\n");
  return line.replace(FROM_BROWSER, "").replace(/^Error: /, "");
}

const GONE =
  /not attached|not connected|was detached|has been detached|context was destroyed|has been closed|Cannot find context|Unable to adopt|because of a navigation|JSHandle is disposed/;

const FROM_BROWSER = /^(elementHandle|jsHandle|page|frame|locator|mouse|keyboard|fileChooser|browserContext)\.\w+: /i;
