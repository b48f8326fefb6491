import { type Static, type TSchema, Type } from "typebox";
import type { Observation } from "../../browser/observation/observation.ts";
import { type PinnedElement, StaleElement } from "../../browser/observation/pin-element.ts";
import type { FieldPlace } from "../../browser/observation/twin-fields.ts";
import {
  type BrowserSession,
  NavigationFailed,
  PolicyRefusal,
  type SessionEvents,
} from "../../browser/session/browser-session.ts";

/** read: only reads; local: changes only the page; navigate: opens another page; mutate: may change the site. */
export type EffectClass = "read" | "local" | "navigate" | "mutate";

export interface ActionContext {
  readonly session: BrowserSession;
  /** The observation that the planner decided on. */
  readonly observation: Observation;
  readonly signal: AbortSignal;
  /** The element behind the input's `ref`, checked against its `label`. Null for actions without a ref. */
  readonly element: PinnedElement | null;
}

/** Something a planner can do. One file per action. No action runs a script that the planner wrote. */
export interface Action<Input extends TSchema = TSchema> {
  readonly name: string;
  /** For the model: what the name and the inputs do not say. */
  readonly description: string;
  readonly input: Input;
  readonly effect: EffectClass;
  /** How long it may take; ten seconds by default. */
  readonly deadlineMs?: number;
  /** Returns what was read, null for other actions. Throws ActionFailed. */
  run(input: Static<Input>, context: ActionContext): Promise<unknown>;
}

/** The action could not be performed. The message tells the planner why, and what to try. */
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
  | "commit"
  | "navigation_failed";

/** A call that a planner makes. The input is checked against the action's schema before anything happens. */
export interface ActionCall {
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What it makes that lasts, in one sentence, as the planner declares it. */
  readonly commit?: string;
}

/** Decides what an action may send to the site. */
export interface CallGate {
  /** Before the action. Throws ActionFailed when it must not be performed. */
  admit(call: ActionCall, observation: Observation, signal: AbortSignal): Promise<void>;
  /** When its consequences have settled. Returns what was held back; null when nothing was. */
  end(after: Observation): HeldBack | null;
}

/** A request that an action set off and that was not sent. */
export interface HeldBack {
  readonly message: string;
  /** Whether the action has failed by it. It may also be something that the page does by itself. */
  readonly fails: "always" | "without change" | "never";
}

/** What an action changed. */
export interface ActionReport {
  readonly call: ActionCall;
  /** Where the field of the call stood, among others of its label; null when the call is for no field. */
  readonly place: FieldPlace | null;
  /** What the page wanted to send and was not allowed to; null when there was nothing. */
  readonly heldBack: string | null;
  readonly failure: { readonly kind: ActionFailure; readonly message: string } | null;
  /** What was read; null for actions that do not read. */
  readonly data: unknown;
  readonly urlBefore: string;
  readonly urlAfter: string;
  /** Lines of the page that appeared and disappeared, in the notation of observations. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly events: SessionEvents;
  /** The request that the action waited for without getting a response; null when there was none. */
  readonly unanswered: UnansweredRequest | null;
}

export interface UnansweredRequest {
  readonly method: string;
  readonly url: string;
  readonly waitedMs: number;
}

/** Input of every action on one element: which one, and what the planner takes it for. */
export const elementInput = {
  ref: Type.String({
    minLength: 1,
    maxLength: 40,
    description: "The ref of the element in the newest observation, such as e12.",
  }),
  label: Type.String({
    maxLength: 1000,
    description: "The name of that element as you read it. If the element has another name, nothing is done.",
  }),
};

/** For actions that work without an element too. */
export const optionalElementInput = {
  ref: Type.Optional(elementInput.ref),
  label: Type.Optional(elementInput.label),
};

/** The failure as the planner gets it. Null for errors that are not an action's failure: the caller rethrows them. */
export function toActionFailure(error: unknown): { kind: ActionFailure; message: string } | null {
  if (error instanceof ActionFailed) return { kind: error.kind, message: error.message };
  if (error instanceof StaleElement) return { kind: "stale", message: error.message };
  if (error instanceof PolicyRefusal) return { kind: "policy", message: error.message };
  if (error instanceof NavigationFailed) return { kind: "navigation_failed", message: error.message };
  if (isTimeout(error)) return { kind: "timeout", message: "The page did not react in time." };
  if (isGone(error))
    return { kind: "stale", message: "The element disappeared while it was being used. Observe the page again." };
  if (isFromBrowser(error)) return { kind: "no_effect", message: `The page prevented the action: ${firstLine(error)}` };
  return null;
}

/** Playwright and its error classes are loaded lazily, so its errors are recognized by name and message. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** Whether the element, its frame, its page or its script context no longer exists. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && GONE.test(error.message);
}

/** Whether the error comes from Playwright, so it is about the page and not our bug. */
export function isFromBrowser(error: unknown): error is Error {
  return error instanceof Error && FROM_BROWSER.test(error.message);
}

/** Without the call log, which repeats typed text, secrets included. */
function firstLine(error: Error): string {
  const [line = ""] = error.message.split("\n");
  return line.replace(FROM_BROWSER, "").replace(/^Error: /, "");
}

const GONE =
  /not attached|not connected|was detached|has been detached|context was destroyed|has been closed|Cannot find context|Unable to adopt|because of a navigation|JSHandle is disposed/;

const FROM_BROWSER = /^(elementHandle|jsHandle|page|frame|locator|mouse|keyboard|fileChooser|browserContext)\.\w+: /i;
