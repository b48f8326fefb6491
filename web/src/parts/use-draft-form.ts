import { type RefObject, useEffect, useRef, useState } from "react";
import { type FieldMistakes, sortMistakes } from "./field-mistakes.ts";

interface DraftForm<Draft> {
  form: RefObject<HTMLFormElement | null>;
  draft: Draft;
  mistakes: FieldMistakes<Extract<keyof Draft, string>>;
  change: (changes: Partial<Draft>) => void;
  reset: (draft: Draft) => void;
}

/** What is being written, and what was refused about it: the first field of which gets the focus. */
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
    mistakes: sortMistakes(error, fields),
    change: (changes) => setDraft((before) => ({ ...before, ...changes })),
    reset: setDraft,
  };
}
