import { type Observation, walk } from "../../browser/observation/observation.ts";
import { type FieldPlace, isSamePlace } from "../../browser/observation/twin-fields.ts";
import type { SessionEvents } from "../../browser/session/browser-session.ts";
import type { ActionCall } from "../actions/action.ts";
import type { AttributedWrite, StepCause } from "../actions/side-effects.ts";
import { type CapturedPage, type CapturedPages, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim, Task } from "../grounding/claim.ts";

/** A claim, the task it is checked against, and everything that was observed. */
export interface Case {
  readonly task: Task;
  readonly claim: Claim;
  /** The run's own tab, as it is now. */
  readonly live: Observation;
  /** What the run has seen. */
  readonly captured: CapturedPages;
  /** What the verification context shows now. */
  readonly freshPages: readonly FreshPage[];
  readonly steps: readonly StepCause[];
  readonly writes: readonly AttributedWrite[];
  /** What happened in the browser during the run. */
  readonly events: Pick<SessionEvents, "requests" | "downloads" | "dialogs">;
}

/** A page loaded again after the run, in a verification context; `page` is null when it could not be loaded. */
export interface FreshPage {
  readonly url: string;
  readonly page: CapturedPage | null;
  readonly observation: Observation | null;
  /** Why there is no page, or that the site redirected to another one. */
  readonly note: string | null;
  /** Whether the site says that there is no such page any more, or shows another one instead. */
  readonly isGone?: boolean;
  /** What was clicked there, because the page shows only then what the claim cites. */
  readonly clicked?: readonly string[];
}

/** Whether the page has a field for a secret: one signs in there. */
export function hasSecretField(url: string, captured: CapturedPages): boolean {
  const pages = captured.list().filter((page) => isSamePage(page.url, url));
  return pages.some(({ root }) => walk(root).some(({ node }) => node.field?.isSecret === true));
}

/** What a page showed, once it had loaded, before the run did anything on it. */
export function findUntouched(url: string, { steps, captured }: Pick<Case, "steps" | "captured">) {
  const first = steps.find((step) => step.effect === "mutate" && isSamePage(step.url, url));
  return captured.before(url, first?.seen ?? null);
}

export function findFreshPage(pages: readonly FreshPage[], url: string): FreshPage | undefined {
  return pages.find((page) => isSamePage(page.url, url));
}

/** A value that a step entered into a field. */
export interface Entry {
  readonly step: number;
  /** The page of the field. */
  readonly url: string;
  readonly label: string;
  /** Which of the fields with this label it is; null when that is not known. */
  readonly place: FieldPlace | null;
  /** "checked" or "unchecked" for a check box. */
  readonly value: string;
  readonly kind: "text" | "choice" | "checked" | "unchecked";
  /** Whether the field holds more than the value, because only a part of its text was changed. */
  readonly isPart: boolean;
  /** What must be found where it was sent: the lines of a text, the chosen options. */
  readonly parts: readonly string[];
}

/** Masked values all look the same, so they cannot be compared. */
const MASKED = /^•+$/;

/** The last value entered into each field, without secrets and without fields that have no label. */
export function findEntries(steps: readonly StepCause[]): Entry[] {
  return findAllEntries(steps).filter(({ label }) => label !== "");
}

/** The same with the last field that has no label. */
export function findAllEntries(steps: readonly StepCause[]): Entry[] {
  const entries = steps.flatMap(toEntry);
  return entries.filter(
    (entry, index) => !MASKED.test(entry.value) && !entries.slice(index + 1).some((later) => isSameField(later, entry)),
  );
}

type FieldName = Pick<Entry, "url" | "label"> & { readonly place?: FieldPlace | null };

/** Whether two entries or conditions are about the same field: fields of other rows and sections may have its label. */
function isSameField(one: FieldName, other: FieldName): boolean {
  return one.label === other.label && isSamePage(one.url, other.url) && isSamePlace(one.place, other.place);
}

function toEntry({ step, url, call, place = null, hasFailed }: StepCause): Entry[] {
  const entered = hasFailed ? null : enteredBy(call);
  return entered === null ? [] : [{ step, url, label: labelOf(call), place, ...entered }];
}

function enteredBy({
  action,
  input: { text, options, checked },
}: ActionCall): Omit<Entry, "step" | "url" | "label" | "place"> | null {
  if ((action === "fill" || action === "edit") && typeof text === "string") {
    return { kind: "text", value: text, isPart: action === "edit", parts: toParts(text) };
  }
  if (action === "select" && Array.isArray(options)) {
    return { kind: "choice", value: options.join(", "), isPart: false, parts: options.map(String) };
  }
  if (action !== "check" || typeof checked !== "boolean") return null;
  const kind = checked ? "checked" : "unchecked";
  return { kind, value: kind, isPart: false, parts: [] };
}

/** Longer texts are recorded only in part. */
export const MAX_COMPARED = 2_000;

/** Editors send each line as a paragraph of its own. */
function toParts(text: string): string[] {
  const lines = text.slice(0, MAX_COMPARED).split(/\r?\n/);
  return lines.map((line) => line.trim()).filter(Boolean);
}

const ENTRY_ACTIONS: ReadonlySet<string> = new Set(["fill", "edit", "check", "select"]);

/** Whether an action enters something into a field. */
export function isEntry({ action }: ActionCall): boolean {
  return ENTRY_ACTIONS.has(action);
}

/** The label of the element that an action is for; empty when it has none. */
export function labelOf({ input: { label } }: ActionCall): string {
  return typeof label === "string" ? label : "";
}

/** What an action does and to which element. Refs are left out: they are only good for one observation. */
export function identityOf(call: ActionCall): string {
  const { ref: _ref, to_ref: _toRef, ...rest } = call.input;
  return JSON.stringify([call.action, labelOf(call) || rest]);
}
