import type { NodeStates } from "../observation.ts";
import type { DescribeAppearance } from "./describe-appearance.ts";
import type { DragReader } from "./read-drag.ts";
import type { DrawingReader } from "./read-drawing.ts";
import type { HandlerReader } from "./read-handlers.ts";
import type { SeenElement, WalkedPage } from "./walk-page.ts";

interface ClickTarget {
  readonly role: string;
  /** Its words, or a description of its appearance when it has none. */
  readonly name: string;
  /** Its role makes it a target anyway; this only adds what it is called. */
  readonly isKnown: boolean;
  readonly states: NodeStates;
}

interface ClickReaderParts {
  readonly describeAppearance: DescribeAppearance;
  readonly wordsOf: (element: Element) => string;
  readonly handlers: HandlerReader;
  readonly pointedOnHover: string;
  readonly drags: DragReader;
  readonly drawings: DrawingReader;
}

/**
 * Runs in the page. Returns a function that finds out whether an element can be acted on itself: by a handler, a cursor of
 * its own, a place in the tab order, a role, or because things can be dragged from or to it.
 */
export function createClickReader(
  { elements }: WalkedPage,
  { describeAppearance, wordsOf, handlers, pointedOnHover, drags, drawings }: ClickReaderParts,
): (index: number) => ClickTarget | null {
  const CONTROLS = "a[href],button,input,select,textarea,summary,option,label";
  const WIDGETS = "[role=button],[role=link],[role=menuitem],[role=combobox],[role=tab],[role=switch],[role=checkbox]";
  const WIDGET_ROLES =
    /^(button|link|checkbox|radio|switch|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem|slider|spinbutton|combobox|textbox|searchbox|gridcell)$/;
  const TAG_ROLES: Readonly<Record<string, string>> = {
    TR: "row",
    TD: "cell",
    TH: "columnheader",
    LI: "listitem",
    UL: "list",
    OL: "list",
    IMG: "img",
    svg: "img",
    CANVAS: "canvas",
    P: "paragraph",
    ARTICLE: "article",
  };
  const LAYERS = "dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true],[role=menu],[role=listbox]";
  const MAX_TARGET_CHARS = 200;
  const MAX_ITEM_CHARS = 1000;
  const MIN_CANVAS_PIXELS = 64;

  function lengthOf(element: Element): number {
    return (element.textContent ?? "").length;
  }

  function hasHandler(element: Element): boolean {
    const { hasInlineClick, hasClick } = handlers.read(element);
    if (hasInlineClick || !hasClick) return hasInlineClick;
    if (isOneOfSeveral(element)) return true;
    if (lengthOf(element) > MAX_TARGET_CHARS) return false;
    // Frameworks listen on a container for its content. Then the container is not a target itself.
    return !listensForItsChildren(element) && element.querySelector(`${CONTROLS},[onclick],[role],[tabindex]`) === null;
  }

  /** A row, an item or a card: one beside it is of the same kind and has a handler, too. */
  function isOneOfSeveral(element: Element): boolean {
    const beside = [element.nextElementSibling, element.previousElementSibling].filter((one) => one !== null);
    if (lengthOf(element) > MAX_ITEM_CHARS) return false;
    return beside.some((one) => isSameKind(one, element) && handlers.read(one).hasClick);
  }

  function isSameKind(one: Element, other: Element): boolean {
    return one.tagName === other.tagName && one.classList[0] === other.classList[0];
  }

  function isListenedFor(element: Element): boolean {
    const { parentElement } = element;
    if (parentElement === null) return false;
    const { hasClick, hasInlineClick } = handlers.read(parentElement);
    if (!hasClick || hasInlineClick) return false;
    return listensForItsChildren(parentElement) && lengthOf(element) <= MAX_ITEM_CHARS;
  }

  /** Several children of one kind: the items of a list, a board or a palette. */
  function listensForItsChildren({ children }: Element): boolean {
    const [first, ...others] = children;
    if (first === undefined || others.length === 0 || others.length > 200) return false;
    if (/^(BR|TR|TD|TH|TBODY|P|H\d)$/.test(first.tagName)) return false;
    return others.every((other) => isSameKind(other, first));
  }

  function isPointedAt({ element, cursor, parent }: SeenElement): boolean {
    if (cursor === "pointer") return elements[parent]?.cursor !== "pointer";
    if (pointedOnHover === "" || !element.matches(pointedOnHover)) return false;
    return element.parentElement?.matches(pointedOnHover) !== true;
  }

  function isNoTarget(seen: SeenElement): boolean {
    const { element } = seen;
    if (element === document.body || element === document.documentElement) return true;
    return drags.isResizeHandle(seen) || isBackdrop(seen) || belongsToControl(seen);
  }

  function takesClicks(seen: SeenElement): boolean {
    const { element } = seen;
    if (drawings.isGroup(element)) return true;
    if (isPointedAt(seen) || hasHandler(element) || isListenedFor(element)) return true;
    if (drags.isDraggable(seen) || isCanvas(seen)) return true;
    const role = element.getAttribute("role");
    if (role !== null) return WIDGET_ROLES.test(role);
    return isInTabOrder(element) || isEditingHost(element);
  }

  /** Fills the window behind or around a dialog or a menu. A click on it only closes that. */
  function isBackdrop({ element, rect, style }: SeenElement): boolean {
    if (rect.width < innerWidth || rect.height < innerHeight) return false;
    const layers = element.childElementCount > 0 ? element : document;
    const isLayer = element.childElementCount > 0 || /fixed|absolute/.test(style.position);
    return isLayer && rect.height <= innerHeight && layers.querySelector(LAYERS) !== null;
  }

  /** A drawing of which only its script knows the parts. */
  function isCanvas({ element, rect }: SeenElement): boolean {
    return element.tagName === "CANVAS" && Math.min(rect.width, rect.height) >= MIN_CANVAS_PIXELS;
  }

  /** A large element is in the tab order only to be scrolled with the keyboard. */
  function isInTabOrder(element: Element): boolean {
    const tabIndex = element.getAttribute("tabindex");
    return tabIndex !== null && Number(tabIndex) >= 0 && lengthOf(element) <= MAX_TARGET_CHARS;
  }

  function isEditingHost(element: Element): boolean {
    if (!(element instanceof HTMLElement) || !element.isContentEditable) return false;
    return !(element.parentElement?.isContentEditable ?? false);
  }

  /** The content of a control is part of the control, unless it has a handler of its own. */
  function belongsToControl({ element }: SeenElement): boolean {
    const control = element.parentElement?.closest(CONTROLS) ?? null;
    return control !== null && !hasHandler(element);
  }

  function describe(seen: SeenElement, role: string): ClickTarget {
    const { element } = seen;
    const name = wordsOf(element) || (isEditingHost(element) ? "" : describeAppearance(seen));
    return { role, name, isKnown: false, states: {} };
  }

  function roleOf(element: Element): string {
    const role = element.getAttribute("role")?.trim().split(/\s+/)[0];
    return role || (isEditingHost(element) ? "textbox" : (TAG_ROLES[element.tagName] ?? "generic"));
  }

  /** A hidden file input is a target, because the visible button in front of it cannot take the file. */
  function readHiddenFileInput({ element, isRendered }: SeenElement): ClickTarget | null {
    if (isRendered || !(element instanceof HTMLInputElement) || element.type !== "file") return null;
    return { role: "button", name: wordsOf(element) || "file", isKnown: false, states: {} };
  }

  /** Links and buttons that only show a picture or the icon of a font may have no name. */
  function readControl(seen: SeenElement): ClickTarget | null {
    const { element } = seen;
    if (element instanceof HTMLLabelElement) return readLabel(seen, element);
    if (element.tagName === "SUMMARY") return readSummary(seen);
    if (!element.matches("a[href],button") || element.getAttribute("aria-label")) return null;
    // biome-ignore lint/performance/useDomNodeTextContent: only visible text counts
    if (element instanceof HTMLElement && /[\p{L}\p{N}]/u.test(element.innerText)) return null;
    return { ...describe(seen, element.tagName === "BUTTON" ? "button" : "link"), isKnown: true };
  }

  /** Opens and closes the details around it. */
  function readSummary(seen: SeenElement): ClickTarget | null {
    const { parentElement } = seen.element;
    if (!(parentElement instanceof HTMLDetailsElement)) return null;
    return { ...describe(seen, "button"), states: { expanded: parentElement.open } };
  }

  /** Of a box that is not shown at all, the label is what a person sees and clicks. */
  function readLabel(seen: SeenElement, { control }: HTMLLabelElement): ClickTarget | null {
    if (!(control instanceof HTMLInputElement) || !/^(checkbox|radio)$/.test(control.type)) return null;
    if (getComputedStyle(control).display !== "none") return null;
    return { ...describe(seen, control.type), states: { checked: control.checked } };
  }

  /**
   * Controls that the mouse does not hit are targets as well: many rows show theirs only while the mouse is over
   * them, and some fields leave clicks to what is around them.
   */
  function readUnhitControl(seen: SeenElement): ClickTarget | null {
    const { element, visibility } = seen;
    if (visibility !== "visible" || !element.matches(`a[href],button,${WIDGETS}`)) return null;
    const role = element.getAttribute("role") ?? (element.tagName === "A" ? "link" : "button");
    return wordsOf(element) === "" ? null : { ...describe(seen, role), isKnown: true };
  }

  /** It holds targets and is one only for what is dragged. Its heading is its name. */
  function readDropArea({ element }: SeenElement): ClickTarget {
    const heading = element.querySelector("h1,h2,h3,h4,h5,h6,[role=heading],header,caption,legend");
    const [line = ""] = (heading === null ? wordsOf(element) : wordsOf(heading)).split("\n");
    const name = element.getAttribute("aria-label") || line.slice(0, 60).trim();
    return { role: roleOf(element), name: name || "empty area", isKnown: false, states: { droppable: true } };
  }

  function readTarget(seen: SeenElement): ClickTarget | null {
    const file = readHiddenFileInput(seen);
    if (file !== null) return file;
    if (!seen.isHit) return readUnhitControl(seen);
    if (seen.element.matches(CONTROLS)) return readControl(seen);
    if (drawings.isPartOfGroup(seen.element)) return null;
    if (takesClicks(seen) && !isNoTarget(seen)) return describe(seen, roleOf(seen.element));
    return drags.isDropArea(seen.element) ? readDropArea(seen) : null;
  }

  return (index) => {
    const seen = elements[index];
    return seen === undefined ? null : readTarget(seen);
  };
}
