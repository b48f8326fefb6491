import type { ObservedNode } from "../../../../browser/observation/observation.ts";
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

const LOOSE_KINDS: ReadonlySet<Kind> = new Set(["item", "record", "icon", "text", "page", "section", "dialog"]);
const CLICK_KINDS: ReadonlySet<Kind> = new Set(["button", "link", "image", "heading", "tab", "option", "menu"]);
const FIELD_KINDS: Readonly<Partial<Record<Kind, (node: ObservedNode) => number>>> = {
  textbox: (node) => (isTextField(node) ? (isTextArea(node) ? 0.85 : 1) : 0),
  textarea: (node) => (isTextArea(node) ? 1 : isTextField(node) ? 0.3 : 0),
  password: (node) => (node.field?.type === "password" ? 1 : isTextField(node) ? 0.5 : 0),
  date: (node) => (node.field?.type === "date" ? 1 : isTextField(node) ? 0.7 : 0),
  list: (node) => (isChoiceList(node) ? 1 : 0),
  field: (node) => (isField(node) ? 1 : 0.2),
  spinner: (node) => (node.field?.type === "number" ? 1 : 0),
  slider: (node) => (isSlider(node) ? 1 : 0),
};

/** Words for things that say nothing about what they are. */
export function isLooseKind(kind: Kind): boolean {
  return LOOSE_KINDS.has(kind);
}

/** How well a node is of the kind that was named: 1 it is, 0.5 it may pass for one, 0 it is something else. */
export function fitsKind(node: ObservedNode, kind: Kind): number {
  if (KIND_ROLES[kind]?.has(node.role)) return 1;
  const asField = FIELD_KINDS[kind];
  if (asField !== undefined) return asField(node);
  if (node.ref === null) return 0;
  if (LOOSE_KINDS.has(kind)) return 0.8;
  // What looks like a button or a link to people is often a plain box that takes clicks.
  return CLICK_KINDS.has(kind) && !isField(node) ? 0.6 : 0;
}

/** A real one, or the handle of one that the page draws. */
export function isSlider({ role, name, field, ref }: ObservedNode): boolean {
  if (role === "slider" || field?.type === "range") return true;
  return ref !== null && field === null && role === "generic" && /\bslider\b.*\d+×\d+$/i.test(name);
}

function isTextArea({ field }: ObservedNode): boolean {
  return field?.type === "textarea" || field?.type === "contenteditable";
}
