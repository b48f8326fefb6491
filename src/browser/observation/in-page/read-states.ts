import type { NodeStates } from "../observation.ts";
import type { WalkedPage } from "./walk-page.ts";

/** Runs in the page. Returns a function for the states of an element, by its index, its role and whether it takes clicks. */
export function createStateReader({
  elements,
}: WalkedPage): (index: number, role: string, isTarget: boolean) => NodeStates | undefined {
  const CHECKABLE = /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/;
  const SELECTABLE = /^(gridcell|row|rowheader|columnheader|treeitem)$/;
  const EXPANDABLE =
    /^(application|button|checkbox|combobox|gridcell|link|listbox|menuitem|row|rowheader|tab|treeitem|columnheader|menuitemcheckbox|menuitemradio|switch)$/;
  const FALLIBLE =
    /^(application|checkbox|columnheader|combobox|gridcell|listbox|radiogroup|rowheader|searchbox|slider|spinbutton|switch|textbox|tree)$/;
  const DISABLEABLE =
    /^(application|button|gridcell|group|link|menuitem|scrollbar|separator|tab|checkbox|columnheader|combobox|grid|listbox|menu|menubar|menuitemcheckbox|menuitemradio|option|radio|radiogroup|row|rowheader|searchbox|slider|spinbutton|switch|tablist|textbox|toolbar|tree|treegrid|treeitem)$/;
  const LEVELLED = /^(heading|listitem|row|treeitem)$/;
  const active = document.hasFocus() ? document.activeElement : null;
  /** By itself or by an element around it. */
  const isDisabled: boolean[] = [];
  elements.forEach(({ element, parent }, index) => {
    const disabled = element.getAttribute("aria-disabled");
    isDisabled[index] = disabled === null ? isDisabled[parent] === true : disabled === "true";
  });

  function flag(element: Element, name: string): boolean | "mixed" | null {
    const value = element.getAttribute(name)?.toLowerCase() ?? null;
    if (value === "mixed") return "mixed";
    return value === "true" ? true : value === "false" ? false : null;
  }

  function readChecked(element: Element): boolean | "mixed" {
    // Some libraries give a box the state of a button.
    if (!(element instanceof HTMLInputElement))
      return flag(element, "aria-checked") ?? flag(element, "aria-pressed") ?? false;
    if (element.indeterminate) return "mixed";
    // Some pages draw a switch by what they say about it, and prevent the click on the box behind it.
    if (element.getAttribute("role") === "switch" && element.hasAttribute("aria-checked"))
      return flag(element, "aria-checked") ?? element.checked;
    return /^(checkbox|radio)$/.test(element.type) ? element.checked : (flag(element, "aria-checked") ?? false);
  }

  function readSelected(element: Element, role: string): boolean | undefined {
    const isChosen = element instanceof HTMLOptionElement ? element.selected : flag(element, "aria-selected") === true;
    if (role === "option" || role === "tab") return isChosen;
    return isChosen && SELECTABLE.test(role) ? true : undefined;
  }

  function readPressed(element: Element): true | "mixed" | undefined {
    const pressed = flag(element, "aria-pressed");
    return pressed === null || pressed === false ? undefined : pressed;
  }

  function readLevel(element: Element, role: string): number | undefined {
    const [, native] = /^h([1-6])$/.exec(element.localName) ?? [];
    if (native !== undefined) return Number(native);
    const level = LEVELLED.test(role) ? Number(element.getAttribute("aria-level")) : 0;
    return Number.isInteger(level) && level > 0 ? level : undefined;
  }

  function isOff(index: number, element: Element): boolean {
    return isDisabled[index] === true || element.matches(":disabled");
  }

  function isInvalid(element: Element): boolean {
    return !["", "false"].includes(element.getAttribute("aria-invalid")?.trim() ?? "");
  }

  return (index, role, isTarget) => {
    const element = elements[index]?.element;
    if (element === undefined) return undefined;
    if (role !== "generic") return readStates(index, element, role);
    // Some lists say of their options only which ones cannot be chosen.
    return isTarget && flag(element, "aria-disabled") === true ? { disabled: true } : undefined;
  };

  function readStates(index: number, element: Element, role: string): NodeStates | undefined {
    const states = {
      checked: CHECKABLE.test(role) ? readChecked(element) : undefined,
      selected: readSelected(element, role),
      disabled: (DISABLEABLE.test(role) && isOff(index, element)) || undefined,
      expanded: (EXPANDABLE.test(role) && flag(element, "aria-expanded") === true) || undefined,
      pressed: role === "button" ? readPressed(element) : undefined,
      invalid: (FALLIBLE.test(role) && isInvalid(element)) || undefined,
      active: element === active || undefined,
      level: readLevel(element, role),
    };
    const known = Object.entries(states).filter(([, state]) => state !== undefined);
    return known.length === 0 ? undefined : Object.fromEntries(known);
  }
}
