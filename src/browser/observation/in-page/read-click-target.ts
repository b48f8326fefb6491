import type { Listeners } from "./init-scripts.ts";
import type { SeenElement, WalkedPage } from "./walk-page.ts";

interface ClickTarget {
  readonly role: string;
  readonly name: string;
  /** Its own text; empty when the name describes its appearance. */
  readonly text: string;
  /** The snapshot has a node for it; this only adds the name. */
  readonly isKnown: boolean;
}

/** Describes an element without text. */
export type DescribeAppearance = (seen: Pick<SeenElement, "element" | "style" | "rect">) => string;

interface ClickReaderParts {
  readonly describeAppearance: DescribeAppearance;
  readonly listenersKey: string;
  readonly invisiblePattern: string;
}

/**
 * Runs in the page. Returns a function that finds out whether an element takes clicks itself: by a handler, a pointer
 * cursor of its own, a place in the tab order or a role.
 */
export function createClickReader(
  { elements }: WalkedPage,
  { describeAppearance, listenersKey, invisiblePattern }: ClickReaderParts,
): (index: number) => ClickTarget | null {
  const CONTROLS = "a[href],button,input,select,textarea,summary,option,label";
  const WIDGET_ROLES =
    /^(button|link|checkbox|radio|switch|tab|menuitem|menuitemcheckbox|menuitemradio|option|treeitem|slider|spinbutton|combobox|textbox|searchbox|gridcell)$/;
  const TAG_ROLES: Readonly<Record<string, string>> = {
    TR: "row",
    TD: "cell",
    TH: "columnheader",
    LI: "listitem",
    IMG: "img",
    svg: "img",
    P: "paragraph",
    ARTICLE: "article",
  };
  const MAX_TARGET_CHARS = 200;
  const HANDLERS = ["onclick", "onmousedown", "onmouseup", "onpointerdown", "ontouchstart"];
  const INVISIBLE = new RegExp(invisiblePattern, "gv");
  const listened = findListened();

  /** Null without the init script that records listeners: the native function rejects the call. */
  function findListened(): WeakSet<EventTarget> | null {
    try {
      const listeners = Reflect.apply(document.addEventListener, document, [listenersKey]) as unknown as Listeners;
      return listeners.forClicks;
    } catch {
      return null;
    }
  }

  function hasHandler(element: Element): boolean {
    if (HANDLERS.some((name) => typeof Reflect.get(element, name) === "function")) return true;
    if (!listened?.has(element) || (element.textContent ?? "").length > MAX_TARGET_CHARS) return false;
    // Frameworks listen on a container for its content. Then the container is not a target itself.
    return !listensForItsChildren(element) && element.querySelector(`${CONTROLS},[onclick],[role],[tabindex]`) === null;
  }

  function isListenedFor({ parentElement }: Element): boolean {
    return parentElement !== null && (listened?.has(parentElement) ?? false) && listensForItsChildren(parentElement);
  }

  /** Several children of one kind: the items of a list, a board or a palette. */
  function listensForItsChildren({ children }: Element): boolean {
    const [first, ...others] = children;
    if (first === undefined || others.length === 0 || others.length > 200) return false;
    if (/^(BR|TR|TBODY|P|H\d)$/.test(first.tagName)) return false;
    return others.every(({ tagName, classList }) => tagName === first.tagName && classList[0] === first.classList[0]);
  }

  function isPointedAt({ style, parent }: SeenElement): boolean {
    return style.cursor === "pointer" && elements[parent]?.style.cursor !== "pointer";
  }

  function takesClicks(seen: SeenElement): boolean {
    const { element } = seen;
    if (element === document.body || element === document.documentElement) return false;
    if (isPointedAt(seen) || hasHandler(element) || isListenedFor(element)) return true;
    if (element.getAttribute("draggable") === "true") return true;
    const role = element.getAttribute("role");
    if (role !== null) return WIDGET_ROLES.test(role);
    return isInTabOrder(element) || isEditingHost(element);
  }

  /** A large element is in the tab order only to be scrolled with the keyboard. */
  function isInTabOrder(element: Element): boolean {
    const tabIndex = element.getAttribute("tabindex");
    return tabIndex !== null && Number(tabIndex) >= 0 && (element.textContent ?? "").length <= MAX_TARGET_CHARS;
  }

  function isEditingHost(element: Element): boolean {
    if (!(element instanceof HTMLElement) || !element.isContentEditable) return false;
    return !(element.parentElement?.isContentEditable ?? false);
  }

  /** The content of a control is part of the control, unless it has a handler of its own. */
  function belongsToControl(seen: SeenElement): boolean {
    const control = seen.element.parentElement?.closest(CONTROLS) ?? null;
    return control !== null && !hasHandler(seen.element);
  }

  function normalize(text: string | null): string {
    return (text ?? "").replace(INVISIBLE, "").replace(/\s+/g, " ").trim();
  }

  function textOf(element: Element): string {
    if (isEditingHost(element)) return "";
    // biome-ignore lint/performance/useDomNodeTextContent: only visible text counts
    return normalize(element instanceof HTMLElement ? element.innerText : element.textContent);
  }

  function describe(seen: SeenElement, role: string): ClickTarget {
    const { element } = seen;
    const pictured = element.querySelector("img[alt],svg[aria-label]");
    const text =
      normalize(element.getAttribute("aria-label")) ||
      textOf(element) ||
      normalize(element.getAttribute("title")) ||
      normalize(element.getAttribute("alt")) ||
      normalize(pictured?.getAttribute("alt") ?? pictured?.getAttribute("aria-label") ?? "");
    return { role, name: text || (isEditingHost(element) ? "" : describeAppearance(seen)), text, isKnown: false };
  }

  function roleOf(element: Element): string {
    const role = element.getAttribute("role")?.trim().split(/\s+/)[0];
    return role || (isEditingHost(element) ? "textbox" : (TAG_ROLES[element.tagName] ?? "generic"));
  }

  /** A hidden file input is a target, because the visible button in front of it cannot take the file. */
  function readHiddenFileInput({ element, isRendered }: SeenElement): ClickTarget | null {
    if (isRendered || !(element instanceof HTMLInputElement) || element.type !== "file") return null;
    const [label] = element.labels ?? [];
    const name = normalize(element.getAttribute("aria-label")) || (label === undefined ? "" : textOf(label));
    return { role: "button", name: name || "file", text: "", isKnown: false };
  }

  /** The snapshot has links and buttons. Those that only show a picture or the icon of a font may have no name there. */
  function readControl(seen: SeenElement): ClickTarget | null {
    const { element } = seen;
    if (!element.matches("a[href],button") || normalize(element.getAttribute("aria-label")) || textOf(element))
      return null;
    return { ...describe(seen, element.tagName === "BUTTON" ? "button" : "link"), isKnown: true };
  }

  /** Many rows show their controls only while the mouse is over them. The snapshot has those controls without a ref. */
  function readWaitingControl(seen: SeenElement): ClickTarget | null {
    const { element, style, isRendered, opacity } = seen;
    const isWaiting = style.visibility === "visible" && (!isRendered || opacity < 0.05);
    if (!isWaiting || !element.matches("a[href],button,[role=button],[role=link],[role=menuitem]")) return null;
    const role = element.getAttribute("role") ?? (element.tagName === "A" ? "link" : "button");
    const target = describe(seen, role);
    return target.text === "" ? null : { ...target, isKnown: true };
  }

  return (index) => {
    const seen = elements[index];
    if (seen === undefined) return null;
    const file = readHiddenFileInput(seen);
    if (file !== null) return file;
    if (!seen.isRendered || seen.style.pointerEvents === "none") return readWaitingControl(seen);
    if (seen.element.matches(CONTROLS)) return readControl(seen);
    return takesClicks(seen) && !belongsToControl(seen) ? describe(seen, roleOf(seen.element)) : null;
  };
}

