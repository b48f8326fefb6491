import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import type { PageElement } from "../../browser/observation/page-element.ts";
import { type Action, ActionFailed, elementInput, isGone } from "./action.ts";
import { quote } from "./plain-text.ts";
import { clickElement } from "./pointer.ts";
import { getEnabledElement } from "./target.ts";

const PATIENCE_MS = 1000;
const PAUSE_MS = 50;

const input = Type.Object(
  { ...elementInput, checked: Type.Boolean({ description: "The new state." }) },
  { additionalProperties: false },
);

export const check: Action<typeof input> = {
  name: "check",
  description: "checkbox, radio or switch",
  input,
  effect: "mutate",
  async run({ checked }, context) {
    const element = await getEnabledElement(context);
    const { handle, role, name } = element;
    const what = `The ${role} ${quote(name)}`;
    const before = await handle.evaluate(readState);
    if (before === null) throw new ActionFailed("not_found", `${what} has no on or off state. Click it instead.`);
    if (before === checked) return { already: true };
    if (!checked && role === "radio") {
      throw new ActionFailed("no_effect", `${what} cannot be turned off. Turn on another one of its group.`);
    }
    await clickElement(element, { signal: context.signal });
    if (!(await becomes(handle, checked, context.signal))) {
      throw new ActionFailed("no_effect", `${what} was clicked and is still ${checked ? "off" : "on"}.`);
    }
    return null;
  },
};

/** Also true when the click has rebuilt the element or left the page: the report shows the result. */
async function becomes(handle: PageElement, checked: boolean, signal: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  try {
    while ((await handle.evaluate(readState)) !== checked) {
      if (!(await handle.evaluate((node) => node.isConnected))) return true;
      if (performance.now() > deadline) return false;
      await sleep(PAUSE_MS, undefined, { signal });
    }
    return true;
  } catch (error) {
    if (isGone(error)) return true;
    throw error;
  }
}

/** Runs in the page. Null for elements without such a state. Indeterminate counts as off. */
function readState(node: Element): boolean | null {
  const control = node.localName === "label" ? ((node as HTMLLabelElement).control ?? node) : node;
  // Some pages draw a switch by what they say about it, and prevent the click on the box behind it.
  const isDrawn = control.matches("[role=switch][aria-checked]");
  if (!isDrawn && control.matches("input[type=checkbox], input[type=radio]")) {
    const { checked, indeterminate } = control as HTMLInputElement;
    return checked && !indeterminate;
  }
  const state = control.getAttribute("aria-checked") ?? control.getAttribute("aria-pressed");
  return state === null ? null : state === "true";
}
