import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import type { BrowserSession } from "../../browser/session/browser-session.ts";
import { type ActionContext, ActionFailed, isTimeout } from "./action.ts";
import { quote, toPlain } from "./plain-text.ts";

/** The element behind a ref, if its name is the one the planner expects. */
export async function pinElement(
  session: BrowserSession,
  { ref, label }: { ref: string; label: string | undefined },
): Promise<PinnedElement> {
  const element = await session.pin(ref);
  if (label !== undefined && !isSameLabel(label, element)) {
    const name = element.name === "" ? (element.text ?? "") : element.name;
    throw new ActionFailed(
      "stale",
      `${ref} is the ${element.role} ${quote(name)}, not ${quote(label)}. Use the right ref of the newest page.`,
    );
  }
  return element;
}

/**
 * Planners shorten long names, so one may contain the other. Of an element that is shown by its content, such as a row, they
 * name some of the content, or only say what it is. An element without any words matches any label.
 */
function isSameLabel(label: string, { role, name, text = "" }: PinnedElement): boolean {
  const expected = toPlain(label.replace(/…\s*$/, ""));
  const [actual, content] = [toPlain(name), toPlain(text)];
  if (expected === "" || (actual === "" && content === "")) return true;
  if (actual !== "" && (expected.includes(actual) || actual.includes(expected))) return true;
  if (expected === role || expected === `clickable ${role}`) return actual === "" || actual === content;
  const words = expected.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.every((word) => content.includes(word));
}

/** Some forms enable their button a moment after the last field is valid. */
const PATIENCE_MS = 1000;

/** The element of the call. For actions whose input requires a ref. */
export function getElement({ element }: Pick<ActionContext, "element">): PinnedElement {
  if (element === null) throw new ActionFailed("invalid_input", "This action needs a ref.");
  return element;
}

/** The element of the call; fails as disabled when it does not become enabled. */
export async function getEnabledElement(context: Pick<ActionContext, "element" | "signal">): Promise<PinnedElement> {
  const element = getElement(context);
  if (await element.handle.evaluate(isSurelyEnabled)) return element;
  const handle = await element.handle.toHandle();
  try {
    await handle.waitForElementState("enabled", { timeout: PATIENCE_MS, signal: context.signal });
    return element;
  } catch (error) {
    if (!isTimeout(error)) throw error;
    // On a busy machine the check alone may take longer than the timeout.
    if (!(await handle.isDisabled())) return element;
    const what = `The ${element.role} ${quote(element.name)} is disabled.`;
    throw new ActionFailed("disabled", `${what} Something else has to be filled in or chosen first.`);
  }
}

/** Runs in the page. Whether nothing on the element, the control that it belongs to or what is around them disables it. */
export function isSurelyEnabled(element: Element): boolean {
  const button = element.closest("button, [role=button], [role=checkbox], [role=radio]");
  const control = (element.closest("label") as HTMLLabelElement | null)?.control ?? null;
  for (const start of [element, button, control]) {
    if (start?.matches(":disabled")) return false;
    for (let at: Element | null = start; at !== null; ) {
      if (at.ariaDisabled === "true") return false;
      const root = at.getRootNode();
      at = at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    }
  }
  return element.isConnected;
}
