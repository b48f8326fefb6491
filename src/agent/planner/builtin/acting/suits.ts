import type { ObservedNode } from "../../../../browser/observation/observation.ts";
import { isCheckable, isChoiceList, isSlider, isTextField } from "../matching/roles.ts";

const CONTROLS: ReadonlySet<string> = new Set([
  "button",
  "link",
  "tab",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "treeitem",
  "checkbox",
  "radio",
  "switch",
]);

/** Anything can be clicked, but a button or a link is what is meant by it. */
export function suitsClick(node: ObservedNode): number {
  if (CONTROLS.has(node.role)) return 1;
  return isTextField(node) || isChoiceList(node) ? 0.75 : 0.97;
}

export function suitsOpening(node: ObservedNode): number {
  if (isTextField(node) || isCheckable(node)) return 0;
  return node.role === "link" || node.role === "tab" ? 1 : 0.96;
}

export function suitsTyping(node: ObservedNode): number {
  return isTextField(node) ? 1 : 0;
}

/** What can be set to a value, in one way or the other. */
export function suitsSetting(node: ObservedNode): number {
  if (isTextField(node) || isChoiceList(node) || isSlider(node)) return 1;
  return isCheckable(node) ? 0.9 : 0;
}

export function suitsChecking(node: ObservedNode): number {
  if (isCheckable(node)) return 1;
  return node.states.pressed !== undefined ? 0.9 : 0;
}

/** What may be chosen by its name. */
export function suitsChoosing(node: ObservedNode): number {
  if (node.role === "option" || isCheckable(node)) return 1;
  if (isTextField(node) || isChoiceList(node)) return 0;
  return CONTROLS.has(node.role) ? 0.96 : 0.93;
}

export function suitsList(node: ObservedNode): number {
  return isChoiceList(node) || node.role === "combobox" ? 1 : 0;
}
