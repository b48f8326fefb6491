import type { HandlerReader } from "./read-handlers.ts";

/** An element of the composed tree with its visibility. */
export interface SeenElement {
  readonly element: Element;
  readonly style: CSSStyleDeclaration;
  readonly rect: DOMRect;
  /** Styles that several readers need: reading one takes longer than all else that is done with it. */
  readonly display: string;
  readonly cursor: string;
  readonly visibility: string;
  /** The index of the parent in the list, -1 for the first. */
  readonly parent: number;
  /** It has a size and `visibility` does not hide it. */
  readonly isRendered: boolean;
  /** It is rendered and takes pointer events. */
  readonly isHit: boolean;
  readonly opacity: number;
  /** Clipped away, by its own style or that of an ancestor. */
  readonly isClipped: boolean;
  /** Whether a box without size cuts it off: not at all, only content in the flow, or positioned content as well. */
  readonly cut: "none" | "flow" | "all";
  /** Inside a scrollable element, so its position says nothing about visibility. */
  readonly isScrolled: boolean;
  /** Its own content scrolls when it does not fit. */
  readonly scrolls: boolean;
  readonly isFixed: boolean;
  /** Its content in order: indexes of elements, and the complements (~) of indexes of pieces of text. */
  readonly content: number[];
}

/** A piece of text, in document order. */
interface TextPiece {
  readonly text: string;
  /** The index of its element. */
  readonly owner: number;
}

export interface WalkedPage {
  /** In document order, so that an element comes after the one around it. */
  readonly elements: readonly SeenElement[];
  readonly pieces: readonly TextPiece[];
}

/**
 * Runs in the page. Walks the composed tree once, without recursion, because a page may nest as deep as it likes. Half of the
 * elements of many pages are the shapes of icons: those that nobody can act on by themselves are left out.
 */
