import { type RefObject, useEffect, useRef, useState } from "react";
import { ConsoleError } from "../api/client.ts";

interface DraftForm<Draft> {
  form: RefObject<HTMLFormElement | null>;
  draft: Draft;
  errors: FieldErrors<Extract<keyof Draft, string>>;
  change: (changes: Partial<Draft>) => void;
  reset: (draft: Draft) => void;
}

/** The values being edited and the errors the service returned. The first invalid field gets the focus. */
export function useDraftForm<Draft extends object>(
  initial: Draft,
  error: Error | null,
  fields: Readonly<Record<string, Extract<keyof Draft, string>>>,
): DraftForm<Draft> {
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(initial);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return {
    form,
    draft,
    errors: groupByField(error, fields),
    change: (changes) => setDraft((before) => ({ ...before, ...changes })),
    reset: setDraft,
  };
}

export interface FieldErrors<Field extends string> {
  byField: Partial<Record<Field, string>>;
  /** Belongs to no field, such as an unreachable service. */
  other: Error | null;
}

/** Assigns error details to form fields; `fields` maps API names to them. An error in a list entry belongs to the list. */
export function groupByField<Field extends string>(
  error: Error | null,
  fields: Readonly<Record<string, Field>>,
): FieldErrors<Field> {
  const details = error instanceof ConsoleError ? error.details : [];
  const byField: Partial<Record<Field, string>> = {};
  for (const { path, message } of details) {
    const field = fields[/[a-z_]+/.exec(path)?.[0] ?? ""];
    if (field === undefined) return { byField: {}, other: error };
    const sentence = message.replace(/^must /, "It must ");
    byField[field] = byField[field] === undefined ? sentence : `${byField[field]}\n${sentence}`;
  }
  return { byField, other: details.length === 0 ? error : null };
}
