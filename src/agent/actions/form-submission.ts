import type { PageElement } from "../../browser/observation/page-element.ts";
import { ActionFailed, isGone } from "./action.ts";
import { quote } from "./plain-text.ts";

/** The browser's own validation message for a field. */
export interface ValidationError {
  readonly field: string;
  readonly message: string;
}

/**
 * Runs an action that may submit a form, and fails when the browser's own validation prevents the submission. Its message
 * is not part of the page: without this check, a form that was never sent looks like one that was sent.
 */
export async function requireSubmission(handle: PageElement, act: () => Promise<void>): Promise<void> {
  const watch = await handle.begin(watchForm);
  await act();
  assertSubmitted(await endUnlessGone(watch));
}

/** Null when the page is gone: then the form was sent. */
export async function endUnlessGone<End>(watch: { end(): Promise<End> }): Promise<End | null> {
  try {
    return await watch.end();
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

export function assertSubmitted(error: ValidationError | null): void {
  if (error === null) return;
  const where = error.field === "" ? "a field" : quote(error.field);
  throw new ActionFailed(
    "no_effect",
    `The browser did not submit the form because of ${where}: ${quote(error.message, 200)} Fill it in first.`,
  );
}

/** Runs in the page. At the end says what has prevented the form of the element from being submitted. */
export function watchForm(element: Element): { now: null; end(): ValidationError | null } {
  const form = "form" in element && element.form instanceof HTMLFormElement ? element.form : null;
  if (form === null) return { now: null, end: () => null };
  let error: ValidationError | null = null;
  let isSubmitted = false;
  const onInvalid = ({ target }: Event) => {
    const field = target as HTMLInputElement;
    if (error !== null || field.form !== form) return;
    const name = field.labels?.[0]?.textContent ?? field.ariaLabel ?? field.placeholder ?? field.name;
    error = { field: name.replace(/\s+/g, " ").trim().slice(0, 80), message: String(field.validationMessage) };
  };
  const onSubmit = () => {
    isSubmitted = true;
  };
  // In the capturing phase, so that a page cannot stop the events before they arrive here.
  const root = form.getRootNode();
  root.addEventListener("invalid", onInvalid, true);
  root.addEventListener("submit", onSubmit, true);
  return {
    now: null,
    end() {
      root.removeEventListener("invalid", onInvalid, true);
      root.removeEventListener("submit", onSubmit, true);
      return isSubmitted ? null : error;
    },
  };
}