export function walkPage(handlers: HandlerReader): WalkedPage {
  const SHAPES = new Set(["path", "rect", "circle", "ellipse", "line", "polygon", "polyline", "use"]);
  const TELLING_ATTRIBUTES = /^(aria-|role$|tabindex$|draggable$|title$)/;
  const SKIPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "LINK", "META"]);
  /** Members of elements that are read in pages. */
  const MEMBERS = [
    ...["getAttribute", "getBoundingClientRect", "getRootNode", "hasAttribute", "hasAttributes", "matches"],
    ...["childNodes", "innerText", "isContentEditable", "labels", "onclick", "shadowRoot"],
  ];
  const OPAQUE = new Set(["TEXTAREA", "IFRAME", "FRAME", "OBJECT"]);
  const OUTSIDE = {
    opacity: 1,
    cut: "none",
    isClipped: false,
    isScrolled: false,
    scrolls: false,
    isFixed: false,
  } as const;
  const elements: SeenElement[] = [];
  const pieces: TextPiece[] = [];
  // A picture or a form with this name would hide it.
  const body = Reflect.get(Document.prototype, "body", document) as HTMLElement | null;
  const stack: (readonly [node: Node, parent: number])[] = [[body ?? document.documentElement, -1]];

  function childrenOf(element: Element): ArrayLike<Node> {
    if (element instanceof HTMLSlotElement) {
      const assigned = element.assignedNodes();
      if (assigned.length > 0) return assigned;
    }
    // The content of closed details keeps its boxes.
    if (element instanceof HTMLDetailsElement && !element.open) return element.querySelectorAll(":scope > summary");
    return (element.shadowRoot ?? element).childNodes;
  }

  /** The last one first, because the stack is read from its end. */
  function stackNodes(nodes: ArrayLike<Node>, index: number): void {
    for (let at = nodes.length - 1; at >= 0; at--) stack.push([nodes[at] as Node, index]);
  }

  /** In a form, a field is also a member of the form: one called "labels" hides the labels of the form itself. */
  function hidesMembers(element: Element): boolean {
    if (!(element instanceof HTMLFormElement)) return false;
    const fields = Reflect.get(HTMLFormElement.prototype, "elements", element) as HTMLFormControlsCollection;
    return MEMBERS.some((name) => fields.namedItem(name) !== null);
  }

  /** Its clipping and scrolling apply to the window. */
  function isRoot(element: Element): boolean {
    return element === body || element === document.documentElement;
  }

  /** Clips everything inside, wherever it is positioned. `clip` has an effect only on what is taken out of the flow. */
  function clips(style: CSSStyleDeclaration, position: string): boolean {
    const { clipPath } = style;
    if (clipPath !== "none" && /^(inset\((50|100)%|circle\(0|polygon\(0px 0px, 0px 0px)/.test(clipPath)) return true;
    if (position !== "absolute" && position !== "fixed") return false;
    return /^rect\([01]px,? [01]px,? [01]px,? [01]px\)$/.test(style.clip);
  }

  /** Positioned elements escape from an unpositioned ancestor: a panel may be inside a box without height. */
  function cutBy(cut: SeenElement["cut"], position: string): SeenElement["cut"] {
    if (cut === "none" || position === "fixed") return "none";
    if (position === "absolute") return cut === "all" ? "all" : "none";
    return position === "static" ? cut : "all";
  }

  function cutsOff(display: string, rect: DOMRect, overflow: string): boolean {
    return (rect.width <= 1 || rect.height <= 1) && overflow !== "visible" && !/inline$|contents/.test(display);
  }

  function see(
    element: Element,
    parent: number,
    style: CSSStyleDeclaration,
    display: string,
    rect: DOMRect,
  ): SeenElement {
    const above = elements[parent] ?? OUTSIDE;
    const { position, visibility } = style;
    const overflow = isRoot(element) ? "visible" : style.overflow;
    const hasSize = (rect.width > 0 && rect.height > 0) || display === "contents";
    const isRendered = hasSize && visibility === "visible";
    const scrolls = /auto|scroll/.test(overflow);
    const ownCut = position === "static" ? "flow" : "all";
    return {
      element,
      style,
      rect,
      parent,
      display,
      cursor: style.cursor,
      visibility,
      isRendered,
      isHit: isRendered && style.pointerEvents !== "none",
      opacity: above.opacity * Number(style.opacity),
      isFixed: above.isFixed || position === "fixed",
      cut: cutsOff(display, rect, overflow) ? ownCut : cutBy(above.cut, position),
      isClipped: above.isClipped || (!isRoot(element) && clips(style, position)),
      isScrolled: above.isScrolled || scrolls,
      scrolls,
      content: [],
    };
  }

  /** The mouse does the same on it as on what is around it, and it has no words. */
  function isPlainShape(element: Element, parent: number): boolean {
    const around = elements[parent];
    if (!SHAPES.has(element.tagName) || element.childElementCount > 0 || around === undefined) return false;
    if (element.getAttributeNames().some((name) => TELLING_ATTRIBUTES.test(name))) return false;
    const { cursor, pointerEvents } = getComputedStyle(element);
    if (cursor !== around.cursor || (!around.isHit && pointerEvents !== "none")) return false;
    return !reacts(element) && !reacts(around.element);
  }

  function reacts(element: Element): boolean {
    const { hasClick, hasPress, hasDragStart, hasDrop } = handlers.read(element);
    return hasClick || hasPress || hasDragStart || hasDrop;
  }

  function isClosedList(element: Element): boolean {
    return element instanceof HTMLSelectElement && !element.multiple && element.size <= 1;
  }

  function enter(element: Element, parent: number): void {
    // Nothing can be asked of such a form, so its content is taken for content of what is around it.
    if (hidesMembers(element)) {
      stackNodes(Reflect.get(Node.prototype, "childNodes", element) as NodeListOf<ChildNode>, parent);
      return;
    }
    const style = getComputedStyle(element);
    // Hidden file inputs are kept: the visible button in front of one cannot take a file.
    const isFileInput = element instanceof HTMLInputElement && element.type === "file";
    const { display } = style;
    if (display === "none" && !isFileInput) return;
    const rect = element.getBoundingClientRect();
    // Skipped by the browser as well, for example what is hidden until it is found.
    const hasNoBox = rect.width === 0 && rect.height === 0 && display !== "contents";
    if (hasNoBox && !isFileInput && !element.checkVisibility()) return;
    const index = elements.push(see(element, parent, style, display, rect)) - 1;
    elements[parent]?.content.push(index);
    if (OPAQUE.has(element.tagName) || isClosedList(element)) return;
    stackNodes(childrenOf(element), index);
  }

  /** An element may say that others elsewhere on the page are part of it. */
  function adoptOwned(): void {
    const owners = elements.flatMap(({ element }, index) => (element.hasAttribute("aria-owns") ? [index] : []));
    if (owners.length === 0) return;
    const indexOf = new Map(elements.map(({ element }, index) => [element, index]));
    for (const owner of owners) {
      const ids = elements[owner]?.element.getAttribute("aria-owns")?.split(/\s+/) ?? [];
      for (const id of ids) {
        const owned = document.getElementById(id);
        if (owned !== null) adopt(owner, indexOf.get(owned) ?? -1);
      }
    }
  }

  /** Only what comes later, so that an element always comes after the one around it. */
  function adopt(owner: number, owned: number): void {
    const siblings = elements[elements[owned]?.parent ?? -1]?.content;
    const at = siblings?.indexOf(owned) ?? -1;
    if (owned <= owner || at === -1) return;
    siblings?.splice(at, 1);
    elements[owner]?.content.push(owned);
  }

  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [node, parent] = next;
    if (node instanceof Element) {
      if (!SKIPPED.has(node.tagName) && !isPlainShape(node, parent)) enter(node, parent);
    } else if (node.nodeType === Node.TEXT_NODE && node.nodeValue)
      elements[parent]?.content.push(~(pieces.push({ text: node.nodeValue, owner: parent }) - 1));
  }
  adoptOwned();
  return { elements, pieces };
}
