import type { SeenElement } from "./walk-page.ts";

/** Whether an element lies behind an open dialog, where nobody can click it. */
export type CoverReader = (seen: SeenElement) => boolean;

/**
 * Runs in the page. Null when nothing covers it: no modal dialog is open, nothing is inert, and no layer is in front of all
 * of the window. Such a layer is found by asking the browser what is in the corners and in the middle.
 */
export function createCoverReader(): CoverReader | null {
  const DIALOGS = "dialog,[role=dialog],[role=alertdialog],[aria-modal=true]";
  const TOLERANCE = 3;
  const right = innerWidth - TOLERANCE - 1;
  const bottom = innerHeight - TOLERANCE - 1;
  const modal = findModal();
  const cover = modal ?? findCover();
  const hasInert = document.querySelector("[inert]") !== null;
  const hasDialog = cover !== null && (cover.matches(DIALOGS) || document.querySelector(DIALOGS) !== null);

  /** The newest of the open ones: the browser itself makes everything else inert. */
  function findModal(): Element | null {
    return (
      [...document.querySelectorAll("dialog:modal")].find((dialog) => {
        const { left, top, width, height } = dialog.getBoundingClientRect();
        return dialog.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      }) ?? null
    );
  }

  function isLayer(element: Element): boolean {
    if (element === document.body || element === document.documentElement) return false;
    const box = element.getBoundingClientRect();
    const isFull =
      box.left <= TOLERANCE && box.top <= TOLERANCE && box.right >= right && box.bottom >= bottom && box.width > 0;
    return isFull && /fixed|absolute/.test(getComputedStyle(element).position);
  }

  function findCover(): Element | null {
    const corners = [
      [TOLERANCE, TOLERANCE],
      [right, TOLERANCE],
      [TOLERANCE, bottom],
      [right, bottom],
    ] as const;
    const layers = document.elementsFromPoint(innerWidth / 2, innerHeight / 2).filter(isLayer);
    if (layers.length === 0) return null;
    const stacks = corners.map(([x, y]) => document.elementsFromPoint(x, y));
    return layers.find((layer) => stacks.every((stack) => stack.includes(layer))) ?? null;
  }

  /** Also through shadow roots. What is hit in one is reported as its host. */
  function isInside(inner: Element, outer: Element): boolean {
    let at: Element | null = inner;
    while (at !== null && at !== outer) {
      const root: Node = at.getRootNode();
      at = at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    }
    return at !== null;
  }

  function isRelated(one: Element, other: Element): boolean {
    return isInside(one, other) || isInside(other, one);
  }

  /** The layer fills the window, so whatever is hit is the layer or in front of it. */
  function isCoveredAt(element: Element, x: number, y: number, layer: Element): boolean {
    const hit = document.elementFromPoint(x, y);
    if (hit === null || isRelated(element, hit)) return false;
    if (layer.contains(hit)) return true;
    const stack = document.elementsFromPoint(x, y);
    const own = stack.findIndex((one) => isRelated(element, one));
    return stack.indexOf(layer) < own;
  }

  function isCovered(element: Element, layer: Element): boolean {
    if (isRelated(layer, element)) return false;
    if (layer === modal) return true;
    for (let at: Element | null = element; at !== null && !at.contains(layer); at = at.parentElement) {
      const { left, top, width, height } = at.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const isInView = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && width > 0 && height > 0;
      if (isInView) return isCoveredAt(at, x, y, layer);
    }
    // All of it is outside the window. The layer of a dialog stays in front of it when the page is scrolled.
    return hasDialog && getComputedStyle(layer).position === "fixed";
  }

  if (cover === null && !hasInert) return null;
  return ({ element }) => {
    if (hasInert && element.closest("[inert]") !== null) return true;
    return cover !== null && isCovered(element, cover);
  };
}
