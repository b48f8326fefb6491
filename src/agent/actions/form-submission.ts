import type { ElementHandle, JSHandle } from "playwright-core";
import { ActionFailed, isGone } from "./action.ts";
import { quote } from "./plain-text.ts";

/** The browser's own validation message for a field. */
interface ValidationError {
  readonly field: string;
  readonly message: string;
}

/**
 * Runs an action that may submit a form, and fails when the browser's own validation prevents the submission. Its message
 * is not part of the page: without this check, a form that was never sent looks like one that was sent.
 */
export async function requireSubmission(handle: ElementHandle<Element>, act: () => Promise<void>): Promise<void> {
  const watch = await handle.evaluateHandle(watchForm);
  try {
    await act();
    const error = await readValidationError(watch);
    if (error !== null) throw toFailure(error);
  } finally {
    // Not awaited: an open dialog would block it.
    watch.dispose().catch(() => undefined);
  }
}

/** Also null when the page is gone: then the form was sent. */
async function readValidationError(watch: JSHandle<ReturnType<typeof watchForm>>): Promise<ValidationError | null> {
  try {
    return await watch.evaluate((watcher) => watcher?.stop() ?? null);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

function toFailure({ field, message }: ValidationError): ActionFailed {
  const where = field === "" ? "a field" : quote(field);
  return new ActionFailed(
    "no_effect",
    `The browser did not submit the form because of ${where}: ${quote(message, 200)} Fill it in first.`,
  );
}

/** Runs in the page. Null when the element belongs to no form. */
function watchForm(element: Element): { stop(): ValidationError | null } | null {
  const form = "form" in element && element.form instanceof HTMLFormElement ? element.form : null;
  if (form === null) return null;
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
    stop() {
      root.removeEventListener("invalid", onInvalid, true);
      root.removeEventListener("submit", onSubmit, true);
      return isSubmitted ? null : error;
    },
  };
}
