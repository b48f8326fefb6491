/** Where the mouse hits an element, in the viewport of its frame; or what prevents it. */
export type Probe =
  | {
      readonly kind: "hit";
      readonly x: number;
      readonly y: number;
      /** The element leaves clicks to what is around it, and that is hit. */
      readonly isThrough: boolean;
      /** An animation that ends moves it or what it is in. */
      readonly isMoving: boolean;
    }
  /** By a notice, which goes away by itself, or by something else. */
  | { readonly kind: "covered"; readonly by: string; readonly isNotice: boolean }
  /** Nothing of it is in view. */
  | { readonly kind: "hidden" }
  | { readonly kind: "detached" };

export type ScrollFirst = "no" | "center" | "end" | "start";

/**
 * Runs in the page, so it must be self-contained. The bounding box is not enough: a link that wraps has a gap in the middle
 * of it, and anything may lie on top. So several points of its line boxes are tested for what is there.
 */
export function probeElement(element: Element, scrollFirst: ScrollFirst): Probe {
  const INTERACTIVE = "a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=checkbox]";
  const FRACTIONS = [
    [0.5, 0.5],
    [0.25, 0.5],
    [0.75, 0.5],
    [0.5, 0.25],
    [0.5, 0.75],
    [0.1, 0.5],
    [0.9, 0.5],
    [0.1, 0.1],
    [0.9, 0.1],
    [0.1, 0.9],
    [0.9, 0.9],
  ] as const;

  if (!element.isConnected) return { kind: "detached" };
  if (scrollFirst !== "no") element.scrollIntoView({ block: scrollFirst, inline: "nearest", behavior: "instant" });

  // A click on a part of a button is a click on the button.
  const target = element.closest("button, a[href], [role=button], [role=link]") ?? element;

  const own = pathUp(target);
  const drawn = findDrawn();

  /** Inside the element, but on something else that reacts to clicks. */
  let fallback: { x: number; y: number } | null = null;
  let cover: Element | null = null;
  for (const { x, y } of listPoints(listRects())) {
    const hit = hitAt(x, y);
    const path = pathUp(hit);
    const isInside = path.includes(target);
    if (isInside && !isInsideAnother(path)) return toHit(x, y, false);
    if (isInside) fallback ??= { x, y };
    else if (isAround(hit)) return toHit(x, y, true);
    else cover ??= hit;
  }
  if (fallback !== null) return toHit(fallback.x, fallback.y, false);
  return probeDrawn() ?? toMiss(cover);

  /** Whether the element leaves clicks to what is around it, and this is it. */
  function isAround(hit: Element | null): boolean {
    if (hit === null || drawn !== null) return false;
    return own.includes(hit) && getComputedStyle(element).pointerEvents === "none";
  }

  /** What a page draws instead of a field that nobody can see: the box around it, if that has no other field. */
  function findDrawn(): Element | null {
    const FIELDS =
      "a[href], button, input:not([type=hidden]):not([tabindex='-1']), select, textarea, [tabindex]:not([tabindex='-1'])";
    const MAX_PIXELS = 4;
    const MAX_LEVELS = 3;
    const isUnseen = (part: Element) => {
      const { width, height } = part.getBoundingClientRect();
      return width <= MAX_PIXELS || height <= MAX_PIXELS || Number(getComputedStyle(part).opacity) === 0;
    };
    // A box is clicked by its label.
    if (!element.matches("input:not([type=file], [type=checkbox], [type=radio]), [role=combobox]")) return null;
    const around = pathUp(element).slice(0, 1 + MAX_LEVELS);
    const hidden = around.findLastIndex(isUnseen);
    const box = hidden === -1 ? null : (around[hidden + 1] ?? null);
    return box !== null && box !== document.body && box.querySelectorAll(FIELDS).length <= 1 ? box : null;
  }

  function probeDrawn(): Probe | null {
    if (drawn === null) return null;
    for (const { x, y } of listPoints([drawn.getBoundingClientRect()])) {
      const path = pathUp(hitAt(x, y));
      const inner = path.slice(0, Math.max(path.indexOf(drawn), 0));
      if (path.includes(drawn) && !inner.some((part) => part.matches(INTERACTIVE))) return toHit(x, y, true);
    }
    return null;
  }

  function* listPoints(rects: readonly DOMRect[]): Generator<{ x: number; y: number }> {
    for (const rect of rects) {
      const left = Math.max(rect.left, 0);
      const top = Math.max(rect.top, 0);
      const width = Math.min(rect.right, innerWidth) - left;
      const height = Math.min(rect.bottom, innerHeight) - top;
      if (width <= 0 || height <= 0) continue;
      for (const [across, down] of FRACTIONS) yield { x: left + width * across, y: top + height * down };
    }
  }

  /** An element without a box, such as a link around a floating image, has those of its content. */
  function listRects(): DOMRect[] {
    const hasArea = (rect: DOMRect) => rect.width > 0 && rect.height > 0;
    const own = [...element.getClientRects()].filter(hasArea);
    if (own.length > 0) return own;
    return [...element.querySelectorAll("*")]
      .slice(0, 50)
      .flatMap((part) => [...part.getClientRects()].filter(hasArea));
  }

  function hitAt(x: number, y: number): Element | null {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner: Element | null = hit.shadowRoot.elementFromPoint(x, y);
      if (inner === null || inner === hit) break;
      hit = inner;
    }
    return hit;
  }

  /** From an element up to the document, out of shadow roots and through slots. */
  function pathUp(from: Element | null): Element[] {
    const path: Element[] = [];
    for (let at = from; at !== null; at = above(at)) path.push(at);
    return path;
  }

  function above(at: Element): Element | null {
    if (at.assignedSlot !== null) return at.assignedSlot;
    if (at.parentElement !== null) return at.parentElement;
    const root = at.getRootNode();
    return root instanceof ShadowRoot ? root.host : null;
  }

  /** Whether something else that reacts to clicks is at the point, such as a link in a label. */
  function isInsideAnother(path: readonly Element[]): boolean {
    const inner = path.slice(0, Math.max(path.indexOf(element), 0));
    return inner.some((part) => part.matches(INTERACTIVE));
  }

  function toHit(x: number, y: number, isThrough: boolean): Probe {
    return { kind: "hit", x, y, isThrough, isMoving: own.some(isAnimated) };
  }

  function toMiss(cover: Element | null): Probe {
    return cover === null ? { kind: "hidden" } : { kind: "covered", by: describe(cover), isNotice: isNotice(cover) };
  }

  function isAnimated(part: Element): boolean {
    return part.getAnimations().some(({ playState, effect }) => {
      return playState === "running" && Number.isFinite(Number(effect?.getComputedTiming().endTime));
    });
  }

  function isNotice(hit: Element): boolean {
    return pathUp(hit).some((part) => part.matches("[role=alert], [role=status], [role=log], [aria-live]"));
  }

  /** The covering element as a whole, not the part that was hit: a dialog, not its padding. */
  function describe(hit: Element): string {
    const pieces = pathUp(hit).filter((piece) => !own.includes(piece));
    const named = pieces.find((piece) => piece.matches("dialog, [role=dialog], [role=alertdialog], [aria-label]"));
    const cover = named ?? pieces.at(-1) ?? hit;
    const role = cover.getAttribute("role") ?? cover.tagName.toLowerCase();
    const name = nameOf(cover).replace(/\s+/g, " ").trim().slice(0, 60);
    return name === "" ? role : `${role} "${name}"`;
  }

  function nameOf(cover: Element): string {
    const labelledBy = (cover.getAttribute("aria-labelledby") ?? "").split(/\s+/)[0] ?? "";
    const label = labelledBy === "" ? null : document.getElementById(labelledBy);
    const heading = cover.querySelector("h1, h2, h3, h4, [role=heading]");
    const spoken = cover.getAttribute("aria-label") ?? label?.textContent ?? heading?.textContent;
    // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
    return spoken ?? cover.getAttribute("title") ?? (cover as HTMLElement).innerText ?? "";
  }
}

