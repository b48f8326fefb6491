import type { SeenElement, WalkedPage } from "./walk-page.ts";

export interface HiddenTextReader {
  /** Whether nobody can see a piece of text, by its index. */
  isHidden(piece: number): boolean;
  /** Whether a hidden piece is hidden the way labels for screen readers are, and short enough to be one. */
  isLabelLike(piece: number): boolean;
}

/**
 * Runs in the page. Finds invisible text: an errand must not read what its user could not see. Text that is also visible
 * somewhere else on the page does not count, because it reveals nothing hidden.
 */
export function createHiddenTextReader({ elements, pieces }: WalkedPage, invisiblePattern: string): HiddenTextReader {
  const INVISIBLE = new RegExp(invisiblePattern, "gv");
  const MAX_LABEL_CHARS = 120;
  const verdicts: (boolean | undefined)[] = [];
  const backgrounds: (readonly number[] | null | undefined)[] = [];
  let painters: DOMRect[] | undefined;

  function normalize(text: string): string {
    // All of them are beyond ASCII.
    const visible = /[^\0-\x7f]/.test(text) ? text.replace(INVISIBLE, "") : text;
    return visible.replace(/\s+/g, " ");
  }

  /** The way labels for screen readers are hidden. */
  function isCutOff(seen: SeenElement | undefined): boolean {
    return seen !== undefined && (seen.isClipped || seen.cut !== "none");
  }

  const root = document.scrollingElement ?? document.documentElement;
  const [windowWidth, windowHeight] = [innerWidth, innerHeight];
  const page = {
    left: -scrollX,
    top: -scrollY,
    right: Math.max(root.scrollWidth, windowWidth) - scrollX,
    bottom: Math.max(root.scrollHeight, windowHeight) - scrollY,
  };
  const shown = { left: 0, top: 0, right: windowWidth, bottom: windowHeight };

  function isOffPage({ rect, isScrolled, isFixed }: SeenElement): boolean {
    if (isScrolled || (rect.width === 0 && rect.height === 0)) return false;
    const { left, top, right, bottom } = isFixed ? shown : page;
    return rect.right <= left || rect.bottom <= top || rect.left >= right || rect.top >= bottom;
  }

  function toChannels(color: string): number[] {
    return (color.match(/[\d.]+/g) ?? []).map(Number);
  }

  /** The background of text is not always known. If anything may be painted there, the text counts as visible. */
  function mayBePaintedBehind({ rect }: SeenElement): boolean {
    painters ??= elements
      .filter(
        ({ element, style }) =>
          /^(IMG|VIDEO|CANVAS|svg|PICTURE|IFRAME)$/.test(element.tagName) ||
          style.backgroundImage !== "none" ||
          (style.position !== "static" && !/^rgba\(.*, 0\)$/.test(style.backgroundColor)) ||
          ["::before", "::after"].some((pseudo) => paints(getComputedStyle(element, pseudo))),
      )
      .map((seen) => seen.rect);
    return painters.some(
      (other) =>
        other.left < rect.right && other.right > rect.left && other.top < rect.bottom && other.bottom > rect.top,
    );
  }

  function paints(pseudo: CSSStyleDeclaration): boolean {
    if (pseudo.content === "none" || pseudo.content === "normal") return false;
    return pseudo.backgroundImage !== "none" || !/^rgba\(.*, 0\)$/.test(pseudo.backgroundColor);
  }

  /** The background colour of an element; null for an image. */
  function backgroundOf(index: number): readonly number[] | null {
    const seen = elements[index];
    if (seen === undefined) return [255, 255, 255];
    const known = backgrounds[index];
    if (known !== undefined) return known;
    const [red = 0, green = 0, blue = 0, alpha = 1] = toChannels(seen.style.backgroundColor);
    const own = alpha > 0.5 ? [red, green, blue] : backgroundOf(seen.parent);
    const background = seen.style.backgroundImage === "none" ? own : null;
    backgrounds[index] = background;
    return background;
  }

  function hasInvisibleColor(index: number, seen: SeenElement): boolean {
    const [red = 0, green = 0, blue = 0, alpha = 1] = toChannels(seen.style.webkitTextFillColor);
    if (alpha < 0.05) return seen.style.textShadow === "none" && !isCutOutOfBackground(seen);
    const background = backgroundOf(index);
    if (background === null) return false;
    const isSame = [red, green, blue].every((channel, place) => Math.abs(channel - (background[place] ?? 0)) <= 8);
    return isSame && seen.style.textShadow === "none" && !mayBePaintedBehind(seen);
  }

  /** Text that is filled with a picture or a gradient has a transparent colour. */
  function isCutOutOfBackground(seen: SeenElement): boolean {
    for (let one: SeenElement | undefined = seen; one !== undefined; one = elements[one.parent]) {
      if (one.style.backgroundClip === "text") return true;
    }
    return false;
  }

  function isHidden(owner: number): boolean {
    const seen = elements[owner];
    if (seen === undefined) return false;
    verdicts[owner] ??=
      seen.opacity < 0.05 ||
      isCutOff(seen) ||
      Number.parseFloat(seen.style.fontSize) < 2 ||
      Number.parseFloat(seen.style.textIndent) < -500 ||
      isOffPage(seen) ||
      hasInvisibleColor(owner, seen);
    return verdicts[owner] ?? false;
  }

  const visible = new Set<string>();
  const hidden = new Map<number, string>();
  pieces.forEach(({ text, owner }, index) => {
    const trimmed = normalize(text).trim();
    if (trimmed === "" || elements[owner]?.visibility !== "visible") return;
    if (isHidden(owner)) hidden.set(index, trimmed);
    else visible.add(trimmed);
  });
  return {
    isHidden: (piece) => !visible.has(hidden.get(piece) ?? "") && hidden.has(piece),
    isLabelLike: (piece) =>
      (hidden.get(piece) ?? "").length <= MAX_LABEL_CHARS && isCutOff(elements[pieces[piece]?.owner ?? -1]),
  };
}
