import { isSamePage } from "../captured-pages.ts";
import type { StepCause } from "../side-effects.ts";

/** Something that a step put into a field. */
export interface Entry {
  readonly step: number;
  /** The page that the field stood on. */
  readonly url: string;
  readonly label: string;
  /** "checked" or "unchecked" for a box. */
  readonly value: string;
}

/** Of one length in every report, and nothing to compare with. */
const MASKED = /^•+$/;

/** What each field was given last, secrets left out. */
export function findEntries(steps: readonly StepCause[]): Entry[] {
  const entries = steps.flatMap(toEntry);
  return entries.filter(
    (entry, index) =>
      !MASKED.test(entry.value) &&
      !entries.slice(index + 1).some(({ url, label }) => label === entry.label && isSamePage(url, entry.url)),
  );
}

function toEntry({ step, url, call: { action, input }, hasFailed }: StepCause): Entry[] {
  const { label } = input;
  if (hasFailed || typeof label !== "string" || label === "") return [];
  const value = enteredBy(action, input);
  return value === null ? [] : [{ step, url, label, value }];
}

function enteredBy(action: string, { text, options, checked }: StepCause["call"]["input"]): string | null {
  if (action === "fill" && typeof text === "string") return text;
  if (action === "select" && Array.isArray(options)) return options.join(", ");
  if (action === "check" && typeof checked === "boolean") return checked ? "checked" : "unchecked";
  return null;
}
