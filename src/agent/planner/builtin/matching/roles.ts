import type { ObservedNode } from "../../../../browser/observation/observed-node.ts";
import type { Kind } from "../english/kinds.ts";

const TEXT_ROLES: ReadonlySet<string> = new Set(["textbox", "searchbox", "spinbutton"]);
const CHECK_ROLES: ReadonlySet<string> = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
const TEXT_TYPES =
  /^(?:text|search|email|tel|url|password|number|textarea|contenteditable|date|time|datetime-local|month|week|)$/;

/** Whether it holds text that can be typed. */
export function isTextField({ role, field }: ObservedNode): boolean {
  if (TEXT_ROLES.has(role)) return true;
  return (
    field !== null && (role === "combobox" || role === "generic") && TEXT_TYPES.test(field.type) && field.type !== ""
  );
}

export function isCheckable({ role }: ObservedNode): boolean {
  return CHECK_ROLES.has(role);
}

/** A list to choose from that is a single control. */
export function isChoiceList({ role, field }: ObservedNode): boolean {
  return (
    role === "listbox" ||
    field?.type === "select" ||
    (role === "combobox" && field?.type !== "text" && field?.type !== "search")
  );
}

export function isField(node: ObservedNode): boolean {
  return (
    isTextField(node) || isCheckable(node) || isChoiceList(node) || node.role === "slider" || node.role === "combobox"
  );
}

/** Whether it is worth a click for its own sake. */
export function isClickable(node: ObservedNode): boolean {
  return node.ref !== null;
}

const KIND_ROLES: Readonly<Partial<Record<Kind, ReadonlySet<string>>>> = {
  button: new Set(["button"]),
  link: new Set(["link"]),
  tab: new Set(["tab"]),
  checkbox: new Set(["checkbox", "switch", "menuitemcheckbox"]),
  radio: new Set(["radio", "menuitemradio"]),
  switch: new Set(["switch", "checkbox"]),
  option: new Set(["option", "radio", "menuitem", "menuitemradio", "treeitem"]),
  slider: new Set(["slider"]),
  spinner: new Set(["spinbutton"]),
  menu: new Set(["menu", "menubar", "button", "menuitem", "combobox"]),
  image: new Set(["img"]),
  heading: new Set(["heading"]),
};

/** How well a node is of the kind that was named: 1 it is, 0.5 it may pass for one, 0 it is something else. */
export function fitsKind(node: ObservedNode, kind: Kind): number {
  const roles = KIND_ROLES[kind];
  if (roles?.has(node.role)) return 1;
  switch (kind) {
    case "textbox":
      return isTextField(node) ? 1 : 0;
    case "textarea":
      return node.field?.type === "textarea" || node.field?.type === "contenteditable"
        ? 1
        : isTextField(node)
          ? 0.3
          : 0;
    case "password":
      return node.field?.type === "password" ? 1 : isTextField(node) ? 0.5 : 0;
    case "date":
      return node.field?.type === "date" ? 1 : isTextField(node) ? 0.7 : 0;
    case "list":
      return isChoiceList(node) ? 1 : 0;
    case "field":
      return isField(node) ? 1 : 0.2;
    case "item":
    case "record":
    case "icon":
    case "text":
    case "page":
    case "section":
    case "dialog":
      return node.ref === null ? 0 : 0.8;
    case "button":
      return passesForButton(node);
    case "link":
    case "image":
    case "heading":
    case "tab":
    case "option":
    case "menu":
      return node.ref !== null && !isField(node) ? 0.6 : 0;
    case "spinner":
    case "slider":
      return node.field?.type === "number" || node.field?.type === "range" ? 1 : 0;
    default:
      return 0;
  }
}

/** What looks like a button to people is often a link or a plain box that takes clicks. */
function passesForButton(node: ObservedNode): number {
  return node.ref !== null && !isField(node) ? 0.6 : 0;
}