/** Runs in the page around a frame: whether the mouse hits a point of the frame's viewport from outside. */
export function probeFrame(frame: Element, point: { x: number; y: number }): Probe {
  const box = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const inset = { left: Number.parseFloat(style.paddingLeft) || 0, top: Number.parseFloat(style.paddingTop) || 0 };
  const x = box.left + frame.clientLeft + inset.left + point.x;
  const y = box.top + frame.clientTop + inset.top + point.y;
  let hit = document.elementFromPoint(x, y);
  while (hit !== null && hit !== frame && hit.shadowRoot) {
    const inner: Element | null = hit.shadowRoot.elementFromPoint(x, y);
    if (inner === null || inner === hit) break;
    hit = inner;
  }
  if (hit === frame) return { kind: "hit", x, y, isThrough: false, isMoving: false };
  if (hit === null) return { kind: "hidden" };
  // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
  const name = (hit.getAttribute("aria-label") ?? (hit as HTMLElement).innerText ?? "").replace(/\s+/g, " ").trim();
  const role = hit.getAttribute("role") ?? hit.tagName.toLowerCase();
  const isNotice = hit.closest("[role=alert], [role=status], [role=log], [aria-live]") !== null;
  return { kind: "covered", by: name === "" ? role : `${role} "${name.slice(0, 60)}"`, isNotice };
}
