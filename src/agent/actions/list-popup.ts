import type { Frame, JSHandle } from "playwright-core";
import { PageElement } from "../../browser/observation/page-element.ts";
import { type PinnedElement, StaleElement } from "../../browser/observation/pin-element.ts";

/** An option as the page shows it. */
export interface PopupOption {
  readonly label: string;
  readonly role: string;
  /** Null when the page does not say. */
  readonly isSelected: boolean | null;
  readonly isDisabled: boolean;
  readonly index: number;
}

/** The options of a popup at one moment. */
export interface PopupContent {
  readonly options: readonly PopupOption[];
  /** The page says that several options can be selected. */
  readonly isMultiple: boolean;
  readonly elements: ReadElements;
}

interface ReadElements {
  readonly frame: Frame;
  readonly inPage: JSHandle<{ readonly elements: readonly Element[] }>;
}

/**
 * What a combobox or button has opened, by its ARIA attributes; a list that is always open is its own popup. Null when
 * the page does not say, or nothing of it can be seen.
 */
export function findPopup(control: PageElement): Promise<PageElement | null> {
  return control.find(findPopupNode);
}

/** Runs in the page. */
function findPopupNode(node: Element): Element | null {
  if (node.matches("[role=listbox], [role=radiogroup], [role=menu], [role=tree]")) return node;
  const root = node.getRootNode() as Document | ShadowRoot;
  const focused = root.activeElement?.matches("[aria-controls], [aria-owns]") ? [root.activeElement] : [];
  const controls = [node, ...node.querySelectorAll("[aria-controls], [aria-owns]"), ...focused];
  const ids = controls.flatMap((control) =>
    ["aria-controls", "aria-owns"].flatMap((name) => (control.getAttribute(name) ?? "").split(/\s+/)),
  );
  const popups = ids.filter((id) => id !== "").flatMap((id) => root.getElementById(id) ?? []);
  const isShown = (part: Element) => {
    const { width, height } = part.getBoundingClientRect();
    return width > 0 && height > 0;
  };
  // A focused field may belong to something else, so what the control itself names comes first.
  const shown = popups.find((popup) => [popup, ...popup.children].some(isShown));
  if (shown !== undefined) return shown;
  /** Some libraries name a list without size, for screen readers only, inside what is drawn. */
  function findDrawn(popup: Element): Element[] {
    for (
      let at = popup.parentElement;
      at !== null && at !== document.body && !at.contains(node);
      at = at.parentElement
    ) {
      if (isShown(at)) return [at];
    }
    return [];
  }
  return popups.filter((popup) => popup.matches("[role=listbox], [role=tree]")).flatMap(findDrawn)[0] ?? null;
}

export async function readPopup(popup: PageElement): Promise<PopupContent> {
  const inPage = await popup.evaluateHandle(readOptions);
  const read = await inPage.evaluate(({ options, isMultiple }) => ({ options, isMultiple }));
  return { ...read, elements: { frame: popup.frame, inPage } };
}

/** The element of an option. It may have gone since. */
export async function pinOption({ elements }: PopupContent, option: PopupOption): Promise<PinnedElement> {
  return { role: option.role, name: option.label, handle: await takeElement(elements, option.index) };
}

async function takeElement({ inPage, frame }: ReadElements, index: number): Promise<PageElement> {
  const found = await PageElement.take(inPage, frame, ({ elements }, at) => elements[at] ?? null, index);
  if (typeof found === "string") throw new StaleElement("The option is no longer on the page.");
  return found;
}

