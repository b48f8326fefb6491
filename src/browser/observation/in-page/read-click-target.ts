import type { SeenElement, WalkedPage } from "./walk-page.ts";

export interface ClickTarget {
  readonly role: string;
  readonly name: string;
}

/**
 * Runs in the page, alone. Answers a function that tells whether an element takes clicks by itself: by a handler, a
 * pointer cursor that it does not merely inherit, a place in the tab order or a role.
 */
export function createClickReader(
  { elements }: WalkedPage,
  listenersPassword: string,
): (index: number) => ClickTarget | null {
  const SHAPES = new Set([
    "circle",
    "rect",
    "ellipse",
    "polygon",
    "polyline",
    "path",
    "line",
    "text",
    "g",
    "image",
    "use",
  ]);
  const CONTROLS = "a[href],button,input,select,textarea,summary,option,label";
  const WIDGET_ROLES =
    /^(button|link|checkbox|radio|switch|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem|slider|spinbutton|combobox|textbox|searchbox|gridcell)$/;
  const MAX_TARGET_CHARS = 200;
  const MAX_TARGET_CHILDREN = 10;
  const HANDLERS = ["onclick", "onmousedown", "onmouseup", "onpointerdown", "ontouchstart"];
  const listened = findListened();

  /** Null where the init script that remembers listeners is missing: the browser's own function refuses the call. */
  function findListened(): WeakSet<Element> | null {
    try {
      return Reflect.apply(document.addEventListener, document, [listenersPassword]) as unknown as WeakSet<Element>;
    } catch {
      return null;
    }
  }

  function hasHandler(element: Element): boolean {
    if (HANDLERS.some((name) => typeof Reflect.get(element, name) === "function")) return true;
    return (listened?.has(element) ?? false) && isSmall(element);
  }

  /** Frameworks listen on a container for all that is in it; it is no target itself. */
  function isSmall(element: Element): boolean {
    if ((element.textContent ?? "").length > MAX_TARGET_CHARS || element.childElementCount > MAX_TARGET_CHILDREN)
      return false;
    return element.querySelector(`${CONTROLS},[onclick],[role],[tabindex]`) === null;
  }

  function isPointedAt({ style, parent }: SeenElement): boolean {
    return style.cursor === "pointer" && elements[parent]?.style.cursor !== "pointer";
  }

  function takesClicks(seen: SeenElement): boolean {
    const { element } = seen;
    if (element === document.body || element === document.documentElement) return false;
    if (isPointedAt(seen) || hasHandler(element)) return true;
    if (element.getAttribute("draggable") === "true") return true;
    const tabIndex = element.getAttribute("tabindex");
    if (tabIndex !== null && Number(tabIndex) >= 0) return true;
    return WIDGET_ROLES.test(element.getAttribute("role") ?? "");
  }

  /** What a control holds is part of the control, unless it has a handler of its own. */
  function belongsToControl(seen: SeenElement): boolean {
    const control = seen.element.parentElement?.closest(CONTROLS) ?? null;
    return control !== null && !hasHandler(seen.element);
  }

  function normalize(text: string | null): string {
    return (text ?? "").replace(/\s+/g, " ").trim();
  }

  function seenTextOf(element: Element): string {
    // biome-ignore lint/performance/useDomNodeTextContent: only what is seen counts
    return normalize(element instanceof HTMLElement ? element.innerText : element.textContent);
  }

  function nameOf(seen: SeenElement): string {
    const { element } = seen;
    const said =
      normalize(element.getAttribute("aria-label")) ||
      seenTextOf(element) ||
      normalize(element.getAttribute("title")) ||
      normalize(element.getAttribute("alt"));
    if (said !== "") return said;
    return SHAPES.has(element.tagName) ? describeShape(seen) : normalize(element.querySelector("img")?.alt ?? "");
  }

  function describeShape({ element, style, rect }: SeenElement): string {
    const title = normalize(element.querySelector("title")?.textContent ?? null);
    if (title !== "") return title;
    const color = nameColor(style.fill === "none" ? style.stroke : style.fill);
    return [color, element.tagName, `${Math.round(rect.width)}×${Math.round(rect.height)}`].filter(Boolean).join(" ");
  }

  /** The nearest of the colours that people name. */
  function nameColor(color: string): string {
    const PALETTE: Record<string, readonly [number, number, number]> = {
      black: [0, 0, 0],
      white: [255, 255, 255],
      gray: [128, 128, 128],
      red: [255, 0, 0],
      green: [0, 128, 0],
      lime: [0, 255, 0],
      blue: [0, 0, 255],
      yellow: [255, 255, 0],
      orange: [255, 165, 0],
      purple: [128, 0, 128],
      magenta: [255, 0, 255],
      pink: [255, 192, 203],
      cyan: [0, 255, 255],
      aqua: [0, 200, 200],
      brown: [139, 69, 19],
    };
    const [red, green, blue] = (color.match(/[\d.]+/g) ?? []).map(Number);
    if (red === undefined || green === undefined || blue === undefined) return "";
    const distance = ([r, g, b]: readonly [number, number, number]) =>
      (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    return Object.entries(PALETTE).reduce((best, one) => (distance(one[1]) < distance(best[1]) ? one : best), [
      "black",
      [0, 0, 0],
    ] as [string, readonly [number, number, number]])[0];
  }

  /** A file input that is not shown: whatever stands for it cannot take the file. */
  function readHiddenFileInput({ element, isRendered }: SeenElement): ClickTarget | null {
    if (isRendered || !(element instanceof HTMLInputElement) || element.type !== "file") return null;
    const [first] = element.labels ?? [];
    const label = normalize(element.getAttribute("aria-label")) || (first === undefined ? "" : seenTextOf(first));
    return { role: "button", name: label || "file" };
  }

  return (index) => {
    const seen = elements[index];
    if (seen === undefined) return null;
    const file = readHiddenFileInput(seen);
    if (file !== null) return file;
    if (!seen.isRendered || seen.style.pointerEvents === "none") return null;
    if (seen.element.matches(CONTROLS) || !takesClicks(seen) || belongsToControl(seen)) return null;
    return { role: seen.element.getAttribute("role")?.trim().split(/\s+/)[0] || "generic", name: nameOf(seen) };
  };
}
