import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import type { BrowserSession } from "../../browser/session/browser-session.ts";
import { type ActionContext, ActionFailed, isTimeout } from "./action.ts";
import { quote, toPlain } from "./plain-text.ts";

/** The element behind a ref, if it is the one that the planner believes it is. */
export async function pinElement(
  session: BrowserSession,
  { ref, label }: { ref: string; label: string | undefined },
): Promise<PinnedElement> {
  const element = await session.pin(ref);
  if (label !== undefined && !isSameLabel(label, element.name)) {
    throw new ActionFailed(
      "stale",
      `${ref} is the ${element.role} ${quote(element.name)} and not ${quote(label)}. Look again and use the right ref.`,
    );
  }
  return element;
}

/** Names are long and planners shorten them, so one may contain the other. What has no name may be called anything. */
function isSameLabel(believed: string, actual: string): boolean {
  const [ours, theirs] = [believed, actual].map((text) => toPlain(text.replace(/…\s*$/, "")));
  if (ours === undefined || theirs === undefined || ours === "" || theirs === "") return true;
  return ours.includes(theirs) || theirs.includes(ours);
}

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