/** Runs in the page. */
function readOptions(popup: Element): { options: PopupOption[]; isMultiple: boolean; elements: Element[] } {
  const ROLES = ["option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem", "radio"];
  const OTHERS = "[role=row], [role=gridcell], [role=columnheader], [role=rowheader], [role=tab]";
  // What can be selected in a list is an option, whatever its role.
  const selector = [...ROLES.map((role) => `[role=${role}]`), `[aria-selected]:not(${OTHERS})`].join(", ");
  const isShown = (part: Element) => {
    const { width, height } = part.getBoundingClientRect();
    return width > 0 && height > 0;
  };

  /** What is nested in an item of a tree has its own label. */
  function readLabel(option: Element): string {
    const spoken = option.getAttribute("aria-label");
    if (spoken !== null && spoken.trim() !== "") return spoken;
    const inner = [...option.querySelectorAll(selector)];
    // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
    const whole = (option as HTMLElement).innerText ?? option.textContent ?? "";
    return inner.length === 0 ? whole : (whole.split("\n")[0] ?? "");
  }

  const elements = [...popup.querySelectorAll(selector)].filter(isShown);
  const options = elements.map((option, index) => {
    // In a tree with boxes, what is selected is only where one is.
    const state = option.getAttribute("aria-checked") ?? option.getAttribute("aria-selected");
    return {
      label: readLabel(option).replace(/\s+/g, " ").trim(),
      role: option.getAttribute("role") ?? "option",
      isSelected: state === null ? null : state === "true",
      isDisabled: option.getAttribute("aria-disabled") === "true",
      index,
    };
  });
  const saysMultiple = [popup, ...popup.querySelectorAll("[role=listbox], [role=tree]")].some(
    (list) => list.getAttribute("aria-multiselectable") === "true",
  );
  const selected = options.filter(({ isSelected }) => isSelected === true);
  const isMultiple = saysMultiple || selected.length > 1 || options.some(({ role }) => role === "menuitemcheckbox");
  return { options, isMultiple, elements };
}

/** Shows the next options of a list that has only those in view in the document. False at its end. */
export function scrollPopup(popup: PageElement): Promise<boolean> {
  return popup.evaluate(async (node) => {
    const inside = [node, ...node.querySelectorAll("*")];
    const scrolls = (part: Element) =>
      part.scrollHeight > part.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(part).overflowY);
    const around: Element[] = [];
    for (let at = node.parentElement; at !== null && at !== document.body; at = at.parentElement) around.push(at);
    // Lists that draw their own scrollbar hide the browser's.
    const clips = (part: Element) =>
      part.scrollHeight > part.clientHeight * 1.2 &&
      getComputedStyle(part).overflowY === "hidden" &&
      part.clientHeight > 0;
    const pane = inside.find(scrolls) ?? around.find(scrolls) ?? inside.find(clips);
    if (pane === undefined) return false;
    const before = pane.scrollTop;
    pane.scrollBy({ top: pane.clientHeight * 0.9, behavior: "instant" });
    for (let frames = 0; frames < 2; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    return pane.scrollTop !== before;
  });
}

/** A selected value beside a field, with a button that removes it. */
export interface Chip {
  readonly label: string;
  readonly index: number;
}

interface Chips {
  readonly chips: readonly Chip[];
  readonly elements: ReadElements;
}

/** Selected values that a list shows beside its field, and often no longer offers as options. */
export async function readChips(control: PageElement): Promise<Chips> {
  const inPage = await control.evaluateHandle(readChipNodes);
  return { chips: await inPage.evaluate(({ chips }) => chips), elements: { frame: control.frame, inPage } };
}

export async function pinChipButton({ elements }: Chips, { label, index }: Chip): Promise<PinnedElement> {
  return { role: "button", name: `Remove ${label}`, handle: await takeElement(elements, index) };
}

/** Runs in the page. The button names the value that it removes, so that no other button is taken for one. */
function readChipNodes(control: Element): { chips: Chip[]; elements: Element[] } {
  const FIELDS = "input:not([type=hidden]):not([tabindex='-1']), textarea, select, [role=combobox]";
  const clean = (text: string | null | undefined) => (text ?? "").replace(/\s+/g, " ").trim();
  let box = control;
  while (box.parentElement !== null && box.parentElement.querySelectorAll(FIELDS).length <= 1) box = box.parentElement;
  const chips: Chip[] = [];
  const elements: Element[] = [];
  for (const button of box.querySelectorAll("button, [role=button]")) {
    const name = clean(button.getAttribute("aria-label") ?? button.getAttribute("title"));
    // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
    const own = clean((button as HTMLElement).innerText);
    // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
    const label = clean(clean(button.parentElement?.innerText).replace(own, ""));
    if (label === "" || !name.includes(label) || name === label) continue;
    elements.push(button);
    chips.push({ label, index: chips.length });
  }
  return { chips, elements };
}
