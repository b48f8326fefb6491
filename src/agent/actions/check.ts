import { setTimeout as sleep } from "node:timers/promises";
import type { ElementHandle } from "playwright-core";
import { Type } from "typebox";
import { type Action, ActionFailed, elementInput, isGone } from "./action.ts";
import { quote } from "./plain-text.ts";
import { clickElement } from "./pointer.ts";
import { getEnabledElement } from "./target.ts";

const PATIENCE_MS = 1000;
const PAUSE_MS = 50;

const input = Type.Object(
  { ...elementInput, checked: Type.Boolean({ description: "How it should be afterwards." }) },
  { additionalProperties: false },
);

export const check: Action<typeof input> = {
  name: "check",
  description:
    "Sets a checkbox, a radio button or a switch, and makes sure that it is so afterwards. Does nothing when it already is.",
  input,
  effect: "mutate",
  async run({ checked }, context) {
    const element = await getEnabledElement(context);
    const { handle, role, name } = element;
    const what = `The ${role} ${quote(name)}`;
    const before = await handle.evaluate(readState);
    if (before === null) throw new ActionFailed("not_found", `${what} can be neither on nor off. Click it instead.`);
    if (before === checked) return { already: true };
    if (!checked && role === "radio") {
      throw new ActionFailed("no_effect", `${what} cannot be switched off. Switch on another of its group.`);
    }
    await clickElement(element, { signal: context.signal });
    if (!(await becomes(handle, checked, context.signal))) {
      throw new ActionFailed("no_effect", `${what} was clicked and is still ${checked ? "off" : "on"}.`);
    }
    return null;
  },
};

/** True too when the click has rebuilt the element or left the page: the report shows what stands there instead. */
async function becomes(handle: ElementHandle<Element>, wanted: boolean, signal: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  try {
    while ((await handle.evaluate(readState)) !== wanted) {
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

/** Runs in the page. Null for what has no such state; half checked counts as off. */
function readState(node: Element): boolean | null {
  const control = node.localName === "label" ? ((node as HTMLLabelElement).control ?? node) : node;
  if (control.matches("input[type=checkbox], input[type=radio]")) {
    const { checked, indeterminate } = control as HTMLInputElement;
    return checked && !indeterminate;
  }
  const state = control.getAttribute("aria-checked") ?? control.getAttribute("aria-pressed");
  return state === null ? null : state === "true";
}
