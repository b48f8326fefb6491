/** An element of the composed tree with what it inherits for being seen. */
export interface SeenElement {
  readonly element: Element;
  readonly style: CSSStyleDeclaration;
  readonly rect: DOMRect;
  /** The place of the parent in the list, -1 for the first. */
  readonly parent: number;
  /** It has a box and is not made invisible by `visibility`. */
  readonly isRendered: boolean;
  readonly opacity: number;
  /** Cut off by an ancestor of no size, as labels for screen readers are. */
  readonly isClipped: boolean;
  /** Inside something that can be scrolled by itself, so that its position says nothing. */
  readonly isScrolled: boolean;
  readonly isFixed: boolean;
}

/** A piece of text in the flow; blocks are set apart by pieces of one space. */
export interface TextPiece {
  readonly text: string;
  /** The place of the element it stands in. */
  readonly owner: number;
}

export interface WalkedPage {
  readonly elements: readonly SeenElement[];
  readonly pieces: readonly TextPiece[];
}

/**
 * Runs in the page, alone: it can use nothing from outside itself. Walks the composed tree once, without recursion, since
 * a page may nest as deep as it likes.
 */
export function walkPage(): WalkedPage {
  const SKIPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "LINK", "META"]);
  const OPAQUE = new Set(["SELECT", "TEXTAREA", "IFRAME", "FRAME", "OBJECT"]);
  const elements: SeenElement[] = [];
  const pieces: TextPiece[] = [];
  const stack: (readonly [node: Node, parent: number] | string)[] = [[document.body ?? document.documentElement, -1]];

  function childrenOf(element: Element): Node[] {
    if (element instanceof HTMLSlotElement) {
      const assigned = element.assignedNodes();
      if (assigned.length > 0) return assigned;
    }
    // What is folded away keeps its boxes.
    if (element instanceof HTMLDetailsElement && !element.open)
      return [...element.querySelectorAll(":scope > summary")];
    const own = [...element.childNodes];
    if (element.shadowRoot === null) return own;
    return [...element.shadowRoot.childNodes];
  }

  /** The usual ways to hide a label from eyes but not from screen readers. */
  function clips(style: CSSStyleDeclaration, rect: DOMRect, position: string, overflow: string): boolean {
    const { clipPath } = style;
    if (clipPath !== "none" && /^(inset\((50|100)%|circle\(0|polygon\(0px 0px, 0px 0px)/.test(clipPath)) return true;
    if (position === "absolute" || position === "fixed") {
      if (/^rect\([01]px,? [01]px,? [01]px,? [01]px\)$/.test(style.clip)) return true;
    }
    return (rect.width <= 1 || rect.height <= 1) && overflow !== "visible" && !/inline$|contents/.test(style.display);
  }

  function see(element: Element, parent: number, style: CSSStyleDeclaration): SeenElement {
    const above = elements[parent];
    const rect = element.getBoundingClientRect();
    const isRoot = element === document.body || element === document.documentElement;
    // Each property that is read costs about as much as everything else done here with an element.
    const { position, overflow } = style;
    const hasSize = rect.width > 0 && rect.height > 0;
    return {
      element,
      style,
      rect,
      parent,
      isRendered: (hasSize || style.display === "contents") && style.visibility === "visible",
      opacity: (above?.opacity ?? 1) * Number(style.opacity),
      isClipped: (above?.isClipped ?? false) || (!isRoot && clips(style, rect, position, overflow)),
      isScrolled: (above?.isScrolled ?? false) || (!isRoot && /auto|scroll/.test(overflow)),
      isFixed: (above?.isFixed ?? false) || position === "fixed",
    };
  }

  function enter(element: Element, parent: number): void {
    if (SKIPPED.has(element.tagName)) return;
    const style = getComputedStyle(element);
    // A hidden file input is kept: the button that stands for it cannot take a file.
    const isFileInput = element instanceof HTMLInputElement && element.type === "file";
    if (style.display === "none" && !isFileInput) return;
    const index = elements.push(see(element, parent, style)) - 1;
    if (OPAQUE.has(element.tagName)) return;
    const isBlock = style.display !== "inline" || element.tagName === "BR";
    if (isBlock) pieces.push({ text: " ", owner: index });
    if (isBlock) stack.push(" ");
    for (const child of childrenOf(element).reverse()) stack.push([child, index]);
  }

  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === "string") {
      pieces.push({ text: next, owner: -1 });
      continue;
    }
    const [node, parent] = next;
    if (node instanceof Element) enter(node, parent);
    else if (node.nodeType === Node.TEXT_NODE && node.nodeValue) pieces.push({ text: node.nodeValue, owner: parent });
  }
  return { elements, pieces };
}
