import type { ElementHandle, JSHandle } from "playwright-core";
import { ActionFailed, isGone } from "./action.ts";
import { quote } from "./plain-text.ts";

interface Complaint {
  readonly field: string;
  readonly message: string;
}

/**
 * Does what may send a form, and fails when the browser itself holds the form back: its bubble over a missing field is
 * no part of the page, so without this a form that was never sent looks like one that was sent in silence.
 */
export async function requireSubmission(handle: ElementHandle<Element>, act: () => Promise<void>): Promise<void> {
  const watch = await handle.evaluateHandle(watchForm);
  try {
    await act();
    const complaint = await readComplaint(watch);
    if (complaint !== null) throw toFailure(complaint);
  } finally {
    // Not awaited: a dialog that has opened would hold it.
    watch.dispose().catch(() => undefined);
  }
}

/** Null also when the page has gone away: then the form was sent, or never had to be. */
async function readComplaint(watch: JSHandle<ReturnType<typeof watchForm>>): Promise<Complaint | null> {
  try {
    return await watch.evaluate((seen) => seen?.stop() ?? null);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

function toFailure({ field, message }: Complaint): ActionFailed {
  const where = field === "" ? "a field" : quote(field);
  return new ActionFailed(
    "no_effect",
    `The browser did not send the form because of ${where}: ${quote(message, 200)} Fill it in first.`,
  );
}

/** Runs in the page. Null when there is no form that the element could send. */
function watchForm(element: Element): { stop(): Complaint | null } | null {
  const form = "form" in element && element.form instanceof HTMLFormElement ? element.form : null;
  if (form === null) return null;
  let complaint: Complaint | null = null;
  let isSent = false;
  const complain = ({ target }: Event) => {
    const field = target as HTMLInputElement;
    if (complaint !== null || field.form !== form) return;
    const name = field.labels?.[0]?.textContent ?? field.ariaLabel ?? field.placeholder ?? field.name;
    complaint = { field: name.replace(/\s+/g, " ").trim().slice(0, 80), message: String(field.validationMessage) };
  };
  const send = () => {
    isSent = true;
  };
  // Neither goes through a page that stops events: both are caught on their way down.
  const root = form.getRootNode();
  root.addEventListener("invalid", complain, true);
  root.addEventListener("submit", send, true);
  return {
    stop() {
      root.removeEventListener("invalid", complain, true);
      root.removeEventListener("submit", send, true);
      return isSent ? null : complaint;
    },
  };
}
