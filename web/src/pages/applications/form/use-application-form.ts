import { type RefObject, useEffect, useRef, useState } from "react";
import type { ApplicationDraft } from "./application-draft.ts";
import { type FieldMistakes, sortMistakes } from "./field-mistakes.ts";

interface ApplicationForm {
  form: RefObject<HTMLFormElement | null>;
  draft: ApplicationDraft;
  mistakes: FieldMistakes;
  change: (changes: Partial<ApplicationDraft>) => void;
  reset: (draft: ApplicationDraft) => void;
}

/** What is being written, and what was refused about it: the first field of which gets the focus. */
export function useApplicationForm(initial: ApplicationDraft, error: Error | null): ApplicationForm {
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(initial);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return {
    form,
    draft,
    mistakes: sortMistakes(error),
    change: (changes) => setDraft((before) => ({ ...before, ...changes })),
    reset: setDraft,
  };
}
