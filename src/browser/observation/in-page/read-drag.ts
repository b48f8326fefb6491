import type { HandlerReader } from "./read-handlers.ts";
import type { SeenElement, WalkedPage } from "./walk-page.ts";

export interface DragReader {
  isDraggable(seen: SeenElement): boolean;
  isResizeHandle(seen: SeenElement): boolean;
  /** Whether something may be dropped on it: the column of a board, a list, a marked area. */
  isDropArea(element: Element): boolean;
}

/**
 * Runs in the page. Whether something can be dragged is never certain, because a script decides it. These signs count:
 * attributes, a cursor made for it, a listener for the beginning of a native drag, and a listener for pressing the mouse on
 * an element that is not a control and does not let fingers scroll or select text.
 */
export function createDragReader({ elements }: WalkedPage, handlers: HandlerReader): DragReader {
  const CURSORS = /^(-webkit-)?(grab|grabbing|move)$/;
  const CONTROLS = "a[href],button,input,select,textarea,summary,option,label,canvas,video";
  const MAX_SHARE = 0.5;
  const MAX_LEVELS = 5;
  const MAX_AREAS = 30;
  let areas: Set<Element> | null = null;
  let hasDraggable = false;

  const known = new Map<Element, boolean>();
  const [windowWidth, windowHeight] = [innerWidth, innerHeight];

  /** A large area with such a cursor is moved itself, as a map or a drawing board. */
  function isLarge({ rect }: SeenElement): boolean {
    return rect.width * rect.height > windowWidth * windowHeight * MAX_SHARE;
  }

  function hasDragCursor({ cursor, parent }: SeenElement): boolean {
    return CURSORS.test(cursor) && elements[parent]?.cursor !== cursor;
  }

  function isPressed({ element, style, cursor }: SeenElement): boolean {
    if (element.matches(CONTROLS) || !handlers.read(element).hasPress) return false;
    return style.touchAction === "none" || cursor === "crosshair" || CURSORS.test(cursor);
  }

  /** Editors and containers listen as well, for what is in them. */
  function isDragStart(element: Element): boolean {
    if (!handlers.read(element).hasDragStart || (element as HTMLElement).isContentEditable) return false;
    return element.querySelector("[draggable],[role],[contenteditable=true],a[href],button,input") === null;
  }

  /** A list that listens for pressing its items and for what is dragged over it. */
  function isItemOfSortable({ parentElement }: Element): boolean {
    if (parentElement === null) return false;
    const around = handlers.read(parentElement);
    return around.hasDrop && around.hasPress;
  }

  /** The edge of a column or a panel. It has no words, and nothing on the page is read or used by it. */
  function isResizeHandle({ element, cursor }: SeenElement): boolean {
    if (!cursor.endsWith("resize") || (element.textContent ?? "").trim() !== "") return false;
    return /^(presentation|none|)$/.test(element.getAttribute("role") ?? "") && !element.hasAttribute("tabindex");
  }

  function isDraggable(seen: SeenElement): boolean {
    const result = known.get(seen.element) ?? mayBeDragged(seen);
    known.set(seen.element, result);
    return result;
  }

  function mayBeDragged(seen: SeenElement): boolean {
    const { element } = seen;
    if (!seen.isRendered || element === document.body || element === document.documentElement) return false;
    if (element.getAttribute("draggable") === "true" || element.hasAttribute("aria-grabbed")) return true;
    if (/drag|sort/i.test(element.getAttribute("aria-roledescription") ?? "")) return true;
    if (isLarge(seen) || isResizeHandle(seen)) return false;
    return hasDragCursor(seen) || isPressed(seen) || isDragStart(element) || isItemOfSortable(element);
  }

  function isSameKind(one: Element, other: Element): boolean {
    return one.tagName === other.tagName && one.classList[0] === other.classList[0];
  }

  /** The columns around it: the nearest element that has others of its kind beside it, and those. */
  function columnsAround(element: Element): Element[] {
    let at = element.parentElement;
    for (let level = 0; at !== null && level < MAX_LEVELS; level++, at = at.parentElement) {
      const kind = [...(at.parentElement?.children ?? [])].filter((one) => at !== null && isSameKind(one, at));
      if (kind.length > 1 && kind.length <= MAX_AREAS) return kind;
    }
    return [];
  }

  function findAreas(): Set<Element> {
    const found = new Set<Element>();
    const parents = new Set<Element>();
    const dragged = elements.filter(isDraggable);
    hasDraggable = dragged.length > 0;
    for (const { element } of dragged) {
      if (element instanceof SVGElement || element.parentElement === null || parents.has(element.parentElement))
        continue;
      parents.add(element.parentElement);
      for (const column of columnsAround(element)) found.add(column);
    }
    for (const { element } of dragged) found.delete(element);
    return found;
  }

  return {
    isDraggable,
    isResizeHandle,
    isDropArea(element) {
      if (element === document.body || element === document.documentElement) return false;
      areas ??= findAreas();
      return areas.has(element) || (hasDraggable && handlers.read(element).hasDrop);
    },
  };
}