/**
 * Runs in the page. Describes an element without text by its colour, kind and size. The kind of an SVG element is its
 * shape; of other elements, the words in its id and class names.
 */
export function describeAppearance({ element, style, rect }: Pick<SeenElement, "element" | "style" | "rect">): string {
  const PALETTE: Readonly<Record<string, readonly [number, number, number]>> = {
    black: [0, 0, 0],
    white: [255, 255, 255],
    gray: [128, 128, 128],
    red: [255, 0, 0],
    green: [0, 128, 0],
    lime: [0, 255, 0],
    olive: [128, 128, 0],
    blue: [0, 0, 255],
    navy: [0, 0, 128],
    teal: [0, 128, 128],
    yellow: [255, 255, 0],
    orange: [255, 165, 0],
    purple: [128, 0, 128],
    magenta: [255, 0, 255],
    pink: [255, 192, 203],
    cyan: [0, 255, 255],
    brown: [139, 69, 19],
  };
  const MAX_WORDS = 4;

  function nameColor(color: string): string {
    const [red, green, blue, alpha = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
    if (red === undefined || green === undefined || blue === undefined || alpha < 0.1) return "";
    let nearest = { name: "", distance: Number.POSITIVE_INFINITY };
    for (const [name, [r, g, b]] of Object.entries(PALETTE)) {
      const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
      if (distance < nearest.distance) nearest = { name, distance };
    }
    return nearest.name;
  }

  function nameShape(): string {
    const isEven = Math.abs(rect.width - rect.height) <= 1;
    switch (element.tagName) {
      case "rect":
        return isEven ? "square" : "rectangle";
      case "polygon": {
        const corners = (element.getAttribute("points") ?? "").trim().split(/[\s,]+/).length / 2;
        return corners === 3 ? "triangle" : "polygon";
      }
      default:
        return element.tagName;
    }
  }

  /** Authors write "icon-trash" or "fa fa-star". Generated names are left out. */
  function wordsOf({ id, classList }: Element): string[] {
    const words = [id, ...classList].flatMap((name) => name.split(/[-_\s]+|(?<=[a-z])(?=[A-Z])/));
    return words.map((word) => word.toLowerCase()).filter((word) => /^[a-z]{3,}$/.test(word) && /[aeiouy]/.test(word));
  }

  const title = element.querySelector("title")?.textContent?.trim() ?? "";
  if (title !== "") return title;
  const size = `${Math.round(rect.width)}×${Math.round(rect.height)}`;
  if (element instanceof SVGElement) {
    return [nameColor(style.fill === "none" ? style.stroke : style.fill), nameShape(), size].filter(Boolean).join(" ");
  }
  const icon = element.querySelector("[class]");
  const words = new Set([...wordsOf(element), ...(icon === null ? [] : wordsOf(icon))]);
  return [nameColor(style.backgroundColor), ...[...words].slice(0, MAX_WORDS), size].filter(Boolean).join(" ");
}
