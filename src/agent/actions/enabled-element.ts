import type { PinnedElement } from "../../browser/session/browser-session.ts";
import { type ActionContext, ActionFailed } from "./action.ts";
import { quote } from "./plain-text.ts";
import { isTimeout } from "./playwright-error.ts";

/** Some forms enable their button a moment after the last field is right. */
const PATIENCE_MS = 1000;

/** The element of the call. Only for actions whose input demands a ref. */
export function getElement({ element }: ActionContext): PinnedElement {
  if (element === null) throw new ActionFailed("invalid_input", "This action needs a ref.");
  return element;
}

/** The element of the call, if it can be used; `disabled` otherwise. */
export async function getEnabledElement(context: ActionContext): Promise<PinnedElement> {
  const element = getElement(context);
  try {
    await element.handle.waitForElementState("enabled", { timeout: PATIENCE_MS, signal: context.signal });
    return element;
  } catch (error) {
    if (!isTimeout(error)) throw error;
    // On a busy machine the answer alone may take longer than that.
    if (!(await element.handle.isDisabled())) return element;
    const what = `The ${element.role} ${quote(element.name)} is disabled.`;
    throw new ActionFailed("disabled", `${what} Something else has to be filled in or chosen first.`);
  }
}
